"""Trigonometric functions, with float64 forms for a runtime that has only float32 kernels.

The float64 forms are classical: argument reduction to a short interval (Cody and Waite's
split of pi/2), then a rational minimax approximation with the coefficients of Cephes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from exporters.onnx.floating_exponential import lowers_formula
from exporters.onnx.signs import sign_bit, times_sign_of, with_sign_of
from ir.ops import elementwise as ew

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exporters.onnx.term import Term

_HALF_PI_LOW = 6.123233995736765886130e-17
"""What float64's pi/2 lacks."""

_HALF_PI_PARTS = (
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624879595063154e-21,
)
"""pi/2 in parts of 33 bits, so that multiples up to 2**20 are exact."""

_REDUCIBLE = 1e6

_ATAN_P = (
    -8.750608600031904122785e-1,
    -1.615753718733365076637e1,
    -7.500855792314704667340e1,
    -1.228866684490136173410e2,
    -6.485021904942025371773e1,
)
_ATAN_Q = (
    1.0,
    2.485846490142306297962e1,
    1.650270098316988542046e2,
    4.328810604912902668951e2,
    4.853903996359136964868e2,
    1.945506571482613964425e2,
)
_TAN_P = (-1.30936939181383734205e4, 1.15351664838587416140e6, -1.79565251976484877988e7)
_TAN_Q = (
    1.0,
    1.36812963470692954678e4,
    -1.32089234440210967447e6,
    2.50083801823357915839e7,
    -5.38695755929454629881e7,
)


def polynomial(x: Term, coefficients: Sequence[float]) -> Term:
    """Evaluate by Horner's rule, the highest power first."""
    first, *rest = coefficients
    total = x.like(first)
    for coefficient in rest:
        total = total * x + coefficient
    return total


def _native(op_type: str, x: Term) -> bool:
    return x.emitter.runs(op_type, x.dtype)


@lowers_formula(ew.cos)
def cos(x: Term) -> Term:
    """Older runtimes lack float64: the sine of ``x + pi/2``, with the sum's rounding error."""
    if _native("Cos", x):
        return x.function("Cos")
    total = x + math.pi / 2
    back = total - x
    lost = (x - (total - back)) + (math.pi / 2 - back) + _HALF_PI_LOW
    sine, half_sine = total.function("Sin"), (total * 0.5).function("Sin")
    cosine = 1.0 - (half_sine * half_sine) * 2.0
    half_lost = (lost * 0.5).function("Sin")
    return sine * (1.0 - half_lost * half_lost * 2.0) + cosine * lost.function("Sin")


@lowers_formula(ew.tan)
def tan(x: Term) -> Term:
    """Reduced by multiples of pi/2; very large angles as sine over cosine."""
    if _native("Tan", x):
        return x.function("Tan")
    size = abs(x)
    turns = (size * (2 / math.pi)).function("Round")
    rest = size
    for part in _HALF_PI_PARTS:
        rest = rest - turns * part
    square = rest * rest
    ratio = polynomial(square, _TAN_P) / polynomial(square, _TAN_Q)
    tangent = rest + rest * (square * ratio)
    half = turns * 0.5
    odd = ~half.function("Floor").equals(half)
    tangent = odd.where(-1.0 / tangent, tangent)
    near = size < _REDUCIBLE
    tangent = near.where(tangent, size.function("Sin") / cos(size))
    return times_sign_of(tangent, x)


@lowers_formula(ew.arctan)
def arctan(x: Term) -> Term:
    """Reduced to [-0.66, 0.66] by the addition theorem."""
    if _native("Atan", x):
        return x.function("Atan")
    size = abs(x)
    return with_sign_of(_arctan_of_size(size), x)


def _arctan_of_size(size: Term) -> Term:
    far, middle = size > 2.41421356237309504880, size > 0.66
    reduced = middle.where((size - 1.0) / (size + 1.0), size)
    reduced = far.where(-1.0 / size, reduced)
    square = reduced * reduced
    ratio = polynomial(square, _ATAN_P) / polynomial(square, _ATAN_Q)
    angle = reduced + reduced * (square * ratio)
    # pi/4 or pi/2 in two parts, the small one first
    low = far.where(_HALF_PI_LOW, middle.where(_HALF_PI_LOW / 2, size.like(0.0)))
    high = far.where(math.pi / 2, middle.where(math.pi / 4, size.like(0.0)))
    return high + (angle + low)


@lowers_formula(ew.arcsin)
def arcsin(x: Term) -> Term:
    """``atan(x / sqrt(1 - x*x))``, the root taken of exact factors."""
    if _native("Asin", x):
        return x.function("Asin")
    return arctan(x / ((1.0 - x) * (1.0 + x)).function("Sqrt"))


@lowers_formula(ew.arccos)
def arccos(x: Term) -> Term:
    """``2*atan(sqrt((1 - x)/(1 + x)))``, accurate at both ends."""
    if _native("Acos", x):
        return x.function("Acos")
    return arctan(((1.0 - x) / (1.0 + x)).function("Sqrt")) * 2.0


@lowers_formula(ew.arctan2)
def arctan2(y: Term, x: Term) -> Term:
    """The angle in the first octant, then mirrored by the signs, those of zeros included."""
    tall, wide = abs(y), abs(x)
    large, small = tall.maximum(wide), tall.minimum(wide)
    ratio = small / large.equals(0.0).where(1.0, large)
    ratio = small.is_inf().where(1.0, ratio)
    angle = arctan(ratio)
    angle = (tall > wide).where(math.pi / 2 - (angle - _HALF_PI_LOW), angle)
    angle = sign_bit(x).where(math.pi - (angle - 2 * _HALF_PI_LOW), angle)
    return with_sign_of(angle, y)
