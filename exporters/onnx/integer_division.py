"""Division of integers and floats with NumPy's rounding, signs and answers for a divisor of 0.

An integer division by zero stops ONNX Runtime, and the smallest integer by -1 ends the
process: such divisors are replaced before the node, unless it is a constant without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx.floating_division import float_divmod, float_floor_divide, float_remainder
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.nonnegative import is_nonnegative
from ir.ops import elementwise as ew
from ir.types import FLOATING, UNSIGNED

if TYPE_CHECKING:
    from exporters.onnx.term import Term


class _Divisor:
    """A divisor made safe, and which of its elements were not."""

    def __init__(self, context: Context, b: Term) -> None:
        known = context.known(1)
        unsigned = b.dtype in UNSIGNED
        self.zero = None if known is not None and (known != 0).all() else b.equals(0)
        no_minus = unsigned or (known is not None and (known != -1).all())
        self.minus = None if no_minus else b.equals(-1)
        unsafe = [flag for flag in (self.zero, self.minus) if flag is not None]
        self.safe = b
        if unsafe:
            flag = unsafe[0] if len(unsafe) == 1 else unsafe[0] | unsafe[1]
            self.safe = flag.where(b.like(1), b)

    def quotient(self, a: Term, safe: Term) -> Term:
        """Return the quotient for every divisor, given that of the safe ones."""
        if self.minus is not None:
            safe = self.minus.where(a.like(0) - a, safe)
        return safe if self.zero is None else self.zero.where(safe.like(0), safe)


def _floored(context: Context, a: Term, divisor: _Divisor) -> Term:
    safe = divisor.safe
    quotient = a / safe
    signed = a.dtype not in UNSIGNED
    if signed and not all(is_nonnegative(v, context.inputs) for v in context.node.inputs):
        inexact = ~(quotient * safe).equals(a)
        below = inexact & ((a < 0) ^ (safe < 0))
        quotient = quotient - below.to(a.dtype)
    return divisor.quotient(a, quotient)


@lowers(ew.floor_divide)
def floor_divide(context: Context, a: Term, b: Term) -> Term:
    """Rounded down; 0 for a divisor of 0, wrapped for the smallest integer by -1."""
    if a.dtype in FLOATING:
        return float_floor_divide(a, b)
    return _floored(context, a, _Divisor(context, b))


@lowers(ew.remainder)
def remainder(context: Context, a: Term, b: Term) -> Term:
    """With the divisor's sign; 0 for a divisor of 0, which is the remainder by 1."""
    if a.dtype in FLOATING:
        return float_remainder(a, b)
    return context.emitter.apply("Mod", a, _Divisor(context, b).safe)


@lowers(ew.fmod)
def fmod(context: Context, a: Term, b: Term) -> Term:
    """With the dividend's sign; 0 for an integer divisor of 0."""
    safe = b if a.dtype in FLOATING else _Divisor(context, b).safe
    if context.emitter.legality.faulty("Mod:fmod", a.dtype):
        return a - a / safe * safe
    return context.emitter.apply("Mod:fmod", a, safe)


@lowers(ew.divmod_)
def divide_with_remainder(context: Context, a: Term, b: Term) -> tuple[Term, Term]:
    """Both at once."""
    if a.dtype in FLOATING:
        return float_divmod(a, b)
    divisor = _Divisor(context, b)
    return _floored(context, a, divisor), context.emitter.apply("Mod", a, divisor.safe)
