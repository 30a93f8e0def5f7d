"""Counting: occurrences of small integers, and elements in bins."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import NO_VALUE, as_tensor
from capture.functions.positions import checked
from capture.functions.reductions import broadcast_scalar, reduce_with
from capture.functions.registry import implements
from capture.functions.shaping import reshaped
from capture.symbolic import as_size, dim_of
from capture.tensor import Tensor
from ir.dims import Dim, bounds, prove_eq, prove_lt
from ir.ops import interned
from ir.ops.indexing import CountUp, ScatterND
from ir.ops.reduction import Sum
from ir.types import BOOL, INT64, INTEGER

if TYPE_CHECKING:
    from ir.dims import DimLike

_FLOAT64 = np.dtype(np.float64)


def tally(size: DimLike, positions: Tensor, weights: Tensor) -> Tensor:
    """Return a vector that adds up the weights at each position, in order."""
    recorder = positions._recorder
    zero = broadcast_scalar(lift(recorder, 0, weights.dtype), (size,))
    indices = reshaped(positions, (*positions._type.shape, 1))
    if weights._type.shape != positions._type.shape:
        weights = broadcast_scalar(weights, positions._type.shape)
    result: Tensor = recorder.apply(interned(ScatterND, "add"), zero, indices, weights)
    return result


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """``numpy.count_nonzero``."""
    x = cast(as_tensor("count_nonzero", a), BOOL)
    return reduce_with(Sum, x, axis, INT64, None, keepdims, NO_VALUE, NO_VALUE)


def _vector(x: Tensor) -> Tensor:
    if x.ndim != 1:
        depth = "object too deep" if x.ndim else "object of too small depth"
        raise ValueError(f"{depth} for desired array")
    return x


@implements(np.bincount)
def bincount(x: Any, /, weights: Any = None, minlength: Any = 0) -> Any:
    """``numpy.bincount``: its length is a fresh symbol; a negative value fails at run time."""
    values = _vector(as_tensor("bincount", x, weights, minlength))
    recorder = values._recorder
    if values.dtype not in INTEGER and values.dtype != BOOL:
        raise TypeError(
            f"Cannot cast array data from {values.dtype!r} to {INT64!r} according to the rule "
            "'safe'"
        )
    least = _least_length(minlength)
    scales = lift(recorder, 1, INT64)
    if weights is not None:
        scales = cast(_vector(lift(recorder, weights)), _FLOAT64)
        if not prove_eq(scales._type.shape[0], values._type.shape[0]):
            raise ValueError("The weights and list don't have the same length.")
        if values._type.shape[0] == 0:  # NumPy then counts instead
            scales = cast(scales, INT64)
    positions = cast(values, INT64)
    length = _length(positions, least)
    return tally(length, checked(positions, positions >= 0), scales)


def _length(positions: Tensor, least: DimLike) -> DimLike:
    """Return the size that holds every position: the same one for the same positions.

    So ``bincount(x, weights) / bincount(x)`` agrees.
    """
    recorder = positions._recorder
    key = ("bincount", recorder.canonical(positions._read()), least)
    counted = recorder.coordinates.get(key)
    if counted is None:
        length = Dim(recorder.fresh_symbol("bins"), min=bounds(least)[0] or 0)
        shown = as_size(recorder, least)
        number = np.maximum(np.max(positions, initial=-1) + 1, shown)
        counted = recorder.coordinates[key] = recorder.apply(CountUp(count=length), number)
    return counted._type.shape[0]


def _least_length(minlength: Any) -> DimLike:
    if isinstance(minlength, Tensor):
        minlength = operator.index(minlength)
    least = dim_of(minlength)
    if prove_lt(least, 0):
        raise ValueError("'minlength' must not be negative")
    return least
