"""Idioms along axes: normalisations, reductions, sorting and matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.fusion.drawing import any_axis, chance, is_float, leaking, per_channel, pick

if TYPE_CHECKING:
    from tests.fusion.drawing import Array, Rng, Step


# --- normalisations and reductions -------------------------------------------------------------


def softmax(rng: Rng, x: Array) -> Step | None:
    if not is_float(x) or not x.ndim:
        return None
    axis = any_axis(rng, x)
    other = any_axis(rng, x) if chance(rng) else axis
    form, leak, keep = rng.integers(6), leaking(rng), chance(rng, 0.8)

    def step(x: Array, leaks: list[Array]) -> Array:
        largest = x.max(axis, keepdims=True) if keep else np.expand_dims(x.max(axis), axis)
        leak(leaks, largest)
        powers = np.exp(x - largest)
        leak(leaks, powers)
        total = powers.sum(axis=other, keepdims=True)
        if form == 0:
            return powers / total
        if form == 1:
            return powers * (1 / total)
        if form == 2:
            return x - largest - np.log(total)
        if form == 3:
            return np.log(powers / total)
        if form == 4:
            return largest + np.log(total)
        return np.argmax(powers / total, axis=axis).astype(x.dtype)

    return step


def layer_norm(rng: Rng, x: Array) -> Step | None:
    if not is_float(x) or not x.ndim:
        return None
    axis: Any = any_axis(rng, x)
    if x.ndim > 2 and chance(rng, 0.3):
        axis = pick(rng, (-2, -1), (1, 2), (0, 1))
    other = -1 if chance(rng) else axis
    epsilon, form, leak = (
        pick(rng, 1e-5, 1e-5, 1e-6, 1e-12, 1.0),
        rng.integers(6),
        leaking(rng),
    )
    scale, shift = per_channel(rng, x, 1, 0.5, 2), per_channel(rng, x, 0.1, -1)
    affine, centred = chance(rng, 0.6), chance(rng, 0.75)

    def step(x: Array, leaks: list[Array]) -> Array:
        mean = x.mean(axis=axis, keepdims=True)
        d = x - mean if centred else x
        leak(leaks, d)
        square = d**2 if form % 2 else d * d
        variance = (
            square.mean(axis=other, keepdims=True) if form < 5 else x.var(axis, keepdims=True)
        )
        leak(leaks, variance)
        if form < 2:
            y = d / np.sqrt(variance + epsilon)
        elif form == 2:
            y = d * (1 / np.sqrt(variance + epsilon))
        elif form == 3:
            y = d * (variance + epsilon) ** -0.5
        else:
            y = d / np.sqrt(epsilon + variance)
        return y * scale + shift if affine else y

    return step


def mean(rng: Rng, x: Array) -> Step | None:
    if not x.ndim:
        return None
    axis, form, keep = any_axis(rng, x), rng.integers(5), chance(rng, 0.6)
    count = x.shape[axis] + (1 if chance(rng) else 0)

    def step(x: Array, leaks: list[Array]) -> Array:
        if form == 0:
            return np.asarray(x.mean(axis, keepdims=keep))
        if form == 1:
            return np.asarray(x.sum(axis, keepdims=keep) / count)
        if form == 2:
            return np.asarray(x.sum(axis, keepdims=keep) * (1 / count))
        if form == 3:
            return x - np.expand_dims(x.mean(axis), axis)
        return np.asarray(x.std(axis, keepdims=keep))

    return step


def extreme(rng: Rng, x: Array) -> Step | None:
    if not x.ndim:
        return None
    axis, keep = any_axis(rng, x), chance(rng, 0.6)
    function = pick(rng, np.max, np.min, np.argmax, np.argmin)

    def step(x: Array, leaks: list[Array]) -> Array:
        return np.asarray(function(x, axis=axis, keepdims=keep))

    return step


def ordered(rng: Rng, x: Array) -> Step | None:
    if not x.ndim:
        return None
    axis, form = any_axis(rng, x), rng.integers(6)
    count = int(rng.integers(1, x.shape[axis] + 1))
    start, stop = (1, x.shape[axis]) if chance(rng) else (0, count)

    def part(x: Array) -> Array:
        key: list[Any] = [slice(None)] * x.ndim
        key[axis] = slice(start, stop)
        return x[tuple(key)]

    def step(x: Array, leaks: list[Array]) -> Array:
        if form == 0:
            return part(np.sort(x, axis))
        if form == 1:
            return part(np.argsort(x, axis, kind="stable"))
        if form == 2:
            return part(np.argsort(-x.astype("f4"), axis, kind="stable"))
        if form == 3:
            return np.take_along_axis(x, part(np.argsort(x, axis, kind="stable")), axis)
        if form == 4:
            return np.sort(x, axis)
        return np.flip(np.sort(x, axis), axis)

    return step


# --- products ----------------------------------------------------------------------------------


def product(rng: Rng, x: Array) -> Step | None:
    if not is_float(x) or not x.ndim:
        return None
    width, made = x.shape[-1], int(rng.integers(1, 5))
    weights = rng.standard_normal((width, made)).astype(x.dtype)
    turned = np.ascontiguousarray(weights.T)
    bias = pick(
        rng,
        rng.standard_normal(made).astype(x.dtype),
        rng.standard_normal((1, made)).astype(x.dtype),
        rng.standard_normal((2, 1, made)).astype(x.dtype),
        x.dtype.type(0.5),
    )
    row = per_channel(rng, x, 0.5, 2, 1.5)
    form, leak, relu = rng.integers(6), leaking(rng), chance(rng, 0.4)

    def step(x: Array, leaks: list[Array]) -> Array:
        if form == 0:
            y = x @ weights
        elif form == 1:
            y = x @ turned.T + bias
        elif form == 2 and x.ndim == 2:
            y = (weights.T @ x.T).T + bias
        elif form == 3:
            y = (x - row) @ weights + bias
        elif form == 4:
            y = (x * row) @ weights + bias
        else:
            y = x @ weights
            leak(leaks, y)
            y = bias + y
        return np.maximum(y, 0) if relu else y

    return step


IDIOMS = (softmax, layer_norm, mean, extreme, ordered, product)
