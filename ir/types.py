"""Types of values: a NumPy dtype plus a shape of numbers and symbolic dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import ml_dtypes
import numpy as np

from ir.errors import UnsupportedDTypeError

if TYPE_CHECKING:
    from ir.dims import Shape

DTYPE_NAMES: dict[np.dtype[Any], str] = {
    np.dtype(np.bool_): "bool",
    np.dtype(np.int8): "i8",
    np.dtype(np.int16): "i16",
    np.dtype(np.int32): "i32",
    np.dtype(np.int64): "i64",
    np.dtype(np.uint8): "u8",
    np.dtype(np.uint16): "u16",
    np.dtype(np.uint32): "u32",
    np.dtype(np.uint64): "u64",
    np.dtype(np.float16): "f16",
    np.dtype(ml_dtypes.bfloat16): "bf16",
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
}
"""Every dtype a value may have, with its short text."""

DTYPES_BY_NAME = {text: dtype for dtype, text in DTYPE_NAMES.items()}

BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATING = frozenset(
    np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
)
SIGNED = frozenset(np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64))
UNSIGNED = frozenset(np.dtype(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64))
INTEGER = SIGNED | UNSIGNED


class QuantizedDType(NamedTuple):
    """A quantized element type: nameable, so that it can be refused by name.

    Args:
        kind: One of ``qint8``, ``quint8``, ``qint4``, ``quint4``, ``qint32``.
        scheme: How scales are attached, for example ``"per_tensor"``.
    """

    kind: str
    scheme: str = "per_tensor"

    def __str__(self) -> str:
        return f"{self.kind}({self.scheme})"


_WHY_REFUSED = {
    "O": "Python objects have no place in a graph of numbers",
    "S": "text has no place in a graph of numbers",
    "U": "text has no place in a graph of numbers",
    "T": "text has no place in a graph of numbers",
    "M": "dates have no place in a graph of numbers; pass them as int64",
    "m": "time spans have no place in a graph of numbers; pass them as int64",
    "c": "complex numbers are not captured; pass real and imaginary parts",
    "g": "extended precision exists in no runtime; use float64",
}


def supported_dtype(dtype: object) -> np.dtype[Any]:
    """Return ``dtype`` as a native :class:`numpy.dtype` that values may have.

    Args:
        dtype: Whatever :func:`numpy.dtype` accepts, or a :class:`QuantizedDType`.

    Raises:
        UnsupportedDTypeError: The dtype is quantized, ``object``, text, structured, complex …
    """
    if isinstance(dtype, QuantizedDType):
        raise UnsupportedDTypeError(
            f"dtype {dtype} is quantized: quantized dtypes are not captured"
        )
    native = np.dtype(dtype).newbyteorder("=")  # type: ignore[call-overload]
    if native in DTYPE_NAMES:
        return native  # type: ignore[no-any-return]
    if native.names is not None:
        reason = "structured records are not captured; pass the fields as separate arrays"
    elif native.kind in _WHY_REFUSED:
        reason = _WHY_REFUSED[native.kind]
    else:
        reason = "quantized and sub-byte dtypes are not captured"
    raise UnsupportedDTypeError(f"dtype {native} is not supported: {reason}")


class TensorType(NamedTuple):
    """What is known of an array before it exists: its dtype and its shape."""

    dtype: np.dtype[Any]
    shape: Shape

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every axis is a plain number."""
        return all(type(dim) is int for dim in self.shape)

    def __str__(self) -> str:
        name = DTYPE_NAMES.get(self.dtype, str(self.dtype))
        return f"{name}[{','.join(str(dim).replace(' ', '') for dim in self.shape)}]"

    def __repr__(self) -> str:
        return f"TensorType({self})"


def type_of(array: np.ndarray[Any, Any]) -> TensorType:
    """Return the type of a concrete array."""
    return TensorType(array.dtype, array.shape)
