"""Searching in sorted arrays: searchsorted, digitize."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import as_scalar, as_tensor
from capture.functions.positions import known_array, scalar, window
from capture.functions.registry import implements
from capture.functions.sorting import order_along
from capture.tensor import Tensor
from ir.dims import prove_eq
from ir.ops import interned
from ir.ops.shaping import Pad
from ir.types import BOOL, INT64, INTEGER


def insertion_points(sorted_: Any, values: Any, side: str) -> Any:
    """Return where ``values`` belong in a sorted vector of the same dtype, NaN last.

    A vector of known length is bisected, in as many steps as its length has bits; one of
    symbolic length is sorted together with the values.
    """
    size = sorted_._type.shape[0]
    inexact = issubclass(sorted_.dtype.type, np.inexact)
    if isinstance(size, int):
        found = _bisected(sorted_, values, size, side)
    else:
        found = _merged(sorted_, values, side)
    if not inexact:
        return found
    last = scalar(sorted_._recorder, size) if side == "right" else np.sum(~np.isnan(sorted_))
    return np.where(np.isnan(values), last, found)


def _largest(dtype: np.dtype[Any]) -> Any:
    if dtype == BOOL:
        return True
    return np.iinfo(dtype).max if dtype in INTEGER else np.nan


def _bisected(sorted_: Any, values: Any, size: int, side: str) -> Any:
    steps = size.bit_length()
    room = 2**steps - 1
    recorder = sorted_._recorder
    # what fills the vector up is never less than a value, and equal only to the largest
    filler = lift(recorder, _largest(sorted_.dtype), sorted_.dtype)
    padded: Any = recorder.apply(interned(Pad, (0,), (room - size,)), sorted_, filler)
    before = np.less if side == "left" else np.less_equal
    found: Any = np.zeros_like(values, dtype=INT64)
    for step in reversed(range(steps)):
        probe = np.take(padded, found + (2**step - 1))
        found = np.where(before(probe, values), found + 2**step, found)
    return np.minimum(found, size) if side == "right" and room != size else found


def _merged(sorted_: Any, values: Any, side: str) -> Any:
    """Count by rank: a value's place among all, less its place among the values alone."""
    flat = values.ravel()
    both = (flat, sorted_) if side == "left" else (sorted_, flat)  # ties keep this order
    ranks: Any = order_along(order_along(np.concatenate(both), 0), 0)
    own = order_along(order_along(flat, 0), 0)
    size = sorted_._type.shape[0]
    mine = window(ranks, 0, 0 if side == "left" else size, flat._type.shape[0])
    return (mine - own).reshape(values.shape)


def _depth_problem(x: Tensor) -> str:
    return f"object {'too deep' if x.ndim else 'of too small depth'} for desired array"


@implements(np.searchsorted)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """``numpy.searchsorted``; of an array that is not sorted, the result is meaningless."""
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    base: Any = as_tensor("searchsorted", a, v, sorter)
    recorder = base._recorder
    if base.ndim != 1:
        raise ValueError(_depth_problem(base))
    values = lift(recorder, v)
    if sorter is not None:
        positions = lift(recorder, sorter)
        if positions.dtype not in INTEGER:
            raise TypeError("sorter must only contain integers")
        if not prove_eq(positions._type.shape[0], base._type.shape[0]):
            raise ValueError("sorter.size must equal a.size")
        base = np.take(base, positions)
    common = np.promote_types(base.dtype, values.dtype)
    found = insertion_points(cast(base, common), cast(values, common), side)
    return as_scalar(found)


def _descends(bins: np.ndarray[Any, Any]) -> bool:
    """Whether known bin edges fall.

    Raises:
        ValueError: They neither rise nor fall.
    """
    if np.all(bins[1:] >= bins[:-1]):
        return False
    if np.all(bins[1:] <= bins[:-1]):
        return True
    raise ValueError("bins must be monotonically increasing or decreasing")


@implements(np.digitize)
def digitize(x: Any, bins: Any, right: Any = False) -> Any:
    """``numpy.digitize``; the direction of captured bins is decided when the graph runs."""
    values = as_tensor("digitize", x, bins)
    edges = lift(values._recorder, bins)
    if edges.ndim != 1:
        raise ValueError(_depth_problem(edges))
    side = "left" if right else "right"
    known = known_array(values._recorder, bins)
    if known is not None:
        if not _descends(known):
            return searchsorted(edges, values, side)
        return edges.shape[0] - searchsorted(edges[::-1], values, side)
    # reversed where they fall; empty bins have no first edge: slices of nothing do not fall
    falls = np.any(edges[:1] > edges[-1:])
    found = searchsorted(np.where(falls, edges[::-1], edges), values, side)
    return as_scalar(np.where(falls, edges.shape[0] - found, found))
