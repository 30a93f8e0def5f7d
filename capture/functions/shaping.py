"""Shapes and axes: views where NumPy gives views, copies where it copies."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.access import make_view
from capture.errors import UnsupportedError
from capture.functions.arguments import (
    as_array,
    as_tensor,
    axis_tuple,
    fold_axes,
    single_axis,
)
from capture.functions.registry import implements
from capture.layouts import copied_layout
from capture.location import here
from capture.requiring import require_shape, reshape_size
from capture.symbolic import dim_of
from capture.tensor import Tensor
from capture.views import (
    BroadcastStep,
    Owned,
    ReshapeStep,
    TransposeStep,
    concrete_shape,
    shadow_of,
)
from ir.errors import AxisError, ShapeError
from ir.ops.shaping import Reshape
from ir.shapes import broadcast, complete_reshape, normalize_axis, product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ir.dims import Shape


def as_shape(shape: Any) -> Shape:
    """Return a user's shape (a size or a sequence of sizes) as dimensions."""
    if type(shape) is Tensor:
        shape = shape.tolist()
    if isinstance(shape, list | tuple | np.ndarray):
        return tuple(dim_of(size) for size in shape)
    return (dim_of(shape),)


def _is_view(x: Tensor, shape: Shape) -> bool | None:
    """Whether NumPy's reshape needs no copy; ``None`` when it depends on a symbolic size."""
    if x._state is None:
        return True
    try:
        shadow_of(x).reshape(concrete_shape(shape), copy=False)
    except ValueError:
        return False if x._type.is_static else None
    return True


def _is_contiguous(x: Tensor) -> bool | None:
    """Whether the elements lie in C order without gaps; ``None`` when a size decides it."""
    if x._state is None or shadow_of(x).flags.c_contiguous:
        return True
    return False if x._type.is_static else None


def reshaped(x: Tensor, shape: Shape, copy: bool | None = None) -> Tensor:
    """Return ``x`` with exactly this shape: a view or a copy, as NumPy decides."""
    if x.is_scalar:  # a scalar is immutable: its array of one element has storage of its own
        x = Tensor(x._recorder, x._value, x._type, Owned())
    view = False if copy else _is_view(x, shape)
    if copy is False and not view:
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return _view_or_copy(x, shape, view)


def _view_or_copy(x: Tensor, shape: Shape, view: bool | None) -> Tensor:
    if view is False:
        result: Tensor = x._recorder.apply(Reshape(shape=shape), x)
        result._state = None if shape else Owned()
        return result
    return make_view(x, ReshapeStep(x._type.shape, shape), shape, settled=view is True)


def _known_order(x: Tensor, order: str) -> str:
    """Return ``"C"`` or ``"F"``, deciding ``"A"`` and ``"K"`` by the array's layout."""
    if order in ("C", "F"):
        return order
    if order not in ("A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    flags = shadow_of(x).flags
    if order == "A" or flags.c_contiguous or flags.f_contiguous:
        return "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    raise UnsupportedError(
        f"order='K' of {x._type}, which has gaps in memory, is not captured; say order='C' or "
        f"order='F'{here(2)}"
    )


def _relied_on(x: Tensor, target: Shape) -> tuple[Tensor, Shape] | None:
    """Return ``x`` as one axis of a size that the run has to meet, and its shape after that."""
    found = reshape_size(x._type.shape, target)
    if found is None:
        return None
    size, wanted = found
    flat = x if x.ndim == 1 else reshaped(x, (product(x._type.shape),))
    required = require_shape(flat, (size,))
    return None if required is None else (required, wanted)


@implements(np.reshape)
def reshape(
    a: Any, /, shape: Any = None, order: str = "C", *, copy: bool | None = None
) -> Any:
    """``numpy.reshape``: sizes may be symbolic, one may be ``-1``."""
    x = as_tensor("reshape", a)
    try:
        wanted = complete_reshape(x._type.shape, as_shape(shape))
    except ShapeError as error:
        relied = None if order == "F" or copy is False else _relied_on(x, as_shape(shape))
        if relied is None:
            raise ShapeError(f"reshape: {error}: operand {x._type}{here()}") from None
        x, wanted = relied
    if x.is_scalar and not wanted:
        return x
    if _known_order(x, order) == "F":
        return transpose(reshaped(transpose(x), wanted[::-1], copy))
    return reshaped(x, wanted, copy)


@implements(np.ravel)
def ravel(a: Any, order: str = "C") -> Any:
    """``numpy.ravel``: a view only of elements without gaps, where ``reshape(-1)`` may be more."""
    x = as_tensor("ravel", a)
    if _known_order(x, order) == "F":
        x = transpose(x)
    return _view_or_copy(x, (product(x._type.shape),), _is_contiguous(x))


