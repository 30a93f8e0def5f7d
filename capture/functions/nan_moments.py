"""Means and variances that leave NaN out."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import (
    NO_VALUE,
    as_scalar,
    as_tensor,
    axis_tuple,
    deliver,
    given,
)
from capture.functions.nan_reductions import replaced
from capture.functions.reductions import mean, sum_
from capture.functions.registry import implements
from capture.functions.variance import chosen_ddof, var


def _check_inexact(dtype: Any, out: Any) -> None:
    for name, wanted in (("dtype", dtype), ("out", None if out is None else out.dtype)):
        if wanted is not None and not issubclass(np.dtype(wanted).type, np.inexact):
            raise TypeError(f"If a is inexact, then {name} must be inexact")


def _over(total: Any, number: Any) -> Any:
    """Divide by a captured count and return to the dtype of the total, as NumPy does."""
    return cast(np.true_divide(total, number), total.dtype)


@implements(np.nanmean)
def nanmean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
) -> Any:
    """``numpy.nanmean``."""
    x, mask = replaced(as_tensor("nanmean", a, where), 0.0)
    if mask is None:
        return mean(x, axis, dtype, out, keepdims, where=where)
    _check_inexact(dtype, out)
    number = sum_(~mask, axis, np.intp, None, keepdims, where=where)
    total = sum_(x, axis, dtype, None, keepdims, where=where)
    return deliver("nanmean", _over(total, number), out)


def _variance(
    x: Any,
    mask: Any,
    axis: Any,
    dtype: Any,
    ddof: Any,
    keepdims: Any,
    where: Any,
    average: Any,
) -> Any:
    number = sum_(~mask, axis, np.intp, None, True, where=where)
    if given(average):
        centre = lift(x._recorder, average)
    else:
        centre = _over(sum_(x, axis, dtype, None, True, where=where), number)
    # NumPy keeps the deviations in the array's own dtype
    deviation: Any = cast(x - centre, x.dtype)
    deviation = np.where(mask, lift(x._recorder, 0, x.dtype), deviation)
    total = sum_(deviation * deviation, axis, dtype, None, keepdims, where=where)
    if total.ndim < number.ndim:
        number = np.squeeze(number, axis_tuple(axis, number.ndim))
    freedom = number - ddof
    nan = lift(x._recorder, np.nan, total.dtype)
    return as_scalar(np.where(freedom <= 0, nan, _over(total, freedom)))


@implements(np.nanvar)
def nanvar(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """``numpy.nanvar``."""
    x, mask = replaced(as_tensor("nanvar", a, where, mean), 0.0)
    if mask is None:
        return var(
            x, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction
        )
    _check_inexact(dtype, out)
    ddof = chosen_ddof(ddof, correction)
    return deliver("nanvar", _variance(x, mask, axis, dtype, ddof, keepdims, where, mean), out)


@implements(np.nanstd)
def nanstd(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Any:
    """``numpy.nanstd``."""
    x = as_tensor("nanstd", a, where, mean)
    spread = nanvar(
        x, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction
    )
    return deliver("nanstd", cast(np.sqrt(spread), spread.dtype), out)
