"""What random programs are drawn from: numbers in several spellings, axes, and leaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]
    Rng = np.random.Generator
    Step: TypeAlias = Callable[[Array, list[Array]], Array]
    Idiom: TypeAlias = Callable[[Rng, Array], Step | None]

SMALL_CONSTANTS = (0.5, 2.0, -1.5, 3.0, 1 / 255, 0.1, -0.0, 0.0, 6.0, 1.0, -1.0, 1e-3)


def pick(rng: Rng, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def any_axis(rng: Rng, x: Array) -> int:
    axis = pick(rng, -1, -1, int(rng.integers(x.ndim)))
    return int(axis)


def chance(rng: Rng, share: float = 0.15) -> bool:
    return bool(rng.random() < share)


def number(rng: Rng, x: Array, *around: float) -> Any:
    """Return a constant, mostly one of those given, as Python, NumPy or array number."""
    value = pick(rng, *SMALL_CONSTANTS) if chance(rng) or not around else pick(rng, *around)
    if x.dtype.kind in "iu":
        info = np.iinfo(x.dtype)
        value = int(min(max(round(value), info.min), info.max))
    kind = pick(rng, 0, 0, 0, 1, 1, 2, 3)
    if kind == 0:
        return value
    if kind == 1:
        return x.dtype.type(value)
    if kind == 2:
        return np.full((1,) * x.ndim, value, x.dtype)
    return np.full((1,), value, x.dtype) if x.ndim else x.dtype.type(value)


def per_channel(rng: Rng, x: Array, *around: float) -> Any:
    if not x.ndim or chance(rng, 0.5):
        return number(rng, x, *around)
    axis = int(rng.integers(x.ndim))
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]
    if axis == x.ndim - 1 and chance(rng, 0.6):
        shape = shape[-1:]
    values = rng.choice(np.asarray(around or SMALL_CONSTANTS), shape)
    values = values * rng.choice([0.5, 1.0, 1.25], shape)
    return values.astype(x.dtype)


def is_float(x: Array) -> bool:
    return x.dtype.kind == "f"


def leaking(rng: Rng) -> Callable[[list[Array], Array], None]:
    """Return what may return an inner value beside the result."""
    if chance(rng, 0.12):
        return lambda leaks, value: leaks.append(value)
    return lambda leaks, value: None
