"""Idioms that move data, or slide windows over it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.fusion.drawing import chance, is_float, leaking, number, pick

if TYPE_CHECKING:
    from tests.fusion.drawing import Array, Rng, Step


# --- movements ---------------------------------------------------------------------------------


def movement(rng: Rng, x: Array) -> Step | None:
    if not x.ndim:
        return None
    order = tuple(int(a) for a in rng.permutation(x.ndim))
    axis, form = int(rng.integers(x.ndim)), rng.integers(7)
    size = x.shape[axis]
    start, step_by = int(rng.integers(0, max(size // 2, 1))), pick(rng, 1, 1, 2, -1)
    key: tuple[Any, ...] = (slice(None),) * axis + (slice(start, None, step_by),)
    if step_by < 0:
        key = (*key[:-1], slice(None, None, -1))
    widths = [(int(rng.integers(3)), int(rng.integers(3))) for _ in range(x.ndim)]
    fill = pick(rng, 0, 0, 1)

    def step(x: Array, leaks: list[Array]) -> Array:
        if form == 0:
            return x.transpose(order)
        if form == 1:
            return x[key]
        if form == 2:
            return np.pad(x, widths, constant_values=fill)
        if form == 3:
            return x.transpose(order).reshape(-1, x.shape[order[-1]])
        if form == 4:
            return x.reshape((*x.shape, 1))[..., 0]
        if form == 5:
            return np.roll(x, start + 1, axis)
        return np.expand_dims(x, axis).repeat(2, axis).reshape(-1)

    return step


def joining(rng: Rng, x: Array) -> Step | None:
    if not x.ndim:
        return None
    axis, form = int(rng.integers(x.ndim)), rng.integers(3)
    first = int(rng.integers(x.shape[axis]))

    def step(x: Array, leaks: list[Array]) -> Array:
        part = x[(slice(None),) * axis + (slice(first, None),)]
        if form == 0:
            return np.concatenate([x, part], axis)
        if form == 1:
            return np.concatenate([np.concatenate([part, x], axis), part], axis)
        return np.stack([x, x[::-1]], axis)

    return step


def indices(rng: Rng, x: Array) -> Step | None:
    if not x.ndim:
        return None
    axis, form = int(rng.integers(x.ndim)), rng.integers(6)
    size = x.shape[axis]
    made = int(rng.integers(1, 2 * size + 2))
    if form == 0:
        positions = np.arange(made) * size // made
    elif form == 1:
        positions = np.arange(0, size, int(rng.integers(1, 3)))
    elif form == 2:
        positions = rng.integers(-size, size, made)
    elif form == 3:
        positions = np.arange(size)[::-1].copy()
    else:
        positions = np.repeat(np.arange(size), 2)
    second = (axis + 1) % x.ndim
    other = np.arange(x.shape[second])[:: pick(rng, 1, -1, 2)].copy()
    grid = form == 5 and x.ndim > 1 and {axis, second} == {0, 1}

    def step(x: Array, leaks: list[Array]) -> Array:
        if grid:
            rows, columns = (positions, other) if axis == 0 else (other, positions)
            return x[rows[:, None], columns]
        y = np.take(x, positions, axis)
        return np.take(y, other, second) if second != axis and form % 2 else y

    return step


def repeating(rng: Rng, x: Array) -> Step | None:
    if not x.ndim:
        return None
    axis, form, times = int(rng.integers(x.ndim)), rng.integers(5), int(rng.integers(1, 4))
    first: tuple[Any, ...] = (slice(None),) * axis + (slice(0, 1),)

    def step(x: Array, leaks: list[Array]) -> Array:
        if form == 0:
            return np.repeat(x, times, axis)
        if form == 1:
            return np.tile(x, times)
        spread = np.broadcast_to(x[first], x.shape)
        if form == 2:
            return spread * 2 + x
        if form == 3:
            return np.maximum(x, spread)
        return np.broadcast_to(x[first] + x[first], x.shape) - x[first]

    return step


def columns(rng: Rng, x: Array) -> Step | None:
    if x.ndim < 2 or not is_float(x):
        return None
    form, width = rng.integers(4), int(rng.integers(1, x.shape[-1] + 1))
    scale, axis = number(rng, x, 0.5, 2), -1 if chance(rng, 0.8) else 0

    def step(x: Array, leaks: list[Array]) -> Array:
        a, b = x[..., :width], x[..., width:]
        if form == 0:
            return np.concatenate([b * scale + 1, a], -1)
        if form == 1:
            return np.concatenate([a - scale, 3 - b / 2], -1)
        half = x.shape[-1] // 2
        corner, size = x[..., :half], x[..., half : half + half]
        if form == 2:
            return np.concatenate([corner - size / 2, corner + size / 2], axis)
        return np.concatenate([corner, (corner + size) * scale, size], axis)

    return step


def writes(rng: Rng, x: Array) -> Step | None:
    if not x.ndim:
        return None
    size, form = x.shape[0], rng.integers(4)
    first = int(rng.integers(size))
    written = number(rng, x, 1, 2)
    written = written if np.ndim(written) == 0 else 1

    def step(x: Array, leaks: list[Array]) -> Array:
        y = x.copy()
        if form == 0:
            y[first] = written
        elif form == 1:
            y[first:] += x[first:]
        elif form == 2:
            for row in range(size):
                y[row] = x[size - 1 - row]
        else:
            y = np.stack([x[row] for row in range(size)])
        return y

    return step


# --- windows -----------------------------------------------------------------------------------


def pooling(rng: Rng, x: Array) -> Step | None:
    if x.ndim < 3:
        return None
    first = pick(rng, x.ndim - 2, x.ndim - 3)
    size = pick(rng, 2, 2, 3)
    rows, columns = x.shape[first : first + 2]
    if rows < size or columns < size:
        return None
    form = pick(rng, "max", "mean", "min", "sum")
    by_windows, stride = chance(rng, 0.5), pick(rng, 1, 2, size)
    pad, fill = pick(rng, 0, 0, 1), pick(rng, 0, -np.inf)
    if not is_float(x):
        fill = 0
    high, wide = rows // size * size, columns // size * size

    def step(x: Array, leaks: list[Array]) -> Array:
        if by_windows:
            if pad:
                widths = [(0, 0)] * x.ndim
                widths[first] = widths[first + 1] = (pad, pad)
                x = np.pad(x, widths, constant_values=fill)
            cut = sliding_window_view(x, (size, size), (first, first + 1))
            every: tuple[Any, ...] = (slice(None),) * first
            cut = cut[(*every, slice(None, None, stride), slice(None, None, stride))]
            return np.asarray(getattr(cut, form)((-2, -1)))
        key: tuple[Any, ...] = (slice(None),) * first
        x = x[(*key, slice(0, high), slice(0, wide))]
        shape = (
            *x.shape[:first],
            high // size,
            size,
            wide // size,
            size,
            *x.shape[first + 2 :],
        )
        return np.asarray(getattr(x.reshape(shape), form)((first + 1, first + 3)))

    return step


def convolution(rng: Rng, x: Array) -> Step | None:
    if not is_float(x) or x.ndim not in (3, 4):
        return None
    last = x.ndim == 3 and chance(rng, 0.5)  # channels last, as pictures are
    spatial = (0, 1) if last else (x.ndim - 2, x.ndim - 1)
    channel = 2 if last else x.ndim - 3
    channels, outputs, size = x.shape[channel], int(rng.integers(1, 4)), pick(rng, 1, 2, 3)
    if min(x.shape[a] for a in spatial) < size:
        return None
    stride, pad, form = pick(rng, 1, 1, 2), pick(rng, 0, 0, 1), rng.integers(3)
    weights = rng.standard_normal((outputs, channels, size, size)).astype(x.dtype)
    filter_ = rng.standard_normal((size, size)).astype(x.dtype)
    bias = rng.standard_normal(outputs).astype(x.dtype)
    scale = number(rng, x, 2, 0.5)
    add, leak = chance(rng, 0.5), leaking(rng)

    def step(x: Array, leaks: list[Array]) -> Array:
        if pad:
            x = np.pad(x, [(pad, pad) if a in spatial else (0, 0) for a in range(x.ndim)])
        if form == 0:  # one filter for every channel, by shifted slices
            numbers = [(x.shape[a] - size) // stride + 1 for a in spatial]
            total: Any = 0
            for place in itertools.product(range(size), repeat=2):
                key: list[Any] = [slice(None)] * x.ndim
                for a, at, number in zip(spatial, place, numbers, strict=True):
                    key[a] = slice(at, at + (number - 1) * stride + 1, stride)
                total = total + filter_[place] * x[tuple(key)]
            leak(leaks, total)
            return np.asarray(total * scale if add else total)
        cut = sliding_window_view(x, (size, size), spatial)
        every: list[Any] = [slice(None)] * cut.ndim
        for a in spatial:
            every[a] = slice(None, None, stride)
        cut = np.moveaxis(cut[tuple(every)], channel, -3)
        if form == 1:
            flat = cut.reshape(*cut.shape[:-3], -1)
            y = flat @ weights.reshape(outputs, -1).T
        else:
            y = np.tensordot(cut, weights, ((-3, -2, -1), (1, 2, 3)))
        leak(leaks, y)
        return y + bias if add else y

    return step


IDIOMS = (
    *(movement, movement, joining, indices, writes, repeating, columns),
    *(pooling, pooling, convolution, convolution),
)
