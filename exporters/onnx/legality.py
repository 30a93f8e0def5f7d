"""Which (operator, dtype) may be emitted, and through which other dtype if not.

For the target ``onnxruntime`` the generated kernel tables answer: what every tabled release
that loads the opset runs, minus the kernels whose values are not exact. For ``standard`` the
operator's schema answers.
"""

from __future__ import annotations

import enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import ml_dtypes
import numpy as np
import onnx
import onnx.defs
import onnx.helper

from exporters.errors import OpsetError
from exporters.onnx.kernels import KernelTable, has_fault, kernel_table, kernel_versions
from ir.types import BFLOAT16, BOOL, DTYPE_NAMES, FLOATING, INT64, INTEGER

if TYPE_CHECKING:
    from collections.abc import Mapping

    DType = np.dtype[Any]

Target: TypeAlias = Literal["onnxruntime", "standard"]
Optimize: TypeAlias = Literal[0, 1, 2]
"""How far to fuse: not at all, keeping every value, or keeping those of ordinary numbers."""

OLDEST_OPSET = 17
UINT8, INT32, UINT32, UINT64, FLOAT16, FLOAT32, FLOAT64 = map(
    np.dtype,
    (np.uint8, np.int32, np.uint32, np.uint64, np.float16, np.float32, np.float64),
)
INT8, INT16, UINT16 = map(np.dtype, (np.int8, np.int16, np.uint16))
HALVES = frozenset((FLOAT16, np.dtype(ml_dtypes.bfloat16)))


class Carriers(enum.Enum):
    """Which dtypes may stand in for another without changing an operator's result."""

    MOVE = "the values are only moved: any dtype that holds them"
    RING = "arithmetic modulo 2**bits: any integer dtype at least as wide"
    ORDER = "values are compared: any dtype that holds them in order"
    FLOAT = "rounding is part of the result: computed in float32 and rounded once"


_WIDER: dict[DType, tuple[DType, ...]] = {
    BOOL: (UINT8, INT32, INT64),
    INT8: (INT32, INT64),
    INT16: (INT32, INT64),
    UINT8: (INT32, INT64),
    UINT16: (INT32, INT64),
    UINT32: (INT64,),
    FLOAT16: (FLOAT32,),
    BFLOAT16: (FLOAT32,),
    FLOAT32: (FLOAT64,),
    INT32: (INT64,),
}
_TWIN = {UINT64: INT64}
"""Same bits under another sign: values move and add modulo 2**64, but do not compare."""

_CARRIERS: dict[Carriers, Mapping[DType, tuple[DType, ...]]] = {
    Carriers.MOVE: _WIDER | {UINT64: (INT64,)},
    Carriers.RING: {d: w for d, w in _WIDER.items() if d != FLOAT32} | {UINT64: (INT64,)},
    Carriers.ORDER: _WIDER,
    Carriers.FLOAT: {FLOAT16: (FLOAT32,), BFLOAT16: (FLOAT32,)},
}

_UNTRUSTED: dict[str, frozenset[DType]] = {
    # through double: saturates and rounds above 2**53 (measured, kernels/README.md)
    "ReduceSum": INTEGER,
    "ReduceProd": INTEGER,
    "Pow": INTEGER,
    # fails on an inner axis of 0
    "MatMul": frozenset((UINT32, UINT64)),
    # threads race on repeated coordinates
    "ScatterND": frozenset(DTYPE_NAMES),
    "ScatterND:add": frozenset(DTYPE_NAMES),
}
_VARIANT_SINCE = {"ScatterElements:max": 18, "ScatterElements:min": 18}
"""Attribute values younger than their operator, which no schema tells."""

_ROUNDING = frozenset(
    [
        "Add",
        "Sub",
        "Mul",
        "Div",
        "Pow",
        "Mod",
        "Mod:fmod",
        "MatMul",
        "ReduceSum",
        "ReduceProd",
        "CumSum",
        "CumProd",
        "Sqrt",
        "Reciprocal",
        "Exp",
        "Log",
        "Sin",
        "Cos",
        "Tan",
        "Asin",
        "Acos",
        "Atan",
        "Sinh",
        "Cosh",
        "Erf",
        "Tanh",
        "Asinh",
        "Acosh",
        "Atanh",
        "Sign",
        "Neg",
        "Abs",
        "Floor",
        "Ceil",
        "Round",
        "Relu",
        "Sigmoid",
        "Where",
        "IsInf",
        "Equal",
        "Greater",
        "GreaterOrEqual",
        "Less",
        "LessOrEqual",
        "TopK",
        "ArgMax",
        "ArgMin",
        "ReduceMax",
        "ReduceMin",
        "ScatterElements:add",
        "ScatterElements:mul",
    ]
)
"""Operators that the runtime computes in float32, *not* rounding between float16 nodes.

Those that round nothing themselves are among them: they get what the node before has not rounded.
"""


