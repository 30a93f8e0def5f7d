"""Histograms with NumPy's own bins and rounding, for data known only when the graph runs."""

from __future__ import annotations

import operator
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.coerce import cast, holds_tensor, lift, promotion_key
from capture.errors import UnsupportedError
from capture.functions.arguments import as_tensor
from capture.functions.counting import tally
from capture.functions.positions import checked, counting, known_array, known_value, scalar
from capture.functions.registry import implements
from capture.functions.searching import insertion_points
from capture.location import here
from capture.promotion import result_dtype
from capture.tensor import Tensor
from ir.dims import bounds, prove_eq
from ir.shapes import product
from ir.types import BOOL, INT64, INTEGER

if TYPE_CHECKING:
    from capture.recorder import Recorder

_FLOAT64 = np.dtype(np.float64)


class Uniform(NamedTuple):
    """Bins of equal width.

    Attributes:
        first: The lowest edge.
        last: The highest edge.
        number: How many bins.
        finite: Whether the data's own range is finite, ``None`` where the range was given.
    """

    first: Any
    last: Any
    number: int
    finite: Tensor | None


def _flat(name: str, a: Any, weights: Any, *others: Any) -> tuple[Tensor, Tensor | None]:
    x = as_tensor(name, a, weights, *others)
    if x.dtype == BOOL:
        warnings.warn(
            f"Converting input from {x.dtype} to {np.uint8} for compatibility.",
            RuntimeWarning,
            stacklevel=4,
        )
        x = cast(x, np.uint8)
    if weights is None:
        return x.ravel(), None
    scales = lift(x._recorder, weights)
    if scales.ndim != x.ndim or not all(map(prove_eq, scales._type.shape, x._type.shape)):
        raise ValueError("weights should have the same shape as a.")
    return x.ravel(), scales.ravel()


def _known_number(recorder: Recorder, value: Any) -> Any:
    """Return a captured number as the NumPy scalar it is, where it depends on no input."""
    known = known_value(recorder, value)
    if holds_tensor(known) or not isinstance(known, np.ndarray):
        return known
    return known[()]


def _given_range(recorder: Recorder, ends: Any) -> tuple[Any, Any]:
    first, last = (_known_number(recorder, end) for end in ends)
    if not holds_tensor([first, last]):
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"supplied range of [{first}, {last}] is not finite")
        return (first - 0.5, last + 0.5) if first == last else (first, last)
    same = first == last
    return np.where(same, first - 0.5, first), np.where(same, last + 0.5, last)


def _own_range(x: Tensor) -> tuple[Any, Any, Any]:
    """Return the data's range, [0, 1] where there is no data, and whether it is finite."""
    size = product(x._type.shape)
    if x.dtype in INTEGER:
        lowest: Any = np.iinfo(x.dtype).min
        highest: Any = np.iinfo(x.dtype).max
    else:
        lowest, highest = -np.inf, np.inf
    if (bounds(size)[0] or 0) > 0:
        first, last = x.min(), x.max()
        finite = np.isfinite(first) & np.isfinite(last)
    else:
        empty = np.equal(scalar(x._recorder, x.size), 0)
        first, last = x.min(initial=highest), x.max(initial=lowest)
        finite = np.isfinite(first) & np.isfinite(last) | empty
        first, last = np.where(empty, 0, first), np.where(empty, 1, last)
    if x.dtype in INTEGER:
        first, last = first.astype(_FLOAT64), last.astype(_FLOAT64)
    same = first == last
    return np.where(same, first - 0.5, first), np.where(same, last + 0.5, last), finite


def _linear_edges(x: Tensor, bins: Uniform) -> Tensor:
    """Return evenly spaced edges as NumPy's linspace rounds them."""
    recorder = x._recorder
    ends = [bins.first, bins.last]
    keys = [promotion_key(end) if type(end) in (int, float) else end.dtype for end in ends]
    dtype = result_dtype([*keys, x.dtype])
    if dtype in INTEGER:
        dtype = _FLOAT64
    if not holds_tensor(ends):
        edges = np.linspace(bins.first, bins.last, bins.number + 1, dtype=dtype)
        if np.any(edges[:-1] >= edges[1:]):
            raise ValueError(
                f"Too many bins for data range. Cannot create {bins.number} finite-sized bins."
            )
        return lift(recorder, edges)
    first, last = (lift(recorder, end) * 1.0 for end in ends)
    step = (last - first) / bins.number
    steps = cast(counting(recorder, bins.number + 1), step.dtype) * step + first
    edges = np.where(np.arange(bins.number + 1) == bins.number, last, steps)
    return cast(edges, dtype)


