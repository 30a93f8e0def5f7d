"""Random programs of the idioms that the exporter fuses, and of their near misses.

A program is a chain of idioms over one array; every idiom draws its axis, constants, spelling and
sometimes a flaw that has to keep the fused form away. What an idiom computes inside may leak: it
is returned beside the result, or added to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tests.fusion import idioms_along_axes, idioms_elementwise, idioms_movement
from tests.fusion.differences import tolerance
from tests.fusion.drawing import chance, pick

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fusion.drawing import Array, Idiom, Rng, Step

DTYPES = ("f4", "f4", "f4", "f4", "f8", "f2", "u1", "i4", "i8")
SHAPES = (
    *((), (1,), (7,), (3, 5), (4, 4), (5, 1)),
    *((2, 1, 6), (2, 6, 4), (6, 8, 3), (16, 24, 3)),
    *((2, 3, 8, 8), (1, 3, 9, 7), (1, 8, 6, 6)),
)
EDGES = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e30, 1e-40, 88.5, -104.0, 1.0)
SIZES = (0, 1, 2, 5)
"""What open axes are tried with, beside what they have in the example."""

_LARGEST = 20_000
_ATTEMPTS = 60

IDIOMS: tuple[Idiom, ...] = (
    *idioms_elementwise.IDIOMS,
    *idioms_along_axes.IDIOMS,
    *idioms_movement.IDIOMS,
)


@dataclass(frozen=True)
class RandomProgram:
    """A program and an array for it.

    Attributes:
        seed: What it was drawn from.
        array: An example of its input.
        steps: The idioms, by name.
        relative: How far its results may be from NumPy, after the shortest floats on the way.
        function: The program.
    """

    seed: int
    array: Array = field(repr=False)
    steps: tuple[str, ...]
    relative: float
    function: Callable[[Array], tuple[Array, ...]] = field(repr=False)

    def edges(self) -> list[Array]:
        """Return inputs with NaN, infinities, zeros of both signs and what overflows."""
        rng = np.random.default_rng(self.seed)
        if self.array.dtype.kind != "f":
            return []
        found = [np.full_like(self.array, pick(rng, *EDGES[:5]))]
        for share in (0.05, 0.3):
            array = self.array.copy()
            flat = array.reshape(-1)
            for place in np.flatnonzero(rng.random(flat.size) < share):
                with np.errstate(over="ignore"):
                    flat[place] = np.float64(pick(rng, *EDGES)).astype(array.dtype)
            found.append(array)
        return found

    def open_axes(self) -> tuple[int, ...]:
        """Return the axes to leave open."""
        rng = np.random.default_rng(self.seed)
        rank = self.array.ndim
        return tuple(a for a in range(rank) if rng.random() < 0.5) or tuple(range(rank))[:1]

    def sizes(self) -> list[Array]:
        """Return inputs of other sizes along the open axes."""
        found = [self.array]
        for size in SIZES:
            array = self.array
            for axis in self.open_axes():
                array = np.take(array, np.arange(size) % array.shape[axis], axis=axis)
            found.append(array)
        return found


def random_program(seed: int) -> RandomProgram:
    """Return the program of a seed."""
    rng = np.random.default_rng(seed)
    array = value = _example(rng)
    seen = [array]
    steps: list[tuple[str, Step, bool, bool]] = []
    wanted = int(rng.integers(1, 5))
    with np.errstate(all="ignore"):
        for _ in range(_ATTEMPTS):
            if len(steps) == wanted:
                break
            idiom = IDIOMS[int(rng.integers(len(IDIOMS)))]
            step = idiom(rng, value)
            if step is None:
                continue
            again, shown = chance(rng), chance(rng)
            try:
                after = step(value, [])
            except ValueError:
                continue  # constants drawn for other shapes
            if not 0 < after.size <= _LARGEST:
                continue
            steps.append((idiom.__name__, step, again, shown))
            value = after + value if again and _is_alike(after, value) else after
            seen.append(value)

    def function(x: Array) -> tuple[Array, ...]:
        leaks: list[Array] = []
        for _, step, again, shown in steps:
            y = step(x, leaks)
            if shown:
                leaks.append(x)
            x = y + x if again and _is_alike(y, x) else y
        return (x, *leaks)

    names = tuple(name for name, *_ in steps)
    return RandomProgram(seed, array, names, tolerance(*seen), function)


def _is_alike(a: Array, b: Array) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype


def _example(rng: Rng) -> Array:
    dtype, shape = np.dtype(pick(rng, *DTYPES)), pick(rng, *SHAPES)
    if dtype.kind == "f":
        return np.asarray(rng.standard_normal(shape) * pick(rng, 1, 1, 3), dtype)
    return np.asarray(rng.integers(0 if dtype.kind == "u" else -9, 200, shape), dtype)
