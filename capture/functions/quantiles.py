"""Quantiles and percentiles, with NaN winning or left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import NO_VALUE, as_scalar, as_tensor, deliver
from capture.functions.averages import fitted_weights, listed_axes
from capture.functions.nan_moments import nanmean
from capture.functions.ordered_axes import Line, line_up, without_nan
from capture.functions.positions import checked, gathered, known_array, known_value
from capture.functions.quantile_methods import Method, method_named
from capture.functions.registry import implements
from capture.functions.sorting import sorted_along
from capture.functions.weighted_quantiles import weighted
from capture.symbolic import as_size
from capture.tensor import Tensor
from capture.views import Owned, concrete_shape, contiguous_shadow
from ir.shapes import product

if TYPE_CHECKING:
    from collections.abc import Callable


def _neighbours(position: Any, count: Any) -> tuple[Any, Any]:
    """Return the elements before and after a position; beyond the ends both are the end."""
    before = np.floor(position)
    above, below = position >= count - 1, position < 0
    first = np.where(above, -1, np.where(below, 0, before))
    second = np.where(above, -1, np.where(below, 0, before + 1))
    return first, second


def _mixed(before: Any, after: Any, weight: Any, weak: bool) -> Any:
    """Return what lies between two elements, from the nearer end as NumPy computes it."""
    gap = after - before
    rest = 1 - weight
    if weak:  # one Python quantile leaves the dtype to the array
        dtype = np.result_type(before.dtype, 0.5)
        shares = [part.astype(dtype) for part in (weight, rest)]
    else:
        shares = [
            part.reshape(part.shape + (1,) * (before.ndim - weight.ndim))
            for part in (weight, rest)
        ]
    near_end = shares[0] >= 0.5
    if type(near_end) is Tensor:
        return np.where(near_end, after - gap * shares[1], before + gap * shares[0])
    if near_end.all():
        return after - gap * shares[1]
    from_start = before + gap * shares[0]
    return (
        np.where(near_end, after - gap * shares[1], from_start)
        if near_end.any()
        else from_start
    )


def _plain(line: Line, q: Any, method: Method, weak: bool) -> Any:
    ordered = sorted_along(line.values, 0)
    recorder = ordered._recorder
    count = as_size(recorder, line.size)
    position = method.position(count, q)
    if method.weight is not None and position.dtype.kind in "iu":
        position = np.maximum(position, 0)  # before the front, some methods of q=0
        if type(count) is int:
            position = np.minimum(position, max(count - 1, 0))
    if method.weight is None or position.dtype.kind in "iu":
        result: Any = gathered(ordered, _valid(position, q), 0)
    else:
        first, second = _neighbours(position, count)
        weight = method.weight(position - first, position).astype(position.dtype)
        before, after = (
            gathered(ordered, _valid(at.astype(np.int64), q), 0) for at in (first, second)
        )
        result = _mixed(before, after, weight, weak)
    if not issubclass(ordered.dtype.type, np.inexact):
        return as_scalar(result)
    last: Any = ordered[-1]
    return as_scalar(np.where(np.isnan(last), cast(last, result.dtype), result))


def _valid(position: Any, q: Any) -> Any:
    """Return the position; captured quantiles outside [0, 1] fail when the graph runs."""
    if type(q) is not Tensor:
        return position
    return checked(position, (q >= 0) & (q <= 1))


def _ignoring_nan(line: Line, q: Any, method: Method, weak: bool) -> Any:
    """Return quantiles of as many elements as each reduction has numbers."""
    ordered, number = without_nan(line)
    spread = q.reshape(q.shape + (1,) * number.ndim)
    count: Any = number if q.dtype.kind in "iu" else cast(number, q.dtype)
    position = method.position(count, spread)
    last: Any = np.maximum(number - 1, 0)

    def read(at: Any) -> Any:
        at = _valid(np.where(at < 0, last, at).astype(np.int64), q)
        rest = at.shape[q.ndim :]
        found = np.take_along_axis(ordered, at.reshape((q.size, *rest)), 0)
        return found.reshape(q.shape + rest)

    if method.weight is None or position.dtype.kind in "iu":
        result: Any = read(position)
    else:
        first, second = _neighbours(position, count)
        weight = method.weight(position - first, position).astype(position.dtype)
        result = _mixed(read(first), read(second), weight, weak)
    nan = lift(ordered._recorder, np.nan, result.dtype)
    return as_scalar(np.where(number == 0, nan, result))


def _lay_quantiles_last(result: Any, lead: int) -> None:
    """Lay several quantiles beside each other, as NumPy's loop over the rest leaves them."""
    rank = result.ndim
    if 0 < lead < rank:
        order = (*range(lead, rank), *range(lead))
        shape = concrete_shape(result._type.shape)
        result._state = Owned(contiguous_shadow(shape, order))


