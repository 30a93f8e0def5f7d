"""Joining along new or standing axes: vstack, hstack, block and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import find_recorder, holds_tensor, lift
from capture.functions.arguments import as_array
from capture.functions.joining import concatenate
from capture.functions.registry import implements
from capture.functions.shaping import reshaped
from capture.tensor import Tensor
from ir.dims import DimLike


def _at_least(rank: int, function: Any, arys: tuple[Any, ...]) -> Any:
    """Return each array with ``rank`` axes or more; what is not captured stays NumPy's."""
    made = []
    for item in arys:
        if not holds_tensor(item):
            made.append(function(item))
            continue
        x = as_array(function.__name__, item)
        made.append(x if x.ndim >= rank else reshaped(x, _LONGER[rank](x._type.shape)))
    return made[0] if len(made) == 1 else tuple(made)


def _longer_2d(shape: tuple[DimLike, ...]) -> tuple[DimLike, ...]:
    return (1,) * (2 - len(shape)) + shape


def _longer_3d(shape: tuple[DimLike, ...]) -> tuple[DimLike, ...]:
    return (*_longer_2d(shape), 1)


_LONGER = {1: lambda shape: (1,), 2: _longer_2d, 3: _longer_3d}
"""The shape that NumPy gives an array of fewer axes."""


@implements(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """``numpy.atleast_1d``."""
    return _at_least(1, np.atleast_1d, arys)


@implements(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """``numpy.atleast_2d``."""
    return _at_least(2, np.atleast_2d, arys)


@implements(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """``numpy.atleast_3d``."""
    return _at_least(3, np.atleast_3d, arys)


@implements(np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """``numpy.vstack``."""
    rows = [np.atleast_2d(item) for item in tup]
    return concatenate(rows, 0, dtype=dtype, casting=casting)


@implements(np.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    """``numpy.hstack``: vectors join along their only axis, all else along the second."""
    columns = [np.atleast_1d(item) for item in tup]
    axis = 0 if columns and columns[0].ndim == 1 else 1
    return concatenate(columns, axis, dtype=dtype, casting=casting)


@implements(np.dstack)
def dstack(tup: Any) -> Any:
    """``numpy.dstack``."""
    return concatenate([np.atleast_3d(item) for item in tup], 2)


@implements(np.column_stack)
def column_stack(tup: Any) -> Any:
    """``numpy.column_stack``: vectors become columns."""
    recorder = find_recorder(tup)
    assert recorder is not None
    columns = []
    for item in tup:
        x = lift(recorder, item)
        columns.append(x if x.ndim >= 2 else np.atleast_2d(x).T)
    return concatenate(columns, 1)


@implements(np.append)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """``numpy.append``."""
    if axis is None:
        return concatenate((np.ravel(arr), np.ravel(values)), 0)
    return concatenate((arr, values), axis)


@implements(np.block)
def block(arrays: Any) -> Any:
    """``numpy.block``: innermost lists join along the last axis, outer ones before it."""
    depth = _depth(arrays, ())
    rank = max(depth, _largest_rank(arrays))
    if not depth:
        return as_array("block", arrays).copy()
    return _assembled(arrays, depth, rank)


def _depth(arrays: Any, path: tuple[int, ...]) -> int:
    """Return how deep the lists nest.

    Raises:
        TypeError: A tuple stands where a list should.
        ValueError: The depths differ, or a list is empty.
    """
    where = "arrays" + "".join(f"[{index}]" for index in path)
    if type(arrays) is tuple:
        raise TypeError(
            f"{where} is a tuple. Only lists can be used to arrange blocks, and np.block does "
            "not allow implicit conversion from tuple to ndarray."
        )
    if type(arrays) is not list:
        return 0
    if not arrays:
        raise ValueError(f"List at {where} cannot be empty")
    depths = [_depth(item, (*path, index)) for index, item in enumerate(arrays)]
    for index, depth in enumerate(depths):
        if depth != depths[0]:
            raise ValueError(
                f"List depths are mismatched. First element was at depth "
                f"{len(path) + 1 + depths[0]}, but there is an element at depth "
                f"{len(path) + 1 + depth} ({where}[{index}])"
            )
    return depths[0] + 1


def _largest_rank(arrays: Any) -> int:
    if type(arrays) is list:
        return max(map(_largest_rank, arrays))
    return np.ndim(arrays)


def _assembled(arrays: Any, depth: int, rank: int) -> Any:
    if not depth:
        if not holds_tensor(arrays):
            return np.array(arrays, ndmin=rank)
        x = as_array("block", arrays)
        return reshaped(x, (1,) * (rank - x.ndim) + x._type.shape)
    parts = [_assembled(item, depth - 1, rank) for item in arrays]
    if not any(type(part) is Tensor for part in parts):
        return np.concatenate(parts, axis=rank - depth)
    return concatenate(parts, rank - depth)
