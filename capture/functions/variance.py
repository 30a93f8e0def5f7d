"""Variance, standard deviation and range over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import (
    NO_VALUE,
    as_tensor,
    axis_tuple,
    deliver,
    fold_axes,
    given,
)
from capture.functions.reductions import count, max_, min_, reduce_with
from capture.functions.registry import implements
from capture.promotion import check_casting
from capture.symbolic import SymbolicInt, as_size
from capture.tensor import Tensor
from ir.dims import dim_max
from ir.ops.reduction import Sum
from ir.types import BFLOAT16, BOOL, INT64, INTEGER, supported_dtype

_FLOAT32 = np.dtype(np.float32)
_FLOAT64 = np.dtype(np.float64)
_HALVES = (np.dtype(np.float16), BFLOAT16)


def over_count(total: Tensor, number: Any) -> Tensor:
    """Return ``total / number`` in the dtype of ``total``; halves need not hold the count."""
    if type(number) is not Tensor and total.dtype in _HALVES:
        return cast(np.true_divide(cast(total, _FLOAT32), number), total.dtype)
    return cast(np.true_divide(total, number), total.dtype)


def degrees_of_freedom(number: Any, ddof: Any) -> Any:
    """Return ``max(number - ddof, 0)`` for a count that is an int, a size or a tensor."""
    if type(number) is SymbolicInt and isinstance(ddof, int):
        left = dim_max(number.dim - ddof, 0)
        return as_size(number._recorder, left)
    if type(number) is SymbolicInt:
        number = number.tensor(_FLOAT64)
    if type(number) is Tensor or type(ddof) is Tensor:
        return np.maximum(number - ddof, 0)
    return max(number - ddof, 0)


def selected_count(x: Tensor, axes: tuple[int, ...], keepdims: Any, where: Any) -> Any:
    """Return how many elements ``where`` selects: a number, or a tensor with a mask."""
    if not given(where) or where is True:
        return count(x, axes)
    mask = np.broadcast_to(cast(lift(x._recorder, where), BOOL), x.shape)
    return reduce_with(Sum, mask, axes, INT64, None, keepdims, NO_VALUE, True)


def variance(
    x: Tensor, axis: Any, dtype: Any, ddof: Any, keepdims: Any, where: Any, mean: Any
) -> Tensor:
    """Return the mean of squared deviations, in the steps and dtypes of NumPy."""
    masked = given(where) and where is not True
    axes = fold_axes(axis, x.ndim) if masked else axis_tuple(axis, x.ndim)
    fold = None if dtype is None else supported_dtype(dtype)
    if fold is None and (x.dtype in INTEGER or x.dtype == BOOL):
        fold = _FLOAT64
    if given(mean):
        average = lift(x._recorder, mean)
    else:
        total = reduce_with(Sum, x, axes, fold or x.dtype, None, True, NO_VALUE, where)
        average = over_count(total, selected_count(x, axes, True, where))
    squares = np.square(np.subtract(x, average))
    folded = fold or squares.dtype
    result = reduce_with(Sum, squares, axes, folded, None, keepdims, NO_VALUE, where)
    number = degrees_of_freedom(selected_count(x, axes, keepdims, where), ddof)
    return over_count(result, number)


def chosen_ddof(ddof: Any, correction: Any) -> Any:
    """Return the one of ``ddof=`` and ``correction=`` that was given.

    Raises:
        ValueError: Both are.
    """
    if correction is NO_VALUE:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


@implements(np.var)
def var(
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
    """``numpy.var``."""
    x = as_tensor("var", a, where, mean)
    ddof = chosen_ddof(ddof, correction)
    return deliver("var", variance(x, axis, dtype, ddof, keepdims, where, mean), out)


@implements(np.std)
def std(
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
    """``numpy.std``."""
    x = as_tensor("std", a, where, mean)
    ddof = chosen_ddof(ddof, correction)
    spread: Any = variance(x, axis, dtype, ddof, keepdims, where, mean)
    root: Any = np.sqrt(spread)
    if spread.ndim:  # NumPy takes the root in place; a scalar's is converted
        check_casting("std", root.dtype, spread.dtype, "same_kind")
    return deliver("std", cast(root, spread.dtype), out)


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = NO_VALUE) -> Any:
    """``numpy.ptp``."""
    x = as_tensor("ptp", a)
    largest = max_(x, axis, keepdims=keepdims)
    smallest = min_(x, axis, keepdims=keepdims)
    return deliver("ptp", np.subtract(largest, smallest), out)