def _fractions(x: Tensor, q: Any, percent: bool) -> Any:
    """Return the quantiles between 0 and 1: an ndarray where they are known.

    Raises:
        ValueError: They are known and outside.
    """
    given: Any = known_array(x._recorder, q)
    if given is None:
        given = lift(x._recorder, q)
    if percent:
        given = np.true_divide(given, 100)
    if type(given) is Tensor:
        return given
    if type(q) is int and x.dtype.kind == "f":
        given = float(given)  # NumPy gives one Python number the array's kind
    given = np.asanyarray(given)
    if given.size and not (given.min() >= 0 and given.max() <= 1):
        limits = "Percentiles must be in the range [0, 100]"
        raise ValueError(limits if percent else "Quantiles must be in the range [0, 1]")
    return given


def _weights_along(line: Line, x: Tensor, weights: Any, axes: Any) -> Tensor:
    known = known_array(x._recorder, weights)
    if known is not None and np.any(known < 0):
        raise ValueError("Weights must be non-negative.")
    scales: Any = np.broadcast_to(fitted_weights(x, weights, axes), x.shape)
    return line_up(scales, line.axes).values


def _handler(name: str, *, percent: bool, ignore_nan: bool) -> Callable[..., Any]:
    # the dtype of whole quantiles depends on method and spelling: NumPy is asked
    numpys = getattr(np, name)

    def handler(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: Any = False,
        method: str = "linear",
        keepdims: Any = NO_VALUE,
        *,
        weights: Any = None,
    ) -> Any:
        x = as_tensor(name, a, q, weights, out)
        fractions = _fractions(x, q, percent)
        if weights is not None and method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        if ignore_nan and product(x._type.shape) == 0:
            return nanmean(x, axis, out=out, keepdims=keepdims)
        axes = listed_axes(axis, x.ndim)
        line = line_up(x, axes)
        if fractions.ndim > 2:
            raise ValueError("q must be a scalar or 1d")
        if weights is not None:
            scales = _weights_along(line, x, weights, axes)
            found = weighted(line, scales, fractions, ignore_nan)
            return deliver(name, line.kept(found, keepdims), out)
        looks_for_nan = ignore_nan and issubclass(x.dtype.type, np.inexact)
        compute = _ignoring_nan if looks_for_nan else _plain
        # one Python number leaves the dtype to the array
        found = compute(line, fractions, method_named(method), type(q) in (int, float))
        if type(fractions) is np.ndarray and x.dtype.kind in "biuf":
            given = known_value(x._recorder, q)
            dtype = numpys(np.ones(2, x.dtype), given, method=method).dtype
            found = found if found.dtype == dtype else as_scalar(cast(found, dtype))
        if ignore_nan:
            _lay_quantiles_last(found, fractions.ndim)
        return deliver(name, line.kept(found, keepdims), out)

    return handler


quantile = implements(np.quantile)(_handler("quantile", percent=False, ignore_nan=False))
percentile = implements(np.percentile)(_handler("percentile", percent=True, ignore_nan=False))
nanquantile = implements(np.nanquantile)(
    _handler("nanquantile", percent=False, ignore_nan=True)
)
nanpercentile = implements(np.nanpercentile)(
    _handler("nanpercentile", percent=True, ignore_nan=True)
)
