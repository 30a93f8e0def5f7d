"""Quantiles of weighted elements, by the inverted distribution function."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.ordered_axes import Line
from capture.functions.positions import checked
from capture.functions.sorting import order_along
from capture.tensor import Tensor
from capture.views import Owned


def weighted(line: Line, weights: Tensor, q: Any, ignore_nan: bool) -> Any:
    """Return, for each quantile, the first element up to which weights add to that share.

    Args:
        line: The elements.
        weights: One weight per element, of the same shape.
        q: The quantiles, known or captured.
        ignore_nan: Whether NaN counts for nothing rather than wins.
    """
    values: Any = line.values
    recorder = values._recorder
    inexact = issubclass(values.dtype.type, np.inexact)
    order = order_along(values, 0)
    ordered: Any = np.take_along_axis(values, order, 0)
    shares: Any = np.take_along_axis(weights, order, 0)
    if ignore_nan and inexact:
        shares = np.where(np.isnan(ordered), lift(recorder, 0, shares.dtype), shares)
    total = np.cumsum(shares, axis=0, dtype=np.float64)
    reached = total / total[-1]
    quantiles = lift(recorder, q)
    if quantiles.dtype.kind == "f":
        reached = cast(reached, quantiles.dtype)
    # quantile 0 is the first element that weighs anything
    reached = np.where(reached == 0, lift(recorder, -1, reached.dtype), reached)
    spread = quantiles.reshape(q.shape + (1,) * values.ndim)
    before = np.sum(reached < spread, axis=q.ndim)
    leaves_out = ignore_nan and inexact
    number = np.sum(~np.isnan(ordered), axis=0) if leaves_out else values.shape[0]
    usable = np.isfinite(total[-1]) & (total[-1] != 0)
    if leaves_out:
        usable = usable | (number == 0)
    at = np.maximum(np.minimum(before, number - 1), 0)
    at = checked(at, np.all(usable) & np.all(weights >= 0))
    rest = at.shape[q.ndim :]
    found: Any = np.take_along_axis(ordered, at.reshape((q.size, *rest)), 0).reshape(
        q.shape + rest
    )
    if inexact:
        missing = number == 0 if ignore_nan else np.isnan(ordered[-1])
        found = np.where(missing, lift(recorder, np.nan, values.dtype), found)
    if not found.ndim:  # an array here, unlike NumPy's other quantiles
        found._state = Owned()
    return found
