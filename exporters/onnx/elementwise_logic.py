"""Comparisons, logic, bits and the questions asked of floats, element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.legality import INT64, UINT32, UINT64
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.signs import sign_bit, with_sign_of
from ir.ops import elementwise as ew
from ir.types import BOOL, FLOATING, UNSIGNED

if TYPE_CHECKING:
    from collections.abc import Callable

    from exporters.onnx.term import Term
    from ir.ops.base import Op


# --- comparisons --------------------------------------------------------------------------


_COMPARE: dict[Op, Callable[[Term, Term], Term]] = {
    ew.equal: lambda a, b: a.equals(b),
    ew.not_equal: lambda a, b: ~a.equals(b),
    ew.less: lambda a, b: a < b,
    ew.less_equal: lambda a, b: a <= b,
    ew.greater: lambda a, b: a > b,
    ew.greater_equal: lambda a, b: a >= b,
}
_HOLDS_BELOW = frozenset((ew.not_equal, ew.less, ew.less_equal))
_HOLDS_ABOVE = frozenset((ew.not_equal, ew.greater, ew.greater_equal))


@lowers(*_COMPARE)
def compare(context: Context, a: Term, b: Term) -> Term:
    """One comparison; int64 against uint64 first asks whether the signed one is negative."""
    op = context.node.op
    if a.dtype == b.dtype:
        return _COMPARE[op](a, b)
    holds = _COMPARE[op](a.to(UINT64), b.to(UINT64))
    negative = (a if a.dtype == INT64 else b) < 0
    holds_if_negative = op in (_HOLDS_BELOW if a.dtype == INT64 else _HOLDS_ABOVE)
    return negative | holds if holds_if_negative else ~negative & holds


# --- logic and bits -----------------------------------------------------------------------


@lowers(ew.logical_and)
def logical_and(context: Context, a: Term, b: Term) -> Term:
    """Truth of numbers is being nonzero (so NaN holds), which is what a cast to bool asks."""
    return a.to(BOOL) & b.to(BOOL)


@lowers(ew.logical_or)
def logical_or(context: Context, a: Term, b: Term) -> Term:
    """As :func:`logical_and`."""
    return a.to(BOOL) | b.to(BOOL)


@lowers(ew.logical_xor)
def logical_xor(context: Context, a: Term, b: Term) -> Term:
    """As :func:`logical_and`."""
    return a.to(BOOL) ^ b.to(BOOL)


@lowers(ew.logical_not)
def logical_not(context: Context, x: Term) -> Term:
    """As :func:`logical_and`."""
    return ~x.to(BOOL)


@lowers(ew.bitwise_and)
def bitwise_and(context: Context, a: Term, b: Term) -> Term:
    """Logical on bools."""
    return a & b


@lowers(ew.bitwise_or)
def bitwise_or(context: Context, a: Term, b: Term) -> Term:
    """Logical on bools."""
    return a | b


@lowers(ew.bitwise_xor)
def bitwise_xor(context: Context, a: Term, b: Term) -> Term:
    """Logical on bools."""
    return a ^ b


@lowers(ew.invert)
def invert(context: Context, x: Term) -> Term:
    """Logical on bools; on integers -1 - x, which older opsets have too."""
    if x.dtype == BOOL:
        return ~x
    ones = np.iinfo(x.dtype).max if x.dtype in UNSIGNED else -1
    return x.like(ones) - x


@lowers(ew.left_shift, ew.right_shift)
def shift(context: Context, x: Term, amount: Term) -> Term:
    """Unsigned shifts of 32 or 64 bits.

    Amounts of the width or more, and negative ones, leave 0 (or -1 for a negative number going
    right). A negative number goes right as the complement of its complement.
    """
    left = context.node.op is ew.left_shift
    wide = UINT64 if x.dtype.itemsize == 8 else UINT32
    width = 8 * wide.itemsize
    bits = x if left or x.dtype in UNSIGNED else (x < 0).where(x.like(-1) - x, x)
    shifted = _shifted(context, bits.to(wide), amount, width, "left" if left else "right")
    result = shifted.to(x.dtype)
    if left or x.dtype in UNSIGNED:
        return result
    return (x < 0).where(result.like(-1) - result, result)


def _shifted(context: Context, bits: Term, amount: Term, width: int, direction: str) -> Term:
    known = context.known(1)
    wide = amount.to(bits.dtype)
    if known is not None and known.size and known.min() >= 0 and known.max() < width:
        return context.emitter.apply(f"BitShift:{direction}", bits, wide)
    inside = context.emitter.apply(f"BitShift:{direction}", bits, wide.minimum(width - 1))
    return (wide < width).where(inside, inside.like(0))


# --- questions asked of floats ------------------------------------------------------------


@lowers(ew.isnan, ew.isinf)
def is_special(context: Context, x: Term) -> Term:
    """No integer is NaN or infinite."""
    if x.dtype not in FLOATING:
        return ~x.equals(x)
    return x.is_nan() if context.node.op is ew.isnan else x.is_inf()


@lowers(ew.isfinite)
def isfinite(context: Context, x: Term) -> Term:
    """NaN and infinity are not below infinity."""
    return abs(x) < np.inf if x.dtype in FLOATING else x.equals(x)


@lowers(ew.signbit)
def signbit(context: Context, x: Term) -> Term:
    """From the bits where the opset can read them, else from the reciprocal."""
    return sign_bit(x)


@lowers(ew.copysign)
def copysign(context: Context, size: Term, sign: Term) -> Term:
    """The first operand's magnitude under the second's sign."""
    return with_sign_of(size, sign)


@lowers(ew.where)
def where(context: Context, condition: Term, chosen: Term, other: Term) -> Term:
    """ONNX ``Where``, arranged to keep every -0.0 (see :meth:`Term.where`)."""
    if chosen.dtype not in FLOATING or not context.emitter.onnxruntime:
        return condition.where(chosen, other)
    if _has_no_negative_zero(context.known(1)):
        return condition.where(chosen, other)
    if _has_no_negative_zero(context.known(2)):
        return condition.flipped().where(other, chosen)
    return condition.select(chosen, other)


def _has_no_negative_zero(array: np.ndarray[Any, Any] | None) -> bool:
    return array is not None and not bool(np.any((array == 0) & np.signbit(array)))
