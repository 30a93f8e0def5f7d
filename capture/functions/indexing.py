"""Reading by positions and masks: nonzero, take, compress, select."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.advanced_indexing import nonzero as coordinates_of
from capture.coerce import cast, holds_tensor, lift, prepare, promotion_key, recorder_of
from capture.functions.arguments import as_tensor, deliver, single_axis
from capture.functions.registry import implements
from capture.functions.shaping import reshaped
from capture.location import here
from capture.promotion import result_dtype
from capture.symbolic import as_size
from capture.tensor import Tensor
from ir.dims import Dim
from ir.errors import ShapeError
from ir.ops import interned
from ir.ops.indexing import Take, TakeAlongAxis
from ir.shapes import broadcast
from ir.types import BOOL, INT64, INTEGER


def _truth(x: Tensor) -> Tensor:
    return cast(x, BOOL)


@implements(np.nonzero)
def nonzero(a: Any) -> tuple[Any, ...]:
    """``numpy.nonzero``: the count is a fresh symbol."""
    x = as_tensor("nonzero", a)
    if not x.ndim:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead."
        )
    found = coordinates_of(_truth(x))
    return tuple(found[:, axis] for axis in range(x.ndim))


@implements(np.argwhere)
def argwhere(a: Any) -> Any:
    """``numpy.argwhere``."""
    x = as_tensor("argwhere", a)
    if not x.ndim:
        return coordinates_of(_truth(reshaped(x, (1,))))[:, :0]
    return coordinates_of(_truth(x)).copy()


@implements(np.flatnonzero)
def flatnonzero(a: Any) -> Any:
    """``numpy.flatnonzero``."""
    return nonzero(as_tensor("flatnonzero", a).ravel())[0]


def _bounded(operation: str, indices: Any, size: int | Dim, mode: str) -> Any:
    """Apply ``mode=`` to positions."""
    if mode == "raise":
        return indices
    limit = as_size(indices._recorder, size)
    if mode == "wrap":
        return np.remainder(indices, limit)
    if mode == "clip":
        return np.clip(indices, 0, limit - 1)
    raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


@implements(np.take)
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """``numpy.take``; without ``axis``, from the flattened array."""
    x = as_tensor("take", a, indices)
    if type(indices) in (list, tuple) and not holds_tensor(indices):
        indices = np.array(indices, np.int64)  # also of floats, and of an empty list
    where = lift(x._recorder, indices)
    if where.dtype not in INTEGER and where.dtype != BOOL:
        raise TypeError(
            f"take: Cannot cast array data from {where.dtype!r} to dtype('int64') according to "
            f"the rule 'safe'{here()}"
        )
    if axis is None:
        x, axis = x.ravel(), 0
    elif not x.ndim:
        x = x.reshape(1)
    axis = single_axis(axis, x.ndim)
    size = x._type.shape[axis]
    if mode == "raise" and type(indices) is not Tensor and isinstance(size, int):
        given = np.asarray(indices)
        if given.size and not (-size <= given.min() and given.max() < size):
            raise IndexError(
                f"take: index out of bounds for axis {axis} with size {size}{here()}"
            )
    positions = cast(_bounded("take", where, size, mode), INT64)
    return deliver("take", x._recorder.apply(interned(Take, axis), x, positions), out)


@implements(np.take_along_axis)
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """``numpy.take_along_axis``."""
    x = as_tensor("take_along_axis", arr, indices)
    where = lift(x._recorder, indices)
    if where.dtype not in INTEGER:
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if where.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        x, axis = x.ravel(), 0
    axis = single_axis(axis, x.ndim)
    if x.ndim != where.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return x._recorder.apply(interned(TakeAlongAxis, axis), x, cast(where, INT64))


@implements(np.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """``numpy.compress``: a condition shorter than the axis stands for False beyond its end."""
    x = as_tensor("compress", a, condition)
    mask = condition if type(condition) is Tensor else np.asarray(condition, bool)
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    if axis is None:
        x, axis = x.ravel(), 0
    elif not x.ndim:
        x = x.reshape(1)
    axis = single_axis(axis, x.ndim)
    if type(mask) is not Tensor:
        positions: Any = np.flatnonzero(mask)
    else:
        positions = flatnonzero(mask)
    return deliver("compress", take(x, positions, axis), out)


@implements(np.extract)
def extract(condition: Any, arr: Any) -> Any:
    """``numpy.extract``."""
    x = as_tensor("extract", arr, condition)
    positions = np.nonzero(np.ravel(condition))[0]
    return take(x.ravel(), positions)


@implements(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """``numpy.select``: the first true condition chooses."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    recorder = recorder_of("select", condlist, choicelist, default)
    choices = [prepare(recorder, choice) for choice in choicelist]
    fallback = prepare(recorder, default)
    dtype = result_dtype([promotion_key(choice) for choice in (*choices, fallback)])
    result: Any = lift(recorder, fallback, dtype)
    masks: list[Tensor] = []
    for condition in condlist:
        mask = lift(recorder, condition)
        if mask.dtype != BOOL:
            raise TypeError(
                f"invalid entry {len(masks)} in condlist: should be boolean ndarray{here()}"
            )
        masks.append(mask)
    for mask, choice in zip(reversed(masks), reversed(choices), strict=True):
        result = np.where(mask, lift(recorder, choice, dtype), result)
    shape = broadcast(*(t._type.shape for t in masks), result._type.shape)
    if shape != result._type.shape:
        result = np.broadcast_to(result, tuple(as_size(recorder, dim) for dim in shape)).copy()
    return result


@implements(np.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """``numpy.choose``: element by element from a list of arrays."""
    x = as_tensor("choose", a, choices)
    if x.dtype not in INTEGER and x.dtype != BOOL:
        raise TypeError(f"choose: positions must be integers, got {x._type}{here()}")
    listed = list(choices)
    prepared = [prepare(x._recorder, choice) for choice in listed]
    dtype = result_dtype([promotion_key(choice) for choice in prepared])
    tensors = [lift(x._recorder, choice, dtype) for choice in prepared]
    try:
        shape = broadcast(x._type.shape, *(tensor._type.shape for tensor in tensors))
    except ShapeError as error:
        raise ValueError(
            f"shape mismatch: objects cannot be broadcast to a single shape: {error}"
        ) from None
    sizes = tuple(as_size(x._recorder, dim) for dim in shape)
    stacked = np.stack([np.broadcast_to(tensor, sizes) for tensor in tensors])
    positions = _bounded("choose", cast(x, INT64), len(tensors), mode)
    wanted = np.broadcast_to(positions, sizes)[None]
    result = take_along_axis(stacked, wanted, 0)[0]
    return deliver("choose", result, out)
