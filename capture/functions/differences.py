"""Differences of neighbours: diff, ediff1d, unwrap, and areas under samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import as_tensor, single_axis
from capture.functions.reductions import broadcast_scalar
from capture.functions.registry import implements
from capture.functions.shaping import reshaped
from capture.tensor import Tensor
from ir.types import BOOL, INTEGER


def along(axis: int, part: Any) -> tuple[Any, ...]:
    """Return the key that takes ``part`` of one axis and all of those before it."""
    return (*(slice(None),) * axis, part)


def _edge(x: Tensor, value: Any, axis: int) -> Tensor:
    """Return what is put before or after ``x``: a scalar becomes a slice of one."""
    tensor = lift(x._recorder, value)
    if tensor.ndim:
        return tensor
    shape = list(x._type.shape)
    shape[axis] = 1
    return broadcast_scalar(tensor, tuple(shape))


@implements(np.diff)
def diff(
    a: Any, n: int = 1, axis: Any = -1, prepend: Any = np._NoValue, append: Any = np._NoValue
) -> Any:
    """``numpy.diff``; bools differ by "not equal"."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    x = as_tensor("diff", a, prepend, append)
    if not x.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    chosen = single_axis(axis, x.ndim)
    parts: list[Any] = [x]
    if prepend is not np._NoValue:
        parts.insert(0, _edge(x, prepend, chosen))
    if append is not np._NoValue:
        parts.append(_edge(x, append, chosen))
    joined: Any = np.concatenate(parts, chosen) if len(parts) > 1 else x
    difference = np.not_equal if joined.dtype == BOOL else np.subtract
    for _ in range(n):
        later, earlier = along(chosen, slice(1, None)), along(chosen, slice(None, -1))
        joined = difference(joined[later], joined[earlier])
    return joined


def _compatible(name: str, x: Tensor, value: Any) -> Any:
    edge = lift(x._recorder, value)
    if not np.can_cast(edge.dtype, x.dtype, "same_kind"):
        raise TypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` "
            "rule."
        )
    return cast(edge, x.dtype).ravel()


@implements(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """``numpy.ediff1d``."""
    x = as_tensor("ediff1d", ary, to_end, to_begin).ravel()
    parts: list[Any] = [x[1:] - x[:-1]]
    if to_begin is not None:
        parts.insert(0, _compatible("to_begin", x, to_begin))
    if to_end is not None:
        parts.append(_compatible("to_end", x, to_end))
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


@implements(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2 * math.pi) -> Any:
    """``numpy.unwrap``."""
    x = as_tensor("unwrap", p, discont, period)
    chosen = single_axis(axis, x.ndim)
    steps = diff(x, axis=chosen)
    if discont is None:
        discont = period / 2
    dtype = np.result_type(steps, period)
    if dtype in INTEGER:
        high, remainder = divmod(period, 2)
        ambiguous = bool(remainder == 0)
    else:
        high, ambiguous = period / 2, True
    low = -high
    wrapped = np.mod(steps - low, period) + low
    if ambiguous:
        upper = lift(x._recorder, high, wrapped.dtype)
        wrapped = np.where((wrapped == low) & (steps > 0), upper, wrapped)
    correction = np.where(np.abs(steps) < discont, 0, wrapped - steps)
    tail = along(chosen, slice(1, None))
    result = x.astype(dtype, "C")
    result[tail] = x[tail] + np.cumsum(correction, chosen)
    return result


@implements(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """``numpy.trapezoid``."""
    heights = as_tensor("trapezoid", y, x, dx)
    chosen = single_axis(axis, heights.ndim)
    if x is None:
        widths = dx
    else:
        places = lift(heights._recorder, x)
        if places.ndim == 1:
            gaps = diff(places)
            sizes = [1] * heights.ndim
            widths = reshaped(
                gaps, (*sizes[:chosen], gaps._type.shape[0], *sizes[chosen + 1 :])
            )
        else:
            widths = diff(places, axis=axis)
    later, earlier = along(chosen, slice(1, None)), along(chosen, slice(None, -1))
    return np.sum(widths * (heights[later] + heights[earlier]) / 2.0, chosen)
