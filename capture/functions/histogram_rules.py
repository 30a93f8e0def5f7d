"""How many bins of equal width suit the data: NumPy's named rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast
from capture.errors import UnsupportedError
from capture.functions.positions import scalar
from capture.location import here
from capture.symbolic import as_size
from ir.dims import Dim, bounds
from ir.ops.indexing import CountUp
from ir.shapes import product
from ir.types import INT64, INTEGER

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.tensor import Tensor

_FLOAT64 = np.dtype(np.float64)


def _spread(x: Tensor) -> Any:
    """Return the range of the data; of integers as float64, which holds all of it."""
    ends = np.max(x), np.min(x)
    if x.dtype in INTEGER:
        ends = cast(ends[0], _FLOAT64), cast(ends[1], _FLOAT64)
    return np.subtract(*ends)


def _weakly(factor: Any, value: Any) -> Any:
    """Return a factor that is a Python number in NumPy: it leaves the dtype to the value."""
    return cast(factor, value.dtype)


def _sqrt(x: Tensor, size: Any) -> Any:
    return _spread(x) / np.sqrt(size)


def _sturges(x: Tensor, size: Any) -> Any:
    return _spread(x) / (np.log2(size) + 1.0)


def _rice(x: Tensor, size: Any) -> Any:
    spread = _spread(x)
    return spread / _weakly(2.0 * np.power(size, 1.0 / 3.0), spread)


def _scott(x: Tensor, size: Any) -> Any:
    deviation = np.std(x)
    factor = np.power(24.0 * np.pi**0.5 / size, 1.0 / 3.0)
    return _weakly(factor, deviation) * deviation


def _doane(x: Tensor, size: Any) -> Any:
    sigma = np.std(x)
    error = np.sqrt(6.0 * (size - 2) / ((size + 1.0) * (size + 3)))
    skew = np.mean(np.power((x - np.mean(x)) / sigma, 3))
    width = _spread(x) / (1.0 + np.log2(size) + np.log2(1.0 + np.abs(skew) / error))
    return np.where((size > 2) & (sigma > 0), width, 0.0)


def _freedman_diaconis(x: Tensor, size: Any) -> Any:
    quarters = np.percentile(x, [75, 25])
    between = quarters[0] - quarters[1]
    return 2.0 * between * _weakly(np.power(size, -1.0 / 3.0), between)


def _auto(x: Tensor, size: Any) -> Any:
    robust = np.maximum(_freedman_diaconis(x, size), _sqrt(x, size) / 2)
    return np.minimum(robust, _sturges(x, size))


_WIDTHS: dict[str, Callable[[Tensor, Any], Any]] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "sturges": _sturges,
}
"""The width of a bin by the rule's name, of data and how many there are."""


def ruled_number(x: Tensor, rule: str, first: Any, last: Any, ranged: bool) -> Any:
    """Return how many bins a rule asks for: a size that is known when the graph runs.

    Args:
        x: The data.
        rule: Its name.
        first: The lowest edge.
        last: The highest edge.
        ranged: Whether the edges were given, so that data beyond them do not count.

    Raises:
        ValueError: NumPy has no such rule.
        UnsupportedError: The rule has no captured form.
    """
    if rule == "stone":
        raise UnsupportedError(
            f"histogram: bins='stone' tries out numbers of bins, which is not captured{here(3)}"
            "\n  ways out: another rule, a number of bins, or edges"
        )
    if rule not in _WIDTHS:
        raise ValueError(f"{rule!r} is not a valid estimator for `bins`")
    if product(x._type.shape) == 0:
        return 1
    recorder = x._recorder
    if ranged:
        x = x[(x >= first) & (x <= last)]
    size: Any = cast(scalar(recorder, x.size), _FLOAT64)
    if (bounds(x._type.shape[0])[0] or 0) < 1:  # of nothing there would be no extremes
        stand_in = np.zeros_like(x, shape=(1,))[np.reshape(size == 0, (1,))]
        x = np.concatenate([x, stand_in])  # type: ignore[assignment]
    width: Any = _WIDTHS[rule](x, size)
    if x.dtype in INTEGER:
        width = np.where((width > 0) & (width < 1), 1, width)
    some = (size > 0) & (width != 0)
    number = np.ceil(np.subtract(last, first) / np.where(some, width, 1))
    count = Dim(recorder.fresh_symbol("bins"), min=1)
    chosen: Any = np.where(some, number, 1)
    counted: Tensor = recorder.apply(CountUp(count=count), cast(chosen, INT64))
    return as_size(recorder, counted._type.shape[0])
