"""Histograms with NumPy's own bins and rounding, for data known only when the graph runs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from capture.coerce import cast, holds_tensor, lift
from capture.functions.arguments import as_tensor
from capture.functions.counting import tally
from capture.functions.histogram_bins import (
    Uniform,
    bin_count,
    edge_dtype,
    known_number,
    linear_edges,
    outer_edges,
)
from capture.functions.histogram_rules import ruled_number
from capture.functions.positions import checked, known_array
from capture.functions.registry import implements
from capture.functions.searching import insertion_points
from capture.tensor import Tensor
from ir.dims import prove_eq
from ir.types import BOOL, INT64

_FLOAT64 = np.dtype(np.float64)


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


def _bins(x: Tensor, bins: Any, ends: Any, weights: Any) -> tuple[Tensor, Uniform | None]:
    """Return the edges, and how they came about where they are even."""
    if isinstance(bins, str):
        if weights is not None:
            raise TypeError(
                "Automated estimation of the number of bins is not supported for weighted data"
            )
        outer = outer_edges(x, ends, 1)
        ruled = ruled_number(x, bins, outer.first, outer.last, ends is not None)
        uniform = outer._replace(number=ruled)
        return linear_edges(x, uniform, edge_dtype(x, uniform)), uniform
    if np.ndim(bins) > 1:
        raise ValueError("`bins` must be 1d, when an array")
    if np.ndim(bins) == 1:
        known = known_array(x._recorder, bins)
        if known is not None and np.any(known[:-1] > known[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return lift(x._recorder, bins), None
    count = bin_count(known_number(x._recorder, bins))
    uniform = outer_edges(x, ends, count)
    edges = linear_edges(x, uniform, edge_dtype(x, uniform))
    known = known_array(x._recorder, edges)
    if known is not None and np.any(known[:-1] >= known[1:]):
        raise ValueError(
            f"Too many bins for data range. Cannot create {count} finite-sized bins."
        )
    return edges, uniform


@implements(np.histogram_bin_edges)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """``numpy.histogram_bin_edges``."""
    x, _ = _flat("histogram_bin_edges", a, weights, bins, range)
    return _bins(x, bins, range, weights)[0]


def _even_positions(x: Any, edges: Any, bins: Uniform) -> Any:
    """Return each element's bin as NumPy computes it: scaled, then corrected by one."""
    recorder, count = x._recorder, bins.number
    beyond: Any = count
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
    found: Any = np.where(kept, positions + above, beyond)
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
        if scales is not None and scales.dtype == BOOL and x._type.shape[0] != 0:
            raise TypeError(
                "Cannot cast ufunc 'add' output from dtype('int64') to dtype('bool')"
            )
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
