"""Interpolation between samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import as_scalar, as_tensor
from capture.functions.positions import scalar
from capture.functions.registry import implements
from capture.functions.searching import insertion_points
from capture.functions.sorting import order_along
from capture.tensor import Tensor
from ir.dims import prove_eq

_FLOAT64 = np.dtype(np.float64)


@implements(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """``numpy.interp``, in float64 as NumPy computes it."""
    first = as_tensor("interp", x, xp, fp, left, right, period)
    recorder = first._recorder
    at = cast(first, _FLOAT64)
    places, heights = lift(recorder, xp, _FLOAT64), lift(recorder, fp, _FLOAT64)
    if places.ndim != 1 or heights.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if not prove_eq(places._type.shape[0], heights._type.shape[0]):
        raise ValueError("fp and xp are not of the same length.")
    if places._type.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if period is not None:
        if type(period) is not Tensor and period == 0:
            raise ValueError("period must be a non-zero value")
        period, left, right = abs(period), None, None
        at, places, heights = _one_period(at, places, heights, period)
    return _interpolated(at, places, heights, left, right)


def _one_period(at: Any, places: Any, heights: Any, period: Any) -> tuple[Any, Any, Any]:
    at, places = at % period, places % period
    order = order_along(places, 0)
    places, heights = places[order], heights[order]
    places = np.concatenate((places[-1:] - period, places, places[0:1] + period))
    return at, places, np.concatenate((heights[-1:], heights, heights[0:1]))


def _interpolated(at: Any, places: Any, heights: Any, left: Any, right: Any) -> Any:
    first, last = heights[0], heights[-1]
    below = first if left is None else lift(at._recorder, left, _FLOAT64)
    above = last if right is None else lift(at._recorder, right, _FLOAT64)
    count = places.shape[0]
    found = insertion_points(places, at, "right") - 1
    if type(count) is int and count == 1:
        value = first
    else:
        start = np.clip(found, 0, count - 2)
        x0, x1 = np.take(places, start), np.take(places, start + 1)
        y0, y1 = np.take(heights, start), np.take(heights, start + 1)
        slope = (y1 - y0) / (x1 - x0)
        value = slope * (at - x0) + y0
        # NumPy tries the other end where infinities made NaN, then equal heights
        other = slope * (at - x1) + y1
        other = np.where(np.isnan(other) & (y0 == y1), y0, other)
        value = np.where(np.isnan(value), other, value)
        value = np.where(x0 == at, y0, value)
        value = np.where(found >= count - 1, last, value)
    value = np.where(at > places[-1], above, np.where(at < places[0], below, value))
    several = scalar(at._recorder, count) > 1  # a single point answers even for NaN
    return as_scalar(np.where(np.isnan(at) & several, at, value))
