"""Elementwise ops: one row per NumPy ufunc, plus ``cast`` and ``where``.

A row is enough because NumPy itself supplies both rules: ``ufunc.resolve_dtypes`` the dtypes of
the loop and the ufunc the values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ir.errors import DTypeError, ShapeError
from ir.ops.base import Op, ParameterizedOp, expect_operands, parameterized, register
from ir.shapes import broadcast
from ir.types import BOOL, DTYPE_NAMES, TensorType

if TYPE_CHECKING:
    from ir.ops.base import Array


def as_arrays(results: Any) -> tuple[Array, ...]:
    """Return ufunc results as a tuple of arrays (NumPy gives scalars for 0-d operands)."""
    if isinstance(results, tuple):
        return tuple(map(np.asarray, results))
    return (np.asarray(results),)


class Elementwise(Op):
    """A NumPy ufunc applied to broadcast operands of exactly its loop's dtypes."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc = ufunc
        self.name = ufunc.__name__

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        ufunc = self.ufunc
        expect_operands(self, operands, ufunc.nin)
        dtypes = tuple(operand.dtype for operand in operands)
        loop = ufunc.resolve_dtypes((*dtypes, *(None,) * ufunc.nout))
        if loop[: ufunc.nin] != dtypes:
            listed = " ".join(map(str, operands))
            raise DTypeError(f"{self.name}: no loop takes exactly {listed}; insert casts")
        try:
            shape = broadcast(*(operand.shape for operand in operands))
        except ShapeError as error:
            raise ShapeError(f"{self.name}: {error}") from None
        return tuple(TensorType(dtype, shape) for dtype in loop[ufunc.nin :])

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return as_arrays(self.ufunc(*operands))


def elementwise(ufunc: np.ufunc) -> Elementwise:
    """Declare the op of a ufunc."""
    return register(Elementwise(ufunc))


add = elementwise(np.add)
subtract = elementwise(np.subtract)
multiply = elementwise(np.multiply)
divide = elementwise(np.divide)
floor_divide = elementwise(np.floor_divide)
remainder = elementwise(np.remainder)
fmod = elementwise(np.fmod)
divmod_ = elementwise(np.divmod)
power = elementwise(np.power)
float_power = elementwise(np.float_power)
negative = elementwise(np.negative)
positive = elementwise(np.positive)
absolute = elementwise(np.absolute)
fabs = elementwise(np.fabs)
sign = elementwise(np.sign)
reciprocal = elementwise(np.reciprocal)
square = elementwise(np.square)
sqrt = elementwise(np.sqrt)
cbrt = elementwise(np.cbrt)
exp = elementwise(np.exp)
exp2 = elementwise(np.exp2)
expm1 = elementwise(np.expm1)
log = elementwise(np.log)
log2 = elementwise(np.log2)
log10 = elementwise(np.log10)
log1p = elementwise(np.log1p)
logaddexp = elementwise(np.logaddexp)
logaddexp2 = elementwise(np.logaddexp2)
sin = elementwise(np.sin)
cos = elementwise(np.cos)
tan = elementwise(np.tan)
arcsin = elementwise(np.arcsin)
arccos = elementwise(np.arccos)
arctan = elementwise(np.arctan)
arctan2 = elementwise(np.arctan2)
hypot = elementwise(np.hypot)
sinh = elementwise(np.sinh)
cosh = elementwise(np.cosh)
tanh = elementwise(np.tanh)
arcsinh = elementwise(np.arcsinh)
arccosh = elementwise(np.arccosh)
arctanh = elementwise(np.arctanh)
deg2rad = elementwise(np.deg2rad)
rad2deg = elementwise(np.rad2deg)
degrees = elementwise(np.degrees)
radians = elementwise(np.radians)
floor = elementwise(np.floor)
ceil = elementwise(np.ceil)
trunc = elementwise(np.trunc)
rint = elementwise(np.rint)
maximum = elementwise(np.maximum)
minimum = elementwise(np.minimum)
fmax = elementwise(np.fmax)
fmin = elementwise(np.fmin)
equal = elementwise(np.equal)
not_equal = elementwise(np.not_equal)
less = elementwise(np.less)
less_equal = elementwise(np.less_equal)
greater = elementwise(np.greater)
greater_equal = elementwise(np.greater_equal)
logical_and = elementwise(np.logical_and)
logical_or = elementwise(np.logical_or)
logical_xor = elementwise(np.logical_xor)
logical_not = elementwise(np.logical_not)
bitwise_and = elementwise(np.bitwise_and)
bitwise_or = elementwise(np.bitwise_or)
bitwise_xor = elementwise(np.bitwise_xor)
invert = elementwise(np.invert)
left_shift = elementwise(np.left_shift)
right_shift = elementwise(np.right_shift)
isnan = elementwise(np.isnan)
isinf = elementwise(np.isinf)
isfinite = elementwise(np.isfinite)
signbit = elementwise(np.signbit)
copysign = elementwise(np.copysign)
heaviside = elementwise(np.heaviside)
gcd = elementwise(np.gcd)
lcm = elementwise(np.lcm)


@parameterized
class Cast(ParameterizedOp):
    """Convert to another dtype, as ``ndarray.astype(dtype, casting="unsafe")``."""

    name = "cast"
    dtype: np.dtype[Any]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        if self.dtype not in DTYPE_NAMES:
            raise DTypeError(f"cast: dtype {self.dtype} is not supported")
        return (TensorType(self.dtype, operands[0].shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (operands[0].astype(self.dtype),)


class Where(Op):
    """Choose elementwise between two arrays of one dtype (``numpy.where`` with three arguments)."""

    name = "where"

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 3)
        condition, x, y = operands
        if condition.dtype != BOOL or x.dtype != y.dtype:
            raise DTypeError(
                f"where: takes bool and two equal dtypes, got {condition} {x} {y}"
            )
        try:
            return (TensorType(x.dtype, broadcast(condition.shape, x.shape, y.shape)),)
        except ShapeError as error:
            raise ShapeError(f"where: {error}") from None

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.where(*operands),)


where = register(Where())
