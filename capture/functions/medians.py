"""Medians, with NaN winning or left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import lift
from capture.functions.arguments import NO_VALUE, as_scalar, as_tensor, deliver
from capture.functions.nan_moments import nanmean
from capture.functions.ordered_axes import Line, line_up, without_nan
from capture.functions.positions import window
from capture.functions.registry import implements
from capture.functions.sorting import sorted_along
from ir.dims import dim_max, dim_min
from ir.shapes import product


def _median(line: Line) -> Any:
    """Return the mean of the middle element, or of the middle two: a window of that size."""
    ordered = sorted_along(line.values, 0)
    size = line.size
    start = dim_max((size - 1) // 2, 0)
    middle = window(ordered, 0, start, dim_min(size // 2 + 1, size) - start)
    result: Any = np.mean(middle, axis=0)
    if not issubclass(ordered.dtype.type, np.inexact):
        return result
    nan = lift(result._recorder, np.nan, result.dtype)
    return as_scalar(np.where(np.any(np.isnan(line.values), axis=0), nan, result))


@implements(np.median)
def median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    keepdims: Any = False,
) -> Any:
    """``numpy.median``; ``overwrite_input`` only permits what is not needed here."""
    x = as_tensor("median", a, out)
    line = line_up(x, axis)
    return deliver("median", line.kept(_median(line), keepdims), out)


@implements(np.nanmedian)
def nanmedian(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = False,
    keepdims: Any = NO_VALUE,
) -> Any:
    """``numpy.nanmedian``; ``overwrite_input`` only permits what is not needed here."""
    x = as_tensor("nanmedian", a, out)
    if product(x._type.shape) == 0:
        return nanmean(x, axis, out=out, keepdims=keepdims)
    if not issubclass(x.dtype.type, np.inexact):
        return median(x, axis, out, False, keepdims)
    line = line_up(x, axis)
    ordered, number = without_nan(line)
    lower, upper = (
        np.take_along_axis(ordered, at[None], 0)[0]
        for at in (
            np.maximum((number - 1) // 2, 0),
            np.minimum(number // 2, np.maximum(number - 1, 0)),
        )
    )
    pair = np.mean(np.stack((lower, upper)), axis=0)
    result = np.where(number % 2 == 1, lower, pair)
    nan = lift(x._recorder, np.nan, x.dtype)
    found = as_scalar(np.where(number == 0, nan, result))
    return deliver("nanmedian", line.kept(found, keepdims), out)
