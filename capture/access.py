"""``x[key]`` and ``x[key] = value``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.advanced_indexing import SplitKey, gather, mask_choice, scatter, split_key
from capture.coerce import cast, lift
from capture.indexing import BasicIndex, NotBasic, is_basic, parse_basic
from capture.location import here
from capture.tensor import Tensor
from capture.views import DynamicStep, Owned, SliceStep, Step, View, check_writeable, write
from capture.weak import WeakInt
from ir.errors import ShapeError
from ir.ops import interned
from ir.ops.shaping import BroadcastTo, Reshape
from ir.shapes import broadcast, shape_text
from ir.types import INT64, INTEGER, TensorType

if TYPE_CHECKING:
    from ir.dims import Shape


def make_view(tensor: Tensor, step: Step, shape: Shape, *, settled: bool = True) -> Tensor:
    """Return a tensor that shares ``tensor``'s storage through ``step``."""
    value = step.forward(tensor._recorder, tensor._read())
    if step.writeable and tensor.is_scalar:  # NumPy scalars are immutable: an array of its own
        state = None if shape else Owned()
        return Tensor(tensor._recorder, value, TensorType(tensor._type.dtype, shape), state)
    view = View(tensor, step, settled)
    return Tensor(tensor._recorder, value, TensorType(tensor._type.dtype, shape), view)


def _step(tensor: Tensor, index: BasicIndex) -> SliceStep:
    return _slice_step(index, tensor._type.shape)


@lru_cache(maxsize=8192)
def _slice_step(index: BasicIndex, parent_shape: Shape) -> SliceStep:
    return SliceStep(index.window, parent_shape, index.shape, index.key)


def get_item(tensor: Tensor, key: Any) -> Any:
    """Return ``tensor[key]``: a view for basic keys, a NumPy scalar for a full set of integers.

    Raises:
        IndexError: As NumPy.
        UnsupportedError: The key holds a 0-d boolean.
    """
    tensor._recorder.require_open("getitem")
    index = _basic(key, tensor._type.shape)
    if index is None:
        return _get_advanced(tensor, key)
    step = _step(tensor, index)
    if index.is_element:
        value = step.forward(tensor._recorder, tensor._read())
        return Tensor(tensor._recorder, value, TensorType(tensor._type.dtype, ()))
    return make_view(tensor, step, index.shape)


def _basic(key: Any, shape: Shape) -> BasicIndex | None:
    """Return a basic key's index, else ``None``: an error of other code must not chain to ours."""
    try:
        return parse_basic(key, shape)
    except NotBasic:
        return None


def _get_advanced(tensor: Tensor, key: Any) -> Any:
    from capture.captured_slices import window_of

    windowed = window_of(tensor, key)
    if windowed is not None:
        return get_item(*windowed)
    key = _without_weak(key)
    dynamic = _dynamic_axis(tensor, key)
    if dynamic is not None:
        axis, index, rest = dynamic
        shape = (*tensor._type.shape[:axis], *tensor._type.shape[axis + 1 :])
        row = make_view(tensor, DynamicStep(axis, index._read(), len(shape)), shape)
        if rest is not None:
            return get_item(row, rest)
        return row if shape else Tensor(row._recorder, row._value, row._type)
    split = split_key(tensor, key)
    found = gather(_basic_view(tensor, split), split)
    if not found.ndim and type(key) is tuple and any(item is Ellipsis for item in key):
        found._state = Owned()  # an array, where the key alone would give a scalar
    return found


def _basic_view(tensor: Tensor, split: SplitKey) -> Tensor:
    index = parse_basic(split.basic, tensor._type.shape)
    return make_view(tensor, _step(tensor, index), index.shape)


def _dynamic_axis(tensor: Tensor, key: Any) -> tuple[int, Tensor, Any] | None:
    """Return the first captured integer scalar of a key without arrays, its axis, and the rest.

    ``x[i]`` with a captured ``i`` is a view in NumPy, so it is one here.
    """
    items = list(key) if isinstance(key, tuple) else [key]
    scalars = [position for position, item in enumerate(items) if _is_captured_integer(item)]
    others = [item for position, item in enumerate(items) if position not in scalars]
    if not scalars or not all(map(is_basic, others)):
        return None
    consuming = [item is not None and item is not Ellipsis for item in items]
    if sum(consuming) > tensor.ndim:
        raise IndexError(
            f"too many indices for array: array is {tensor.ndim}-dimensional, but "
            f"{sum(consuming)} were indexed"
        )
    at = scalars[0]
    axis = sum(consuming[:at])
    if any(item is Ellipsis for item in items[:at]):
        axis = tensor.ndim - sum(consuming[at:])
    index = cast(items[at], INT64)
    rest = tuple(items[:at] + items[at + 1 :])
    return axis, index, rest or None


