"""Histograms over several coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift, recorder_of
from capture.functions.counting import tally
from capture.functions.histogram_bins import bin_count, known_number, linear_edges, outer_edges
from capture.functions.positions import checked, known_array
from capture.functions.registry import implements
from capture.functions.searching import insertion_points
from capture.location import here
from capture.tensor import Tensor
from ir.dims import prove_eq
from ir.shapes import product
from ir.types import INT64

_FLOAT64 = np.dtype(np.float64)


def _coordinates(sample: Any, others: tuple[Any, ...]) -> list[Any]:
    """Return one vector per coordinate: columns of a matrix, or the items of a list."""
    recorder = recorder_of("histogramdd", sample, *others)
    recorder.require_open("histogramdd")
    points: Any = lift(recorder, sample)
    if points.ndim != 2 or isinstance(sample, list | tuple):
        points = np.atleast_2d(points).T
    columns = points._type.shape[1]
    if not isinstance(columns, int):
        raise ValueError(
            f"histogramdd: the number of coordinates, {columns}, must be known{here()}"
        )
    return [points[:, column] for column in range(columns)]


def _is_listed(bins: Any) -> bool:
    """Whether bins come one per coordinate; lists may be ragged."""
    return isinstance(bins, list | tuple) or np.ndim(bins) > 0


def _edges(values: Any, bins: Any, ends: Any, place: int) -> tuple[Any, Any]:
    """Return the edges along one coordinate, and whether the data's range is finite."""
    if np.ndim(bins) > 1:
        raise ValueError(f"`bins[{place}]` must be a scalar or 1d array")
    if np.ndim(bins) == 1:
        known = known_array(values._recorder, bins)
        if known is not None and np.any(known[:-1] > known[1:]):
            raise ValueError(
                f"`bins[{place}]` must be monotonically increasing, when an array"
            )
        return lift(values._recorder, bins), None
    number = known_number(values._recorder, bins)
    if number < 1:
        raise ValueError(f"`bins[{place}]` must be positive, when an integer")
    try:
        uniform = outer_edges(values, ends, bin_count(number))
    except TypeError as error:
        raise TypeError(f"`bins[{place}]` must be an integer, when a scalar") from error
    return linear_edges(values, uniform), uniform.finite


def _place(values: Any, edges: Any) -> Any:
    """Return each value's bin; 0 and the last are outside, the last bin has its upper edge."""
    common = np.promote_types(values.dtype, edges.dtype)
    at, ends = cast(values, common), cast(edges, common)
    found = insertion_points(ends, at, "right")
    return np.where(at == ends[-1], found - 1, found)


@implements(np.histogramdd)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """``numpy.histogramdd``."""
    columns = _coordinates(sample, (bins, range, weights))
    rank = len(columns)
    each = list(bins) if _is_listed(bins) else [bins] * rank
    if len(each) != rank:
        raise ValueError(
            "The dimension of bins must be equal to the dimension of the sample x."
        )
    ranges = [None] * rank if range is None else list(range)
    if len(ranges) != rank:
        raise ValueError("range argument must have one entry per dimension")
    recorder = columns[0]._recorder
    edges: list[Any] = []
    position: Any = lift(recorder, 0, INT64)
    for i, (values, wanted, ends) in enumerate(zip(columns, each, ranges, strict=True)):
        own, finite = _edges(values, wanted, ends, i)
        found = _place(values, own)
        edges.append(own)
        position = position * (own.shape[0] + 1) + (
            found if finite is None else checked(found, finite)
        )
    shape = tuple(own._type.shape[0] + 1 for own in edges)
    counts = _tallied(position, product(shape), weights).reshape(shape)
    counts = cast(counts, _FLOAT64)[(slice(1, -1),) * rank]
    if density:
        total = counts.sum()
        for i, own in enumerate(edges):
            counts = counts / np.diff(own).reshape((-1,) + (1,) * (rank - 1 - i))
        counts = counts / total
    return counts, edges


def _tallied(position: Tensor, size: Any, weights: Any) -> Any:
    recorder = position._recorder
    if weights is None:
        return tally(size, position, lift(recorder, 1, INT64))
    scales = lift(recorder, weights, _FLOAT64)
    if scales.ndim != 1 or not prove_eq(scales._type.shape[0], position._type.shape[0]):
        raise ValueError("The weights and list don't have the same length.")
    return tally(size, position, scales)


@implements(np.histogram2d)
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: Any = None,
    weights: Any = None,
) -> Any:
    """``numpy.histogram2d``."""
    recorder = recorder_of("histogram2d", x, y, bins, range, weights)
    first, second = lift(recorder, x), lift(recorder, y)
    if not prove_eq(first._type.shape[0], second._type.shape[0]):
        raise ValueError("x and y must have the same length.")
    if _is_listed(bins) and len(bins) not in (1, 2):
        bins = [bins, bins]
    counts, edges = histogramdd([first, second], bins, range, density, weights)
    return counts, edges[0], edges[1]