class Legality:
    """Answers for one target and opset, remembered.

    Args:
        target: What has to run the model.
        opset: The ONNX operator-set version.

    Raises:
        OpsetError: The opset is unknown to the installed onnx or to every tabled runtime.
    """

    def __init__(self, target: Target, opset: int) -> None:
        self.target = target
        self.opset = opset
        self._runs: dict[tuple[str, DType], bool] = {}
        newest = newest_opset(target)
        if not OLDEST_OPSET <= opset <= newest:
            raise OpsetError(
                f"opset {opset} is not supported for target {target!r}: "
                f"opsets {OLDEST_OPSET} to {newest} are"
            )

    @cached_property
    def _loading(self) -> tuple[KernelTable, ...]:
        return tuple(table for table in _tables() if table.newest_opset >= self.opset)

    def runs(self, key: str, dtype: DType) -> bool:
        """Whether an operator, or a variant as ``"Mod:fmod"``, takes the dtype exactly."""
        found = self._runs.get((key, dtype))
        if found is None:
            found = self._runs[key, dtype] = self._ask(key, dtype)
        return found

    def _ask(self, key: str, dtype: DType) -> bool:
        if self.target == "standard":
            since = _VARIANT_SINCE.get(key, 0)
            return self.opset >= since and _schema_allows(
                key.partition(":")[0], dtype, self.opset
            )
        if dtype in _UNTRUSTED.get(key, ()) or self.faulty(key, dtype):
            return False
        if dtype in HALVES and key in _ROUNDING:
            return False
        return all(table.supports(key, dtype, self.opset) for table in self._loading)

    def faulty(self, key: str, dtype: DType) -> bool:
        """Whether a release that loads the opset gives wrong values by a kernel or a case of it."""
        return self.target == "onnxruntime" and any(
            has_fault(table, key, dtype) for table in self._loading
        )

    def carrier(self, key: str, dtype: DType, carriers: Carriers) -> DType | None:
        """Return the dtype to compute in (``dtype`` itself where it runs), if there is one."""
        if self.runs(key, dtype):
            return dtype
        for wider in _CARRIERS[carriers].get(dtype, ()):
            if self.runs(key, wider):
                return wider
        return None

    def first_opset(self, key: str, dtype: DType, carriers: Carriers) -> int | None:
        """Return the first later opset in which :meth:`carrier` would find a dtype."""
        for opset in range(self.opset + 1, newest_opset(self.target) + 1):
            if Legality(self.target, opset).carrier(key, dtype, carriers) is not None:
                return opset
        return None

    def can_bitcast(self, source: DType, target: DType) -> bool:
        """Whether bits can be read as another dtype of the same width."""
        if self.target == "standard":
            return _schema_allows("BitCast", source, self.opset)
        return self.runs(f"BitCast:{source.name}", target)


def newest_opset(target: Target) -> int:
    """Return the newest opset that the installed onnx and, for it, a tabled runtime know."""
    newest = int(onnx.defs.onnx_opset_version())
    if target == "onnxruntime":
        newest = min(newest, max(table.newest_opset for table in _tables()))
    return newest


def _tables() -> tuple[KernelTable, ...]:
    return tuple(map(kernel_table, kernel_versions()))


def _schema_allows(op_type: str, dtype: DType, opset: int) -> bool:
    """Whether the type variable of an operator's data operand admits the dtype."""
    if not onnx.defs.has(op_type):
        return False
    try:
        schema = onnx.defs.get_schema(op_type, opset)
    except onnx.defs.SchemaError:
        return False
    number = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    text = f"tensor({onnx.TensorProto.DataType.Name(number).lower()})"
    operand = schema.inputs[1 if op_type == "Where" else 0]
    return text in operand.types


__all__ = [
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    "FLOATING",
    "HALVES",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "OLDEST_OPSET",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "Carriers",
    "Legality",
    "Optimize",
    "Target",
]
