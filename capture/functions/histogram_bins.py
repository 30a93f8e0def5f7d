"""Edges of histogram bins: given, or even over a range that may depend on the data."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.coerce import cast, holds_tensor, lift, promotion_key
from capture.functions.positions import counting, known_value, scalar
from capture.promotion import result_dtype
from capture.symbolic import SymbolicInt, dim_of
from capture.tensor import Tensor
from ir.dims import bounds
from ir.shapes import product
from ir.types import INTEGER

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
    number: int | SymbolicInt
    finite: Tensor | None


def known_number(recorder: Recorder, value: Any) -> Any:
    """Return a captured number as the NumPy scalar it is, where it depends on no input."""
    known = known_value(recorder, value)
    if holds_tensor(known) or not isinstance(known, np.ndarray):
        return known
    return known[()]


def _given_range(recorder: Recorder, ends: Any) -> tuple[Any, Any]:
    first, last = (known_number(recorder, end) for end in ends)
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


def linear_edges(x: Tensor, bins: Uniform, dtype: Any = None) -> Tensor:
    """Return evenly spaced edges as NumPy's linspace rounds them."""
    recorder = x._recorder
    ends = [bins.first, bins.last]
    if type(bins.number) is int and not holds_tensor(ends):
        edges = np.linspace(bins.first, bins.last, bins.number + 1, dtype=dtype)
        return lift(recorder, edges)
    first, last = (lift(recorder, end) * 1.0 for end in ends)
    step = (last - first) / bins.number
    places: Any = counting(recorder, dim_of(bins.number) + 1)
    steps = cast(places, step.dtype) * step + first
    edges = np.where(places == bins.number, last, steps)
    return cast(edges, dtype or edges.dtype)


def edge_dtype(x: Tensor, bins: Uniform) -> np.dtype[Any]:
    """Return the dtype of a histogram's even edges: that of the data, or of the range."""
    ends = (bins.first, bins.last)
    keys = [promotion_key(end) if type(end) in (int, float) else end.dtype for end in ends]
    dtype = result_dtype([*keys, x.dtype])
    return _FLOAT64 if dtype in INTEGER else dtype


def outer_edges(x: Tensor, ends: Any, number: int | SymbolicInt) -> Uniform:
    """Return even bins over the given range, or over the data's own."""
    if ends is not None:
        return Uniform(*_given_range(x._recorder, ends), number, None)
    if product(x._type.shape) == 0:
        return Uniform(0, 1, number, None)
    first, last, finite = _own_range(x)
    return Uniform(first, last, number, finite)


def bin_count(bins: Any) -> int:
    """Return a known number of bins.

    Raises:
        TypeError: It is no integer.
        ValueError: It is not positive.
    """
    try:
        count = operator.index(bins)
    except TypeError as error:
        if holds_tensor(bins):
            raise
        raise TypeError("`bins` must be an integer, a string, or an array") from error
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    return count
