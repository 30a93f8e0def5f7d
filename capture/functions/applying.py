"""Functions that call a function of the user's."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import lift, recorder_of
from capture.errors import ConcreteValueError
from capture.functions.arguments import as_tensor, single_axis
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis
from capture.location import here
from ir.types import BOOL


@implements(np.apply_along_axis)
def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """``numpy.apply_along_axis``: the function is called once per row; how many must be known."""
    x = as_tensor("apply_along_axis", arr)
    axis = single_axis(axis, x.ndim)
    last = moveaxis(x, axis, -1)
    leading = last._type.shape[:-1]
    if not all(isinstance(size, int) for size in leading):
        raise ConcreteValueError(
            f"apply_along_axis: the number of rows of {x._type} is known only when the graph "
            f"runs{here()}\n  ways out: a function that takes the axis itself; capture.map over "
            "the first axis"
        )
    rows = [func1d(last[index], *args, **kwargs) for index in np.ndindex(*leading)]
    if not rows:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    stacked = np.stack([lift(x._recorder, row) for row in rows])
    result = stacked.reshape(*leading, *stacked.shape[1:])
    inner = result.ndim - len(leading)
    for offset in range(inner):
        result = moveaxis(result, len(leading) + offset, axis + offset)
    return result.copy() if result.ndim else result


@implements(np.apply_over_axes)
def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """``numpy.apply_over_axes``."""
    result = as_tensor("apply_over_axes", a)
    rank = result.ndim
    for axis in np.atleast_1d(axes).tolist():
        position = axis + rank if axis < 0 else axis
        applied = func(result, position)
        if applied.ndim != rank:
            applied = np.expand_dims(applied, position)
            if applied.ndim != rank:
                raise ValueError("function is not returning an array of the correct shape")
        result = applied
    return result


@implements(np.piecewise)
def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """``numpy.piecewise``: every function sees the whole array; later conditions win."""
    value = as_tensor("piecewise", x, condlist)
    recorder = recorder_of("piecewise", x, condlist)
    if isinstance(condlist, list | tuple):
        single = not isinstance(condlist[0], list | tuple | np.ndarray) and value.ndim != 0
        conditions = [condlist] if single else list(condlist)
    else:
        conditions = [condlist] if condlist.ndim == value.ndim else list(condlist)
    masks = [lift(recorder, condition).astype(BOOL) for condition in conditions]
    functions = list(funclist)
    if len(functions) == len(masks) + 1:
        otherwise = ~masks[0]
        for mask in masks[1:]:
            otherwise = otherwise & ~mask
        masks.append(otherwise)
    elif len(functions) != len(masks):
        raise ValueError(
            f"with {len(masks)} condition(s), either {len(masks)} or {len(masks) + 1} functions "
            "are expected"
        )
    result: Any = np.zeros_like(value)
    for mask, function in zip(masks, functions, strict=True):
        chosen = function(value, *args, **kw) if callable(function) else function
        cast_choice = lift(recorder, chosen).astype(value.dtype)
        result = np.where(mask, cast_choice, result)
    return result
