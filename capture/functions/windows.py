"""Overlapping windows."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from capture.functions.arguments import as_array, single_axis
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis
from capture.symbolic import dim_of
from capture.tensor import Tensor
from ir.dims import Dim, prove_lt
from ir.ops import interned
from ir.ops.indexing import Take
from ir.ops.shaping import Iota


@implements(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(
    x: Any,
    window_shape: Any,
    axis: Any = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Any:
    """``numpy.lib.stride_tricks.sliding_window_view``: a gathered copy, read-only in NumPy."""
    tensor = as_array("sliding_window_view", x)
    given = window_shape if isinstance(window_shape, tuple | list) else (window_shape,)
    sizes = [dim_of(size) for size in given]
    if any(isinstance(size, int) and size < 0 for size in sizes):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = list(range(tensor.ndim))
        if len(sizes) != len(axes):
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(sizes)} window_shape elements and `x.ndim` is {tensor.ndim}."
            )
    else:
        listed = axis if isinstance(axis, tuple | list) else (axis,)
        axes = [single_axis(operator.index(item), tensor.ndim) for item in listed]
        if len(axes) != len(sizes):
            raise ValueError(
                "Must provide matching length window_shape and axis; got "
                f"{len(sizes)} window_shape elements and {len(axes)} axes elements."
            )
    for position, size in zip(axes, sizes, strict=True):
        tensor = _windowed(tensor, position, size)
    return tensor


def _windowed(x: Tensor, axis: int, size: int | Dim) -> Tensor:
    """Return windows along one axis, each as a new last axis."""
    length = x._type.shape[axis]
    if prove_lt(length, size):
        raise ValueError("window shape cannot be larger than input array shape")
    recorder = x._recorder
    starts = recorder.apply(interned(Iota, length - size + 1))
    offsets = recorder.apply(interned(Iota, size))
    windows: Tensor = recorder.apply(interned(Take, axis), x, starts[:, None] + offsets)
    moved: Tensor = moveaxis(windows, axis + 1, -1)
    return moved.copy()  # type: ignore[no-any-return]
