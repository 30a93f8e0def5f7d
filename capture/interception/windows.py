"""``as_strided`` on captured arrays: the overlapping windows that programs build with it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from capture.coerce import find_recorder
from capture.errors import UnsupportedError
from capture.location import here
from capture.tensor import Tensor
from capture.views import shadow_of

_original = np.lib.stride_tricks.as_strided


@functools.wraps(_original)
def as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True
) -> Any:
    """``numpy.lib.stride_tricks.as_strided``: a gather of the elements it would alias."""
    if find_recorder(x) is None:
        return _original(x, shape, strides, subok, writeable)
    if type(x) is not Tensor or not x._type.is_static:
        raise UnsupportedError(
            f"as_strided: needs an array of known sizes{here()}\n  ways out: "
            "sliding_window_view, or slicing"
        )
    itemsize = x.itemsize
    layout = shadow_of(x)
    sizes = x.shape if shape is None else tuple(map(int, shape))
    steps = layout.strides if strides is None else tuple(int(s) for s in strides)
    if strides is not None:
        if any(step % itemsize for step in steps):
            raise UnsupportedError(f"as_strided: strides {steps} split elements{here()}")
        steps = tuple(step // itemsize for step in steps)
    if not all(a == b for a, b in zip(layout.strides, _c_strides(x.shape), strict=True)):
        raise UnsupportedError(
            f"as_strided: the array is a view with a layout of its own; copy it first{here()}"
        )
    offsets = np.zeros((1,) * len(sizes), np.int64)
    for axis, (size, step) in enumerate(zip(sizes, steps, strict=True)):
        form = [1] * len(sizes)
        form[axis] = size
        offsets = offsets + (np.arange(size) * step).reshape(form)
    if offsets.size and not (offsets.min() >= 0 and offsets.max() < x.size):
        raise UnsupportedError(f"as_strided: reaches outside the array {x._type}{here()}")
    return x.reshape(-1)[offsets]


def _c_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = []
    stride = 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= max(size, 1)
    return tuple(reversed(strides))


STRIDE_TRICKS: dict[str, Any] = {"as_strided": as_strided}
"""Replacements by the name they have in :mod:`numpy.lib.stride_tricks`."""
