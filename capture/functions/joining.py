"""Joining arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift, prepare, promotion_key, recorder_of
from capture.functions.arguments import deliver, single_axis
from capture.functions.registry import implements
from capture.functions.shaping import expand_dims
from capture.location import here
from capture.promotion import check_casting, result_dtype
from capture.requiring import same_off_axis
from capture.tensor import Tensor
from capture.views import Owned, concrete_shape, contiguous_shadow, keeps_c_order, shadow_of
from ir.errors import IRError, ShapeError
from ir.ops.shaping import Concatenate
from ir.types import supported_dtype

if TYPE_CHECKING:
    from ir.dims import Shape


def common(
    operation: str, arrays: Any, dtype: Any = None, casting: str = "same_kind"
) -> list[Tensor]:
    """Return arrays as tensors of one dtype, promoted as NumPy's joining functions do.

    Raises:
        ValueError: There is nothing to join.
        DTypeError: ``casting`` forbids the conversion to ``dtype``.
    """
    if type(arrays) is Tensor:
        arrays = list(arrays)
    items = list(arrays)
    if not items:
        raise ValueError(f"need at least one array to {operation}")
    recorder = recorder_of(operation, items)
    recorder.require_open(operation)
    prepared = [prepare(recorder, item) for item in items]
    if dtype is None:
        keys = [promotion_key(item) for item in prepared]
        # joining never sees weak scalars: np.stack([t, 1.0]) promotes with a float64 array
        strong = [k if isinstance(k, np.dtype) else np.dtype(k) for k in keys]
        wanted = result_dtype(strong)
    else:
        wanted = supported_dtype(dtype)
    tensors = []
    for item in prepared:
        tensor = item if type(item) is Tensor else lift(recorder, item, wanted)
        check_casting(operation, tensor.dtype, wanted, casting)
        tensors.append(cast(tensor, wanted))
    return tensors


def _concatenated(tensors: list[Tensor], axis: int) -> tuple[list[Tensor], Tensor]:
    """Return the join, and its operands under the sizes that the run has to meet."""
    op = Concatenate(axis=axis)
    try:
        return tensors, tensors[0]._recorder.apply(op, *tensors)
    except ShapeError:
        agreed = same_off_axis(tensors, axis)
        if agreed is None:
            raise
        return agreed, agreed[0]._recorder.apply(op, *agreed)


def _join(operation: str, tensors: list[Tensor], axis: int) -> Tensor:
    if len(tensors) == 1:
        (only,) = tensors
        state = fortran_layout(tensors, only._type.shape)
        return Tensor(only._recorder, only._read(), only._type, state)
    try:
        tensors, joined = _concatenated(tensors, axis)
    except ShapeError as error:
        if len({tensor.ndim for tensor in tensors}) > 1:
            raise ValueError(
                f"{operation}: all the input arrays must have same number of dimensions, got "
                f"{', '.join(str(tensor._type) for tensor in tensors)}{here(2)}"
            ) from None
        raise ValueError(
            f"{operation}: all the input array dimensions except for the concatenation axis "
            f"must match exactly: {error}{here(2)}"
        ) from None
    joined._state = _joined_layout(tensors, joined._type.shape)
    return joined


def _joined_layout(tensors: list[Tensor], shape: Shape) -> Owned | None:
    """Return the layout of a join: axes by the operands' strides, as NumPy sorts them."""
    if len(shape) < 2 or all(map(keeps_c_order, tensors)):
        return None
    shadows = [shadow_of(tensor) for tensor in tensors]
    order: list[int] = []
    for axis in range(len(shape)):
        place = len(order)
        for position in reversed(range(len(order))):
            outside = _lies_outside(shadows, axis, order[position])
            if outside is False:
                break
            if outside:
                place = position
        order.insert(place, axis)
    if order == sorted(order):
        return None
    return Owned(contiguous_shadow(concrete_shape(shape), tuple(order)))


def _lies_outside(shadows: list[Any], axis: int, other: int) -> bool | None:
    """Whether ``axis`` has the larger stride in every array; ``None`` where none can tell."""
    told = [
        abs(shadow.strides[axis]) > abs(shadow.strides[other])
        for shadow in shadows
        if shadow.shape[axis] != 1 and shadow.shape[other] != 1
    ]
    return all(told) if told else None


def fortran_layout(tensors: list[Tensor], shape: Shape) -> Owned | None:
    """Return Fortran order where every operand is Fortran- and none C-contiguous.

    So NumPy lays out what it joins, pads and edits; everything else is in C order.
    """
    if len(shape) < 2 or any(map(keeps_c_order, tensors)):
        return None
    shadows = [shadow_of(tensor) for tensor in tensors]
    if all(s.flags.f_contiguous and not s.flags.c_contiguous for s in shadows):
        order = tuple(range(len(shape)))[::-1]
        return Owned(contiguous_shadow(concrete_shape(shape), order))
    return None


@implements(np.concatenate)
def concatenate(
    arrays: Any,
    /,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """``numpy.concatenate``."""
    tensors = common("concatenate", arrays, dtype, casting)
    if axis is None:
        tensors = [tensor.ravel() for tensor in tensors]
        axis = 0
    if not tensors[0].ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    joined = _join("concatenate", tensors, single_axis(axis, tensors[0].ndim))
    return deliver("concatenate", joined, out)


@implements(np.stack)
def stack(
    arrays: Any,
    axis: Any = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """``numpy.stack``."""
    tensors = common("stack", arrays, dtype, casting)
    first = tensors[0]._type.shape
    for tensor in tensors:
        if tensor.ndim != len(first):
            raise ValueError(f"all input arrays must have the same shape{here()}")
    where = single_axis(axis, len(first) + 1)
    try:
        joined = _join("stack", [expand_dims(tensor, where) for tensor in tensors], where)
    except IRError:
        raise ValueError(f"all input arrays must have the same shape{here()}") from None
    return deliver("stack", joined, out)
