"""Comparing arrays from two evaluations: exactly, or floats to a tolerance by dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ir.types import BFLOAT16, FLOATING, type_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    Array = np.ndarray[Any, Any]


class Tolerance(NamedTuple):
    """Floats agree when they differ by at most ``absolute * scale + relative * |expected|``.

    The scale is the largest finite expected magnitude, at least 1: terms that cancel in a sum
    leave an error of the terms' size.
    """

    relative: float
    absolute: float


TOLERANCES: dict[np.dtype[Any], Tolerance] = {
    np.dtype(np.float16): Tolerance(1e-2, 1e-3),
    BFLOAT16: Tolerance(5e-2, 1e-2),
    np.dtype(np.float32): Tolerance(1e-4, 1e-5),
    np.dtype(np.float64): Tolerance(1e-8, 1e-10),
}
"""Wide enough for sums in another order, narrow enough for a wrong formula."""


class Difference(NamedTuple):
    """How one output compares.

    Attributes:
        name: The output.
        expected: Type that the reference gave.
        actual: Type that the model gave.
        absolute: Largest difference of finite elements.
        relative: Largest difference relative to the expected element.
        mismatches: How many elements disagree.
        ok: Whether dtype, shape and all elements agree.
    """

    name: str
    expected: str
    actual: str
    absolute: float
    relative: float
    mismatches: int
    ok: bool

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table."""
        types = (
            self.expected
            if self.expected == self.actual
            else f"{self.expected} got {self.actual}"
        )
        verdict = "ok" if self.ok else f"{self.mismatches} differ"
        return self.name, types, f"{self.absolute:.3g}", f"{self.relative:.3g}", verdict


def difference(
    name: str, expected: Array, actual: Array, tolerance: Tolerance | None = None
) -> Difference:
    """Compare one output; without a tolerance that of its dtype holds."""
    types = str(type_of(expected)), str(type_of(actual))
    if types[0] != types[1]:
        return Difference(name, *types, np.inf, np.inf, expected.size, False)
    if expected.dtype not in FLOATING:
        wrong = expected != actual
        count = int(np.count_nonzero(wrong))
        gap = _integer_gap(expected, actual) if count else 0.0
        return Difference(name, *types, gap, gap, count, not count)
    limit = tolerance or TOLERANCES[expected.dtype]
    with np.errstate(all="ignore"):
        want, got = expected.astype(np.float64), actual.astype(np.float64)
        same = (want == got) | (np.isnan(want) & np.isnan(got))
        finite = np.isfinite(want) & np.isfinite(got)
        gap_by_element = np.where(finite & ~same, np.abs(want - got), 0.0)
        magnitude = np.where(np.isfinite(want), np.abs(want), 0.0)
        allowed = limit.absolute * max(1.0, _largest(magnitude)) + limit.relative * magnitude
        close = same | (finite & (gap_by_element <= allowed))
        size = np.where(want == 0, 1.0, np.abs(want))
        ratio = np.where(finite & ~same, gap_by_element / size, 0.0)
    count = int(np.count_nonzero(~close))
    return Difference(
        name, *types, _largest(gap_by_element), _largest(ratio), count, not count
    )


def _largest(values: Array) -> float:
    return float(values.max()) if values.size else 0.0


def _integer_gap(expected: Array, actual: Array) -> float:
    return _largest(np.abs(expected.astype(np.float64) - actual.astype(np.float64)))


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return aligned text columns."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (headings, *rows)
    )
    return "\n".join(lines)


def excerpt(array: Array) -> str:
    """Return an array on one line, its middle left out where it is large."""
    with np.printoptions(threshold=8, edgeitems=2, precision=9):
        return " ".join(str(array).split())
