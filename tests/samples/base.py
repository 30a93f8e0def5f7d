"""What a sample is, and the edge values that samples are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
INTEGERS = tuple(dict.fromkeys(np.dtype(f"{k}{n}") for k in "iu" for n in (1, 2, 4, 8)))
FLOATS = (np.dtype("f2"), BFLOAT16, np.dtype("f4"), np.dtype("f8"))
BOOL = np.dtype(bool)
ALL_DTYPES = (BOOL, *INTEGERS, *FLOATS)
FEW_DTYPES = (
    BOOL,
    np.dtype("u1"),
    np.dtype("i4"),
    np.dtype("i8"),
    np.dtype("f4"),
    np.dtype("f8"),
)

TOLERANCE = {np.dtype("f2"): 2e-3, BFLOAT16: 2e-2, np.dtype("f4"): 2e-6, np.dtype("f8"): 1e-13}
"""Relative tolerance by dtype unless a sample states its own."""


@dataclass(frozen=True)
class Sample:
    """One NumPy program on example arrays, tested three ways.

    Attributes:
        name: Unique; the test's id.
        function: Plain NumPy code.
        arrays: Its arguments.
        covers: The NumPy functions (or method and operator names) it is a sample of.
        rtol: Relative tolerance of floats; by dtype when left out.
        atol: Absolute tolerance of floats; 0 keeps zeros exact.
        symbolic: Axes per argument to leave open in the symbolic test, ``{0: {0: "n"}}``; the
            replays resize them to 1, 2 and 5 (and 0 where ``empty``).
        empty: Whether size 0 has an answer in NumPy.
    """

    name: str
    function: Callable[..., Any] = field(repr=False)
    arrays: tuple[Any, ...] = field(repr=False)
    covers: tuple[Any, ...] = field(repr=False, default=())
    rtol: float | None = None
    atol: float = 0.0
    symbolic: dict[int, dict[int, str]] | None = None
    empty: bool = True

    def __str__(self) -> str:
        return self.name


def edges(
    dtype: Any, count: int = 12, *, low: float | None = None, high: float | None = None
) -> Any:
    """Return values where mistakes show: extremes, ties, signs, NaN, infinities, -0.0.

    Args:
        dtype: The dtype.
        count: How many values.
        low: Keep only values not below (also drops NaN).
        high: Keep only values not above (also drops NaN).
    """
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        values: list[Any] = [True, False, False, True]
    elif dtype in INTEGERS:
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1, 5, 64]
        values += [] if info.min == 0 else [-1, -2, -3, -7, -100]
    else:
        values = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.25, -7.75, 1e-3, 100.0]
        values += [np.nan, np.inf, -np.inf, 1e4, -1e4, 0.1, 2.0, -3.0]
    kept = [v for v in values if (low is None or v >= low) and (high is None or v <= high)]
    repeated = (kept * (count // len(kept) + 1))[: max(count, len(kept))]
    return np.array(repeated, dtype)


def rng(seed: int = 0) -> np.random.Generator:
    """Return a generator that is the same on every run."""
    return np.random.Generator(np.random.PCG64(seed))


def normal(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    """Return normally distributed values."""
    return rng(seed).normal(size=shape).astype(dtype)


def integers(
    *shape: int, dtype: Any = np.int64, seed: int = 0, low: int = -9, high: int = 10
) -> Any:
    """Return uniformly distributed integers (non-negative for unsigned dtypes)."""
    start = max(low, int(np.iinfo(dtype).min))
    return rng(seed).integers(start, high, size=shape).astype(dtype)


def values(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    """Return ordinary values of any dtype: normal floats, small integers, random bools."""
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        return rng(seed).integers(0, 2, size=shape).astype(bool)
    if dtype in INTEGERS:
        return integers(*shape, dtype=dtype, seed=seed)
    return normal(*shape, dtype=dtype, seed=seed)
