"""The ONNX operators that lowering rules apply through :meth:`Emitter.apply`, one row each.

A row says which operands share the operator's main dtype, which dtypes may stand in for one
that a runtime lacks, and what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import onnx

from exporters.onnx.legality import Carriers
from ir.types import BOOL, INT64

Attribute: TypeAlias = int | float | str | Sequence[int] | onnx.TensorProto | onnx.GraphProto

MOVE, RING, ORDER, FLOAT = Carriers.MOVE, Carriers.RING, Carriers.ORDER, Carriers.FLOAT


class Primitive(NamedTuple):
    """How one operator treats dtypes.

    Attributes:
        carriers: Which dtypes may stand in for the operands' own.
        data: Positions of the operands of the main dtype; ``None`` for all of them.
        result: The result's dtype; ``None`` for the operands' own.
        attributes: What tells this variant from the bare operator.
    """

    carriers: Carriers
    data: tuple[int, ...] | None = None
    result: np.dtype[Any] | None = None
    attributes: dict[str, Attribute] = {}  # noqa: RUF012 - a NamedTuple's fields are read-only


PRIMITIVES: dict[str, Primitive] = {
    **{name: Primitive(RING) for name in ("Add", "Sub", "Mul", "Neg")},
    **{
        name: Primitive(RING)
        for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot")
    },
    "BitShift:left": Primitive(RING, attributes={"direction": "LEFT"}),
    "BitShift:right": Primitive(ORDER, attributes={"direction": "RIGHT"}),
    **{name: Primitive(ORDER) for name in ("Div", "Mod", "Abs", "Sign", "Max", "Min")},
    "Mod:fmod": Primitive(ORDER, attributes={"fmod": 1}),
    **{
        name: Primitive(ORDER, result=BOOL)
        for name in ("Less", "LessOrEqual", "Greater", "GreaterOrEqual")
    },
    "Equal": Primitive(MOVE, result=BOOL),
    **{name: Primitive(MOVE) for name in ("And", "Or", "Xor", "Not")},
    **{
        name: Primitive(FLOAT)
        for name in [
            "Pow",
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
            "Tanh",
            "Asinh",
            "Acosh",
            "Atanh",
            "Erf",
            "Floor",
            "Ceil",
            "Round",
        ]
    },
    "IsNaN": Primitive(FLOAT, result=BOOL),
    "IsInf": Primitive(FLOAT, result=BOOL),
    "Where": Primitive(MOVE, data=(1, 2)),
    **{
        name: Primitive(MOVE, data=(0,))
        for name in [
            "Reshape",
            "Expand",
            "Squeeze",
            "Unsqueeze",
            "Transpose",
            "Slice",
            "Tile",
            "Identity",
            "Gather",
            "GatherElements",
            "GatherND",
        ]
    },
    "Concat": Primitive(MOVE),
    "Pad": Primitive(MOVE, data=(0, 2)),
    "ScatterND": Primitive(MOVE, data=(0, 2)),
    "ScatterElements": Primitive(MOVE, data=(0, 2)),
    "ScatterElements:add": Primitive(RING, data=(0, 2), attributes={"reduction": "add"}),
    "ScatterElements:mul": Primitive(RING, data=(0, 2), attributes={"reduction": "mul"}),
    "ScatterElements:max": Primitive(ORDER, data=(0, 2), attributes={"reduction": "max"}),
    "ScatterElements:min": Primitive(ORDER, data=(0, 2), attributes={"reduction": "min"}),
    "ReduceSum": Primitive(RING, data=(0,)),
    "ReduceProd": Primitive(RING, data=(0,)),
    "ReduceMax": Primitive(ORDER, data=(0,)),
    "ReduceMin": Primitive(ORDER, data=(0,)),
    "ArgMax": Primitive(ORDER, data=(0,), result=INT64),
    "ArgMin": Primitive(ORDER, data=(0,), result=INT64),
    "CumSum": Primitive(RING, data=(0,)),
    "CumProd": Primitive(RING, data=(0,)),
    "MatMul": Primitive(RING),
    "NonZero": Primitive(MOVE, result=INT64),
    "Range": Primitive(ORDER),
}
