"""Recorded axis moves whose results are fresh arrays, for use inside compositions.

A view of an intermediate nobody else holds needs no storage, step or shadow.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast
from ir.ops import interned
from ir.ops.reduction import Any_, Sum
from ir.ops.shaping import BroadcastTo, Iota, Reshape, Slice, Transpose
from ir.types import BOOL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture.recorder import Recorder
    from capture.tensor import Tensor
    from ir.dims import DimLike, Shape


def fresh(x: Tensor) -> Tensor:
    """Return the same value as a tensor that shares no storage."""
    return type(x)(x._recorder, x._read(), x._type)


def reshape(x: Tensor, shape: Shape) -> Tensor:
    """Return the elements under another shape of as many."""
    if shape == x._type.shape:
        return fresh(x)
    result: Tensor = x._recorder.apply(interned(Reshape, tuple(shape)), x)
    return result


def transpose(x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return the axes in another order."""
    order = tuple(axes)
    if order == tuple(range(x.ndim)):
        return fresh(x)
    result: Tensor = x._recorder.apply(interned(Transpose, order), x)
    return result


def broadcast_to(x: Tensor, shape: Shape) -> Tensor:
    """Return the elements repeated up to a shape."""
    if shape == x._type.shape:
        return fresh(x)
    result: Tensor = x._recorder.apply(interned(BroadcastTo, tuple(shape)), x)
    return result


def window(x: Tensor, axis: int, start: DimLike, size: DimLike, step: int = 1) -> Tensor:
    """Return ``size`` elements along one axis from ``start`` by ``step``."""
    shape = x._type.shape
    axis %= x.ndim
    starts: list[DimLike] = [0] * x.ndim
    starts[axis] = start
    steps = [1] * x.ndim
    steps[axis] = step
    sizes = (*shape[:axis], size, *shape[axis + 1 :])
    result: Tensor = x._recorder.apply(interned(Slice, tuple(starts), sizes, tuple(steps)), x)
    return result


def iota(recorder: Recorder, size: DimLike) -> Tensor:
    """Return ``numpy.arange(size)``."""
    result: Tensor = recorder.apply(interned(Iota, size))
    return result


def total(x: Any, axes: Sequence[int], keepdims: bool = False) -> Tensor:
    """Return the sum in the operand's own dtype: integers wrap, bools are joined by "or"."""
    if not axes:
        return fresh(x)
    op = Any_ if x.dtype == BOOL else Sum
    result: Tensor = x._recorder.apply(interned(op, tuple(sorted(axes)), keepdims), x)
    return result


def sum_of_products(a: Any, b: Any, axes: Sequence[int]) -> Tensor:
    """Return ``(a * b).sum(axes)`` of broadcast operands of one dtype.

    Half precision is summed in float32 and rounded once, as NumPy's products do.
    """
    dtype = a.dtype
    if dtype.kind in "fV" and dtype.itemsize == 2:
        wide = np.dtype(np.float32)
        return cast(total(np.multiply(cast(a, wide), cast(b, wide)), axes), dtype)
    return total(np.multiply(a, b), axes)


@cache
def dot_dtype(first: np.dtype[Any], second: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of ``numpy.dot``: NumPy's own answer on empty arrays."""
    dtype: np.dtype[Any] = np.dot(np.empty(0, first), np.empty(0, second)).dtype
    return dtype