def _without_weak(key: Any) -> Any:
    """Return a key with captured Python ints as captured scalars."""
    if type(key) is tuple:
        return tuple([_without_weak(item) for item in key])
    return key.value if type(key) is WeakInt else key


def _is_captured_integer(item: Any) -> bool:
    return type(item) is Tensor and item.is_scalar and item.dtype in INTEGER


def set_item(tensor: Tensor, key: Any, value: Any) -> None:
    """Perform ``tensor[key] = value`` on the storage, for every alias to see.

    Raises:
        IndexError: As NumPy.
        ShapeError: The value does not broadcast to the window.
        ReadOnlyError: The tensor is a broadcast view.
        UnsupportedError: The key holds a 0-d boolean.
    """
    tensor._recorder.require_open("setitem")
    index = _basic(key, tensor._type.shape)
    if index is None:
        _set_advanced(tensor, key, value)
        return
    check_writeable(tensor)
    if _wrote_through(tensor, index, value):
        return
    if index.is_element and np.ndim(value):
        raise ShapeError(f"setitem: setting an array element with a sequence{here()}")
    update = fit("setitem", tensor, value, index.shape)
    window = Tensor(
        tensor._recorder,
        -1,
        TensorType(tensor._type.dtype, index.shape),
        View(tensor, _step(tensor, index)),
    )
    write(window, update._read())


def _set_advanced(tensor: Tensor, key: Any, value: Any, combine: str = "set") -> None:
    from capture.captured_slices import is_window, window_of

    check_writeable(tensor)
    windowed = window_of(tensor, key)
    if windowed is not None:
        window, rest = windowed
        if not is_window(value, window):
            set_item(window, rest, value)
        return
    key = _without_weak(key)
    dynamic = _dynamic_axis(tensor, key) if combine == "set" else None
    if dynamic is not None:
        axis, index, rest = dynamic
        shape = (*tensor._type.shape[:axis], *tensor._type.shape[axis + 1 :])
        row = make_view(tensor, DynamicStep(axis, index._read(), len(shape)), shape)
        set_item(row, ... if rest is None else rest, value)
        return
    split = split_key(tensor, key)
    view = _basic_view(tensor, split)
    written = mask_choice(view, split, value) if combine == "set" else None
    if written is None:
        written = scatter(view, split, value, combine)
    write(view, written._read())


def accumulate_at(tensor: Tensor, key: Any, value: Any, combine: str) -> None:
    """Fold ``value`` into ``tensor[key]``, repeated positions accumulating, as ``ufunc.at``.

    Args:
        tensor: What is written.
        key: Any index; a basic one is made advanced.
        value: Anything that broadcasts to ``tensor[key]``.
        combine: As in :class:`ir.ops.indexing.ScatterND`.
    """
    tensor._recorder.require_open("ufunc.at")
    _set_advanced(tensor, key, value, combine)


def _wrote_through(tensor: Tensor, index: BasicIndex, value: Any) -> bool:
    """Whether ``value`` is this very window, written already: the store of ``x[key] op= v``."""
    if type(value) is not Tensor or type(value._state) is not View:
        return False
    state = value._state
    step = state.step
    return (
        state.parent is tensor
        and type(step) is SliceStep
        and step.window == index.window
        and step.shape == index.shape
        and state.seen == state.owner._value
    )


def fit(operation: str, tensor: Tensor, value: Any, shape: Shape) -> Tensor:
    """Return ``value`` cast to the tensor's dtype and broadcast to ``shape``, as assignment does.

    Raises:
        ShapeError: It does not broadcast.
    """
    from capture.requiring import assigned

    recorder = tensor._recorder
    dtype = tensor._type.dtype
    if type(value) is not Tensor and isinstance(value, bool | int | float):
        update = lift(recorder, value, dtype)
    else:
        update = cast(lift(recorder, value), dtype)
    recorder.require_own(operation, update)
    given = update._type.shape
    if given == shape:
        return update
    while len(given) > len(shape) and given[0] == 1:
        given = given[1:]
    if given != update._type.shape:
        update = recorder.apply(interned(Reshape, given), update)
    if given != shape:
        try:
            fits = broadcast(given, shape) == shape
        except ShapeError:
            fits = False
        relied = None if fits else assigned(update, shape)
        if relied is not None:
            update = relied
        elif not fits:
            raise ShapeError(
                f"{operation}: could not broadcast input array from shape "
                f"{shape_text(given)} into shape {shape_text(shape)}{here(2)}"
            )
        if update._type.shape != shape:
            update = recorder.apply(interned(BroadcastTo, shape), update)
    return update