def _bin_count(bins: Any) -> int:
    try:
        count = operator.index(bins)
    except TypeError as error:
        if holds_tensor(bins):
            raise
        raise TypeError("`bins` must be an integer, a string, or an array") from error
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    return count


def _bins(x: Tensor, bins: Any, ends: Any, weights: Any) -> tuple[Tensor, Uniform | None]:
    """Return the edges, and how they came about where they are even."""
    if isinstance(bins, str):
        raise UnsupportedError(
            f"histogram: bins={bins!r} makes the number of bins depend on the data in a way "
            f"that is not captured{here(2)}\n  ways out: give a number of bins, or edges"
        )
    if np.ndim(bins) > 1:
        raise ValueError("`bins` must be 1d, when an array")
    if np.ndim(bins) == 1:
        known = known_array(x._recorder, bins)
        if known is not None and np.any(known[:-1] > known[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return lift(x._recorder, bins), None
    count = _bin_count(_known_number(x._recorder, bins))
    if ends is not None:
        uniform = Uniform(*_given_range(x._recorder, ends), count, None)
    elif product(x._type.shape) == 0:
        uniform = Uniform(0, 1, count, None)
    else:
        first, last, finite = _own_range(x)
        uniform = Uniform(first, last, count, finite)
    return _linear_edges(x, uniform), uniform


@implements(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """``numpy.histogram_bin_edges``."""
    x, _ = _flat("histogram_bin_edges", a, weights, bins, range)
    return _bins(x, bins, range, weights)[0]


def _even_positions(x: Any, edges: Any, bins: Uniform) -> Any:
    """Return each element's bin as NumPy computes it: scaled, then corrected by one."""
    recorder, count = x._recorder, bins.number
    kept = (x >= bins.first) & (x <= bins.last)
    at = cast(x, edges.dtype)
    if holds_tensor([bins.first, bins.last]):
        width = bins.last - bins.first
    else:
        gap = np.subtract(bins.last, bins.first)
        width = lift(recorder, gap if gap.dtype.kind == "f" else np.float64(gap))
    offset = np.subtract(at, bins.first, dtype=edges.dtype)
    scaled = np.where(kept, offset / width * count, 0)
    positions = np.minimum(scaled.astype(INT64), count - 1)
    below = at < np.take(edges, positions)
    positions = positions - below
    above = (at >= np.take(edges, positions + 1)) & (positions != count - 1)
    found: Any = np.where(kept, positions + above, count)
    return found if bins.finite is None else checked(found, bins.finite)


def _uneven_positions(x: Tensor, edges: Any) -> Any:
    """Return each element's bin among given edges; the last bin includes its upper edge."""
    count = edges.shape[0] - 1
    common = np.promote_types(x.dtype, edges.dtype)
    values, places = cast(x, common), cast(edges, common)
    found = insertion_points(places, values, "right") - 1
    found = np.where(values == places[-1], count - 1, found)
    return np.where((found < 0) | (found > count), count, found)


@implements(np.histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """``numpy.histogram`` with a number of bins or with edges."""
    x, scales = _flat("histogram", a, weights, bins, range)
    edges, uniform = _bins(x, bins, range, weights)
    size = edges._type.shape[0]
    if uniform is None:
        positions = _uneven_positions(x, edges)
    else:
        positions = _even_positions(x, edges, uniform)
    if scales is None:
        counts = tally(size, positions, lift(x._recorder, 1, INT64))
    else:
        counts = cast(tally(size, positions, cast(scales, _FLOAT64)), scales.dtype)
    counts = counts[:-1].copy()  # the last one collected what lies outside
    if density:
        widths = np.diff(edges).astype(_FLOAT64)
        return counts / widths / counts.sum(), edges
    return counts, edges
