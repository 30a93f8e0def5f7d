"""Integer powers, greatest common divisors and least common multiples, modulo 2**bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.legality import INT32, INT64, UINT32, UINT64
from exporters.onnx.loops import any_of, while_loop
from exporters.onnx.lowering import Context, lowers
from ir.ops import elementwise as ew
from ir.types import FLOATING, SIGNED

if TYPE_CHECKING:
    from exporters.onnx.term import Term


@lowers(ew.power)
def power(context: Context, base: Term, exponent: Term) -> Term:
    """Floats as ONNX ``Pow``; integers by repeated squaring, which wraps around as NumPy's.

    NumPy refuses negative integer exponents: so does the export of a constant one, while those
    that only arrive at run time stop the model.
    """
    if base.dtype in FLOATING:
        return base.power(exponent)
    known = context.known(1)
    if known is not None and known.size and known.min() < 0:
        raise context.refuse(
            "integers to negative integer powers have no integer value",
            "raise a float: np.power(x.astype(np.float64), exponent)",
        )
    ring = INT64 if base.dtype.itemsize == 8 else INT32
    x = base.to(ring)
    if known is not None and known.size and (known == known.flat[0]).all():
        result = _to_the(x, int(known.flat[0]))
        if known.ndim:  # keep the exponent's part in the broadcast
            result = result + exponent.to(ring) * 0
        return result.to(base.dtype)
    return _by_squaring(x, _non_negative(exponent) if known is None else exponent).to(
        base.dtype
    )


def _to_the(x: Term, exponent: int) -> Term:
    """Return ``x**exponent`` for a known exponent."""
    result: Term | None = None
    square = x
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return x * 0 + 1 if result is None else result


def _by_squaring(x: Term, exponent: Term) -> Term:
    unsigned = exponent.to(UINT64 if exponent.dtype == UINT64 else INT64)

    def holds(result: Term, square: Term, rest: Term) -> Term:
        return any_of(rest > 0)

    def step(result: Term, square: Term, rest: Term) -> tuple[Term, ...]:
        half = rest / 2
        odd = ~(half + half).equals(rest)
        return result * odd.where(square, square.like(1)), square * square, half

    one = x * 0 + 1 + (unsigned * 0).to(x.dtype)
    return while_loop(x.emitter, (one, x, unsigned), holds, step)[0]


def _non_negative(exponent: Term) -> Term:
    """Return the exponent from a node that fails where one is negative: Range by step 0."""
    if exponent.dtype not in SIGNED:
        return exponent
    emitter = exponent.emitter
    step = (~any_of(exponent < 0)).to(INT64)
    zero, one = emitter.constant(0, INT64), emitter.constant(1, INT64)
    checked = emitter.node("Squeeze", emitter.node("Range", zero, one, step))
    return exponent.to(INT64) + checked


@lowers(ew.gcd)
def gcd(context: Context, a: Term, b: Term) -> Term:
    """Euclid's algorithm on magnitudes, as many steps as the slowest element needs."""
    return _euclid(_magnitude(a), _magnitude(b)).to(a.dtype)


@lowers(ew.lcm)
def lcm(context: Context, a: Term, b: Term) -> Term:
    """``a / gcd * b`` on magnitudes; 0 where either is."""
    x, y = _magnitude(a), _magnitude(b)
    common = _euclid(x, y)
    safe = common.equals(0).where(common.like(1), common)
    return (x / safe * y).to(a.dtype)


def _magnitude(x: Term) -> Term:
    wide = UINT64 if x.dtype.itemsize == 8 else UINT32
    if x.dtype not in SIGNED:
        return x.to(wide)
    size = abs(x)  # the smallest integer stays itself, which as unsigned is its magnitude
    return size.to(np.dtype(f"u{x.dtype.itemsize}")).to(wide)


def _euclid(x: Term, y: Term) -> Term:
    def holds(a: Term, b: Term) -> Term:
        return any_of(~b.equals(0))

    def step(a: Term, b: Term) -> tuple[Term, ...]:
        done = b.equals(0)
        rest = a.emitter.apply("Mod", a, done.where(b.like(1), b))
        return done.where(a, b), rest

    both = x * 0 + y * 0  # operands that broadcast meet before the loop
    return while_loop(x.emitter, (x + both, y + both), holds, step)[0]
