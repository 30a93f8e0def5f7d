"""The order in which fresh arrays lie in memory: what ``order=`` means, what constants have.

It never changes a value. It decides whether a later ``reshape`` or ``ravel`` is a view or a
copy, and so who sees a write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.views import Owned, concrete_shape, contiguous_shadow, k_order, shadow_of

if TYPE_CHECKING:
    from capture.tensor import Tensor
    from ir.dims import Shape


def layout_of(array: np.ndarray[Any, Any]) -> Owned | None:
    """Return the layout of an array's tensor: its own axis order, gaps closed."""
    if not array.ndim:
        return Owned()
    if array.ndim == 1 or array.flags.c_contiguous:
        return None
    order = tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))
    return _in_order(array.shape, order)


def fresh_layout(shape: Shape, order: str | None) -> Owned | None:
    """Return the layout of an array made from nothing, for ``order`` "C" or "F"."""
    if not shape:
        return Owned()
    if order is None or order.upper() != "F" or len(shape) < 2:
        return None
    return _in_order(concrete_shape(shape), tuple(reversed(range(len(shape)))))


def copied_layout(tensor: Tensor, order: str | None) -> Owned | None:
    """Return the layout of a copy of a tensor, for ``order`` "C", "F", "A" or "K"."""
    shape = tensor._type.shape
    if not shape:
        return Owned()
    order = "K" if order is None else order.upper()
    if order == "A":
        order = "F" if is_laid_out(tensor, "F") and not is_laid_out(tensor, "C") else "C"
    return k_order([tensor], shape) if order == "K" else fresh_layout(shape, order)


def is_laid_out(tensor: Tensor, order: str) -> bool:
    """Whether a tensor is contiguous in ``order`` "C" or "F"."""
    flags = shadow_of(tensor).flags
    return flags.f_contiguous if order.upper() == "F" else flags.c_contiguous


def _in_order(shape: tuple[int, ...], order: tuple[int, ...]) -> Owned | None:
    shadow = contiguous_shadow(shape, order)
    return None if shadow.flags.c_contiguous else Owned(shadow)
