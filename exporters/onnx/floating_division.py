"""Floor division and remainder of floats, step by step as NumPy's ``npy_divmod``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx.legality import FLOAT32, HALVES
from exporters.onnx.signs import with_sign_of

if TYPE_CHECKING:
    from exporters.onnx.term import Term


def float_floor_divide(a: Term, b: Term) -> Term:
    """Return ``a // b``."""
    return float_divmod(a, b)[0]


def float_remainder(a: Term, b: Term) -> Term:
    """Return ``a % b``, with the divisor's sign."""
    dtype = a.dtype
    a, b = _single(a), _single(b)
    rest = a.emitter.apply("Mod:fmod", a, b)
    return _signed_rest(rest, b).to(dtype)


def float_divmod(a: Term, b: Term) -> tuple[Term, Term]:
    """Return quotient and remainder."""
    dtype = a.dtype
    a, b = _single(a), _single(b)
    rest = a.emitter.apply("Mod:fmod", a, b)
    plain = a / b
    wrong_sign = _wrong_sign(rest, b)
    near = (a - rest) / b
    near = wrong_sign.where(near - 1.0, near)
    floor = near.function("Floor")
    floor = (near - floor > 0.5).where(floor + 1.0, floor)
    quotient = b.equals(0.0).where(plain, floor)  # whose sign is that of a / b, also for zeros
    return with_sign_of(quotient, plain).to(dtype), _signed_rest(rest, b).to(dtype)


def _wrong_sign(rest: Term, b: Term) -> Term:
    return ~rest.equals(0.0) & ((b < 0.0) ^ (rest < 0.0))


def _signed_rest(rest: Term, b: Term) -> Term:
    """Move the rest to the divisor's side; one of 0 takes its sign, by 0 it is NaN already."""
    return with_sign_of(_wrong_sign(rest, b).where(rest + b, rest), b)


def _single(x: Term) -> Term:
    """Return halves as float32, where their remainders and quotients are exact."""
    return x.to(FLOAT32) if x.dtype in HALVES else x
