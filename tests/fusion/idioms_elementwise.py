"""Idioms element by element: activations, bounds, choices, scales and casts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.special

from tests.fusion.drawing import chance, is_float, leaking, number, per_channel, pick

if TYPE_CHECKING:
    from tests.fusion.drawing import Array, Rng, Step


# --- activations and bounds --------------------------------------------------------------------


def sigmoid(rng: Rng, x: Array) -> Step | None:
    if not is_float(x):
        return None
    one, other, leak, form = (
        number(rng, x, 1),
        number(rng, x, 1),
        leaking(rng),
        rng.integers(4),
    )

    def step(x: Array, leaks: list[Array]) -> Array:
        power = np.exp(-x)
        leak(leaks, power)
        if form == 0:
            return np.where(x >= 0, one / (other + power), np.exp(x) / (one + np.exp(x)))
        if form == 1:
            return np.reciprocal(other + power)
        if form == 2:
            return x * (one / (other + power))
        return one / (other + power)

    return step


def gelu(rng: Rng, x: Array) -> Step | None:
    if not is_float(x):
        return None
    half, one = number(rng, x, 0.5), number(rng, x, 1)
    root = number(rng, x, math.sqrt(2 / math.pi), 0.7978845608, 0.8)
    c, form, by_erf, leak = (
        number(rng, x, 0.044715),
        rng.integers(4),
        chance(rng, 0.5),
        leaking(rng),
    )
    wide = x.dtype.type(math.sqrt(2))

    def step(x: Array, leaks: list[Array]) -> Array:
        if by_erf:
            inner = scipy.special.erf(x / wide)
        else:
            inner = np.tanh(root * (x + c * (x**3 if form % 2 else x * x * x)))
        leak(leaks, inner)
        if form == 0:
            return half * x * (one + inner)
        if form == 1:
            return half * (x * (one + inner))
        if form == 2:
            return x * (one + inner) / 2
        return x * (half * (inner + one))

    return step


def bounds(rng: Rng, x: Array) -> Step | None:
    low, high = number(rng, x, 0, 0, -1, 3), number(rng, x, 6, 6, 1, -2)
    form, leak = rng.integers(7), leaking(rng)

    def step(x: Array, leaks: list[Array]) -> Array:
        if form == 0:
            return np.maximum(x, low)
        if form == 1:
            return np.clip(x, low, high)
        if form == 2:
            inner = np.maximum(low, x)
            leak(leaks, inner)
            return np.minimum(inner, high)
        if form == 3:
            return np.maximum(np.minimum(x, high), low)
        if form == 4:
            return np.minimum(x, high)
        if form == 5:
            return x * np.clip(x + 3, low, high) / 6
        return np.where(np.isnan(x) if is_float(x) else x > 3, x, low)

    return step


def choice(rng: Rng, x: Array) -> Step | None:
    zero, alpha = number(rng, x, 0, 0, 0, 1), number(rng, x, 0.1, 0.25, 0.01, -0.5, 2)
    form, compare = rng.integers(7), pick(rng, np.greater, np.greater_equal)
    less, leak = pick(rng, np.less, np.less_equal), leaking(rng)
    if x.dtype.kind == "u":
        alpha = 2

    def step(x: Array, leaks: list[Array]) -> Array:
        if form == 0:
            return np.where(compare(x, zero), x, alpha * x)
        if form == 1:
            scaled = x * alpha
            leak(leaks, scaled)
            return np.where(less(x, zero), scaled, x)
        if form == 2:
            return np.maximum(x, x * alpha)
        if form == 3:
            return np.where(less(x, zero), -x, x)
        if form == 4:
            return np.where(compare(x, zero), x, zero)
        if form == 5:
            return x * (x > zero)
        return np.where(compare(x, zero), alpha * x, x)

    return step


def looks_at_zero(rng: Rng, x: Array) -> Step | None:
    if not is_float(x):
        return None
    form = rng.integers(7)

    def step(x: Array, leaks: list[Array]) -> Array:
        if form == 0:
            return 1 / x
        if form == 1:
            return np.signbit(x).astype(x.dtype)
        if form == 2:
            return np.copysign(np.ones_like(x), x)
        if form == 3:
            return np.rint(x)
        if form == 4:
            return np.where(np.arctan2(x, -np.ones_like(x)) > 0, x, np.abs(x))
        if form == 5:
            return (np.floor_divide(np.ones_like(x), x) > 0).astype(x.dtype)
        return np.sqrt(np.abs(x))

    return step


# --- scales and shifts -------------------------------------------------------------------------


def scaling(rng: Rng, x: Array) -> Step | None:
    target = np.dtype(pick(rng, x.dtype, "f4", "f4", "f8")) if not is_float(x) else x.dtype
    wide = x.astype(target) if target.kind == "f" else x
    if target.kind != "f":
        return None
    ops: list[tuple[Any, Any, bool]] = []
    for _ in range(int(rng.integers(1, 6))):
        op = pick(rng, np.add, np.subtract, np.multiply, np.divide)
        constant = per_channel(rng, wide, 0.5, 2, -1.5, 1 / 255, 0.485, 3)
        first = not chance(rng, 0.25) or op is np.divide
        ops.append((op, constant, first))
    narrowed, leak = chance(rng) and target == np.float64, leaking(rng)

    def step(x: Array, leaks: list[Array]) -> Array:
        y = x.astype(target)
        for op, constant, first in ops:
            leak(leaks, y)
            y = op(y, constant) if first else op(constant, y)
        return y.astype(np.float32) if narrowed else y

    return step


def casting(rng: Rng, x: Array) -> Step | None:
    targets = ("f4", "f8", "f2", "i8", "i4") if is_float(x) else ("f4", "f8", "u1", "i8", "?")
    chain = [pick(rng, *targets) for _ in range(int(rng.integers(1, 3)))]
    if is_float(x):
        chain = [pick(rng, "f8", "f4", x.dtype.str)]

    def step(x: Array, leaks: list[Array]) -> Array:
        for dtype in chain:
            x = x.astype(dtype)
        return x.astype("f4") if x.dtype.kind == "b" else x

    return step


IDIOMS = (
    *(sigmoid, gelu, bounds, bounds, choice, choice, looks_at_zero),
    *(scaling, scaling, casting),
)
