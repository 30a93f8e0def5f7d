"""Averages with weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import lift
from capture.functions.arguments import NO_VALUE, as_tensor
from capture.functions.positions import known_array
from capture.functions.reductions import broadcast_scalar, count, mean
from capture.functions.registry import implements
from capture.functions.shaping import reshaped
from capture.tensor import Tensor
from ir.dims import prove_eq
from ir.shapes import normalize_axis, product
from ir.types import BOOL, INTEGER, supported_dtype


def listed_axes(axis: Any, rank: int) -> tuple[int, ...] | None:
    """Return axes in the order they were given; ``None`` stays.

    Raises:
        AxisError: One is out of bounds.
        ValueError: One is named twice.
    """
    if axis is None:
        return None
    given_axes = axis if isinstance(axis, tuple | list) else (axis,)
    axes = tuple(normalize_axis(int(item), rank) for item in given_axes)
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis in `axis` argument")
    return axes


def fitted_weights(x: Tensor, weights: Any, axes: tuple[int, ...] | None) -> Tensor:
    """Return weights that broadcast against ``x``: of its shape, or of that along ``axes``.

    Raises:
        TypeError: The shapes differ and there is no axis.
        ValueError: The shape along the axes differs.
    """
    fitted = lift(x._recorder, weights)
    sizes = x._type.shape
    if fitted._type.shape == sizes:
        return fitted
    if axes is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    wanted = tuple(sizes[axis] for axis in axes)
    if len(wanted) != fitted.ndim or not all(map(prove_eq, fitted._type.shape, wanted)):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    turned: Any = np.transpose(fitted, np.argsort(axes))
    return reshaped(turned, tuple(d if i in axes else 1 for i, d in enumerate(sizes)))


@implements(np.average)
def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: Any = NO_VALUE,
) -> Any:
    """``numpy.average``; captured weights that sum to zero divide by zero: NumPy raises."""
    x = as_tensor("average", a, weights)
    axes = listed_axes(axis, x.ndim)
    if weights is None:
        averaged = mean(x, axes, keepdims=keepdims)
        if product(averaged._type.shape) == 0:
            raise ZeroDivisionError("division by zero")
        if not returned:
            return averaged
        number = count(x, axes if axes is not None else tuple(range(x.ndim)))
        total: Any = lift(x._recorder, number, averaged.dtype)
    else:
        fitted = fitted_weights(x, weights, axes)
        dtypes = [x.dtype, fitted.dtype]
        if x.dtype in INTEGER or x.dtype == BOOL:
            dtypes.append(np.dtype(np.float64))
        dtype = supported_dtype(np.result_type(*dtypes))
        total = np.sum(fitted, axis=axes, dtype=dtype, keepdims=keepdims)
        known = known_array(x._recorder, fitted)
        empty = product(fitted._type.shape) == 0 and product(total._type.shape) != 0
        if empty or (known is not None and np.any(np.sum(known, axis=axes) == 0.0)):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        weighted = np.multiply(x, fitted, dtype=dtype)
        averaged = np.sum(weighted, axis=axes, keepdims=keepdims) / total
    if not returned:
        return averaged
    if total._type.shape != averaged._type.shape:
        if total.ndim:
            total = np.broadcast_to(total, averaged.shape).copy()
        else:
            total = broadcast_scalar(total, averaged._type.shape)
    return averaged, total
