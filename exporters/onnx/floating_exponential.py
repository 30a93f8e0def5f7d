"""Exponentials, logarithms, roots and powers that ONNX lacks, accurate to a few ulp."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from exporters.onnx.legality import FLOAT32, FLOAT64, HALVES
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.signs import with_sign_of
from ir.ops import elementwise as ew

if TYPE_CHECKING:
    from collections.abc import Callable

    from exporters.onnx.term import Term
    from ir.ops.base import Op

_SMALLEST_NORMAL = {FLOAT32: 2.0**-126, FLOAT64: 2.0**-1022}


def rounded_once(formula: Callable[..., Term]) -> Callable[..., Term]:
    """Let a formula of floats compute halves in float32 and round the result once."""

    def rule(context: Context, *operands: Term) -> Term:
        dtype = operands[0].dtype
        if dtype not in HALVES:
            return formula(*operands)
        return formula(*(operand.to(FLOAT32) for operand in operands)).to(dtype)

    return rule


def lowers_formula(*ops: Op) -> Callable[[Callable[..., Term]], Callable[..., Term]]:
    """Declare a formula of float operands as the rule of ops."""

    def register(formula: Callable[..., Term]) -> Callable[..., Term]:
        lowers(*ops)(rounded_once(formula))
        return formula

    return register


@lowers_formula(ew.exp2)
def exp2(x: Term) -> Term:
    """A power, which the C library computes to within an ulp."""
    return x.like(2.0).power(x)


@lowers_formula(ew.expm1)
def expm1(x: Term) -> Term:
    """Kahan's: the error of ``exp(x) - 1`` is that of ``log(exp(x))`` and divides out."""
    x = x.maximum(-50.0)  # from there on it is -1, and x stays finite
    power = x.function("Exp")
    ratio = (power - 1.0) / power.function("Log")
    ratio = power.is_inf().where(power, ratio)
    return x * power.equals(1.0).where(1.0, ratio)


@lowers_formula(ew.log1p)
def log1p(x: Term) -> Term:
    """Kahan's: ``log(1 + x)`` times what rounding ``1 + x`` lost."""
    above = x + 1.0
    ratio = above.function("Log") / (above - 1.0)
    unchanged = above.equals(1.0) | above.equals(math.inf)
    return x * unchanged.where(1.0, ratio)


@lowers_formula(ew.log2)
def log2(x: Term) -> Term:
    """Exact at powers of two, where the quotient of logarithms may be off by an ulp."""
    return _logarithm(x, 2.0)


@lowers_formula(ew.log10)
def log10(x: Term) -> Term:
    """Exact at powers of ten."""
    return _logarithm(x, 10.0)


def _logarithm(x: Term, base: float) -> Term:
    quotient = x.function("Log") * (1.0 / math.log(base))
    whole = quotient.function("Round")
    # below the normal numbers several powers round to one
    exact = x.like(base).power(whole).equals(x) & (x > _SMALLEST_NORMAL[x.dtype])
    return exact.where(whole, quotient)


@lowers_formula(ew.logaddexp)
def logaddexp(a: Term, b: Term) -> Term:
    """The larger one plus a small correction, so that nothing overflows."""
    correction = log1p((-abs(a - b)).function("Exp"))
    return a.equals(b).where(a + math.log(2.0), a.maximum(b) + correction)


@lowers_formula(ew.logaddexp2)
def logaddexp2(a: Term, b: Term) -> Term:
    """As :func:`logaddexp`, to base two."""
    correction = log1p(a.like(2.0).power(-abs(a - b))) * (1.0 / math.log(2.0))
    return a.equals(b).where(a + 1.0, a.maximum(b) + correction)


@lowers_formula(ew.cbrt)
def cbrt(x: Term) -> Term:
    """A power and one Newton step, under the operand's sign."""
    size = abs(x)
    root = size.power(1.0 / 3.0)
    root = root - (root - size / (root * root)) / 3.0
    unchanged = size.equals(0.0) | size.is_inf()
    return with_sign_of(unchanged.where(size, root), x)


@lowers_formula(ew.hypot)
def hypot(a: Term, b: Term) -> Term:
    """No overflow and no underflow: in float64, or scaled by the larger operand."""
    infinite = a.is_inf() | b.is_inf()
    if a.dtype == FLOAT32:
        x, y = a.to(FLOAT64), b.to(FLOAT64)
        length = (x * x + y * y).function("Sqrt").to(FLOAT32)
    else:
        x, y = abs(a), abs(b)
        large, small = x.maximum(y), x.minimum(y)
        ratio = small / large.equals(0.0).where(1.0, large)
        length = large * (ratio * ratio + 1.0).function("Sqrt")
    return infinite.where(math.inf, length)
