"""Arithmetic, rounding and selection, element by element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from exporters.onnx.legality import INT32, INT64
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.signs import with_sign_of
from ir.ops import elementwise as ew
from ir.types import BFLOAT16, BOOL, FLOATING, UNSIGNED

if TYPE_CHECKING:
    from exporters.onnx.term import Term


@lowers(ew.add, ew.maximum, ew.fmax)
def add_or_maximum(context: Context, a: Term, b: Term) -> Term:
    """Bools add, and have as their maximum, the logical or."""
    if a.dtype == BOOL:
        return a | b
    if context.node.op is ew.add:
        return a + b
    if context.node.op is ew.fmax and a.dtype in FLOATING:
        a, b = _without_lone_nan(a, b, -math.inf)
    return a.maximum(b)


@lowers(ew.multiply, ew.minimum, ew.fmin)
def multiply_or_minimum(context: Context, a: Term, b: Term) -> Term:
    """Bools multiply, and have as their minimum, the logical and."""
    if a.dtype == BOOL:
        return a & b
    if context.node.op is ew.multiply:
        return a * b
    if context.node.op is ew.fmin and a.dtype in FLOATING:
        a, b = _without_lone_nan(a, b, math.inf)
    return a.minimum(b)


def _without_lone_nan(a: Term, b: Term, loser: float) -> tuple[Term, Term]:
    """Replace a NaN that meets a number by what loses against every number."""
    nan, other_nan = a.is_nan(), b.is_nan()
    return nan.where(loser, a), (other_nan & ~nan).where(loser, b)


@lowers(ew.sign)
def sign(context: Context, x: Term) -> Term:
    """ONNX ``Sign``; that of a bfloat16 -0.0 is -0.0. Of int64 two comparisons, if need be."""
    if x.dtype == INT64 and context.emitter.legality.faulty("Sign", INT64):
        return (x > 0).to(INT64) - (x < 0).to(INT64)
    found = x.function("Sign")
    return with_sign_of(found, x) if x.dtype == BFLOAT16 else found


@lowers(ew.negative)
def negative(context: Context, x: Term) -> Term:
    """Unsigned integers wrap around: 0 - x."""
    return x.like(0) - x if x.dtype in UNSIGNED else -x


@lowers(ew.positive)
def positive(context: Context, x: Term) -> Term:
    """The operand itself."""
    return x


@lowers(ew.absolute)
def absolute(context: Context, x: Term) -> Term:
    """Bools are their own absolute value."""
    return x if x.dtype == BOOL else abs(x)


@lowers(ew.square)
def square(context: Context, x: Term) -> Term:
    """A product, which is exact for integers where Pow is not."""
    return x * x


@lowers(ew.reciprocal)
def reciprocal(context: Context, x: Term) -> Term:
    """Of integers only -1 and 1 have one; others give 0, and 0 what C makes of infinity."""
    if x.dtype in FLOATING:
        return x.function("Reciprocal")
    unit = x.equals(1) if x.dtype in UNSIGNED else abs(x).equals(1)
    of_zero = {INT32: -(2**31), INT64: -(2**63)}.get(x.dtype, 0)
    return unit.where(x, x.equals(0).where(of_zero, x.like(0)))


@lowers(ew.floor, ew.ceil)
def floor_or_ceil(context: Context, x: Term) -> Term:
    """Integers and bools are whole already."""
    if x.dtype not in FLOATING:
        return x
    return x.function("Floor" if context.node.op is ew.floor else "Ceil")


@lowers(ew.trunc)
def trunc(context: Context, x: Term) -> Term:
    """Towards zero, keeping -0.0."""
    if x.dtype not in FLOATING:
        return x
    return with_sign_of(abs(x).function("Floor"), x)


@lowers(ew.heaviside)
def heaviside(context: Context, x: Term, at_zero: Term) -> Term:
    """0 below zero, 1 above, the second operand at zero, NaN for NaN."""
    one = x.like(1)
    step = (x < 0).where(x.like(0), x.is_nan().where(x, one))
    return x.equals(0).flipped().where(step, at_zero)


@lowers(ew.deg2rad, ew.radians)
def deg2rad(context: Context, x: Term) -> Term:
    """A product with one rounded constant, as NumPy's."""
    return x * (math.pi / 180)


@lowers(ew.rad2deg, ew.degrees)
def rad2deg(context: Context, x: Term) -> Term:
    """A product with one rounded constant, as NumPy's."""
    return x * (180 / math.pi)


@lowers(ew.Cast)
def cast(context: Context, x: Term) -> Term:
    """Conversion as the runtime does it, which is C's, as is NumPy's."""
    op = context.node.op
    assert isinstance(op, ew.Cast)
    return x.to(op.dtype)