@implements(np.transpose)
def transpose(a: Any, axes: Any = None) -> Any:
    """``numpy.transpose``."""
    x = as_tensor("transpose", a)
    rank = x.ndim
    if axes is None:
        order = tuple(range(rank))[::-1]
    else:
        order = tuple(normalize_axis(int(axis), rank) for axis in axes)
        if sorted(order) != list(range(rank)):
            raise ValueError("axes don't match array")
    return permuted(x, order)


@implements(np.permute_dims)
def permute_dims(a: Any, axes: Any = None) -> Any:
    """``numpy.permute_dims``."""
    return transpose(a, axes)


def permuted(x: Tensor, order: Sequence[int]) -> Tensor:
    """Return a view with axes in another order."""
    order = tuple(order)
    if x.is_scalar:
        return x
    if order == tuple(range(x.ndim)):
        return x[...]  # type: ignore[no-any-return]
    shape = tuple(x._type.shape[axis] for axis in order)
    return make_view(x, TransposeStep(order), shape)


@implements(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Any:
    """``numpy.matrix_transpose``."""
    if as_tensor("matrix_transpose", x).ndim < 2:
        raise ValueError("Input array must be at least 2-dimensional")
    return swapaxes(x, -1, -2)


@implements(np.swapaxes)
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """``numpy.swapaxes``."""
    x = as_tensor("swapaxes", a)
    order = list(range(x.ndim))
    first, second = single_axis(axis1, x.ndim), single_axis(axis2, x.ndim)
    order[first], order[second] = second, first
    return permuted(x, order)


@implements(np.rollaxis)
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    """``numpy.rollaxis``."""
    x = as_tensor("rollaxis", a)
    axis = single_axis(axis, x.ndim)
    target = operator.index(start) + (x.ndim if start < 0 else 0)
    if not 0 <= target <= x.ndim:
        raise AxisError(
            f"'start' arg requires {-x.ndim} <= start < {x.ndim + 1}, but {target} was passed in"
        )
    return moveaxis(x, axis, target - 1 if axis < target else target)


@implements(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """``numpy.moveaxis``."""
    x = as_tensor("moveaxis", a)
    sources = _axis_list(source, x.ndim)
    destinations = _axis_list(destination, x.ndim)
    if len(sources) != len(destinations):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(target, axis)
    return permuted(x, order)


def _axis_list(axis: Any, rank: int) -> list[int]:
    listed = axis if isinstance(axis, list | tuple) else (axis,)
    axes = [normalize_axis(int(item), rank) for item in listed]
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    return axes


@implements(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Any:
    """``numpy.expand_dims``."""
    x = as_tensor("expand_dims", a)
    listed = axis if isinstance(axis, list | tuple) else (axis,)
    axes = axis_tuple(tuple(listed), x.ndim + len(listed))
    sizes = iter(x._type.shape)
    shape = tuple(1 if i in axes else next(sizes) for i in range(x.ndim + len(axes)))
    return reshaped(x, shape)


@implements(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Any:
    """``numpy.squeeze``; without ``axis``, symbolic axes stay."""
    x = as_tensor("squeeze", a)
    if x.is_scalar and fold_axes(axis, 0) == ():
        return x
    sizes = x._type.shape
    if axis is None:
        axes = tuple(i for i, size in enumerate(sizes) if size == 1)
    else:
        axes = fold_axes(axis, x.ndim)
        for i in axes:
            if sizes[i] != 1:
                raise ValueError(
                    "cannot select an axis to squeeze out which has size not equal to one: "
                    f"axis {i} of {x._type}"
                )
    return reshaped(x, tuple(size for i, size in enumerate(sizes) if i not in axes))


@implements(np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """``numpy.broadcast_to``: a read-only view."""
    x = as_tensor("broadcast_to", array, shape)
    wanted = as_shape(shape)
    try:
        fits = broadcast(x._type.shape, wanted) == wanted
    except ShapeError as error:
        raise ShapeError(f"broadcast_to: {error}{here()}") from None
    if not fits:
        raise ShapeError(f"broadcast_to: {x._type} does not broadcast to {wanted}{here()}")
    return make_view(x, BroadcastStep(wanted), wanted)


@implements(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> Any:
    """``numpy.broadcast_arrays``."""
    tensors = [as_array("broadcast_arrays", item, *args) for item in args]
    shape = broadcast(*(tensor._type.shape for tensor in tensors))
    return tuple(t if t._type.shape == shape else broadcast_to(t, shape) for t in tensors)


@implements(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    """``numpy.copy``: the same value in storage of its own."""
    x = as_tensor("copy", a)
    state = Owned() if x.is_scalar else copied_layout(x, order)
    return Tensor(x._recorder, x._read(), x._type, state)
