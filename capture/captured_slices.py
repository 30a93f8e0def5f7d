"""Slices whose ends the graph computes: ``x[i:j]`` with captured numbers.

How many elements they take depends on data, since NumPy counts negative ends from the back and cuts
off what lies outside. So the size is a symbol of its own, and the slice a view that takes, and
writes, the elements at computed positions.
"""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.known import UnknownValue
from capture.symbolic import as_dim, as_size
from capture.tensor import Tensor
from capture.views import SliceStep, View
from capture.weak import WeakInt
from ir.dims import Dim
from ir.ops import interned
from ir.ops.indexing import CountUp, ScatterND, Take
from ir.ops.shaping import Reshape, Transpose
from ir.types import INT64, INTEGER

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from capture.views import Shadow
    from ir.dims import DimLike, Shape


class WindowStep:
    """Elements along an axis at computed positions, each at most once.

    Args:
        axis: Which axis.
        positions: Index of their i64 vector.
        step: The distance from each to the next.
        shape: Of the view.
    """

    __slots__ = ("axis", "positions", "shape", "step", "writeable")

    def __init__(self, axis: int, positions: int, step: int, shape: Shape) -> None:
        self.axis = axis
        self.positions = positions
        self.step = step
        self.shape = shape
        self.writeable = True

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Take."""
        return recorder.append(interned(Take, self.axis), (parent, self.positions))

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Bring the axis to the front, scatter, and bring it back."""
        axis, count = self.axis, self.shape[self.axis]
        order = (axis, *(i for i in range(len(self.shape)) if i != axis))
        positions = recorder.append(interned(Reshape, (count, 1)), (self.positions,))
        if axis:
            parent = recorder.append(interned(Transpose, order), (parent,))
            value = recorder.append(interned(Transpose, order), (value,))
        written = recorder.append(interned(ScatterND, "set"), (parent, positions, value))
        back = tuple(sorted(range(len(order)), key=order.__getitem__))
        return recorder.append(interned(Transpose, back), (written,)) if axis else written

    def shadow(self, parent: Shadow) -> Shadow:
        """Return the layout; where the window begins makes no difference to it."""
        from capture.views import concrete_shape

        strides = list(parent.strides)
        strides[self.axis] *= self.step
        return np.lib.stride_tricks.as_strided(parent, concrete_shape(self.shape), strides)


def window_of(tensor: Tensor, key: Any) -> tuple[Tensor, Any] | None:
    """Return a view cut by the captured slices of a key, and the key that is left.

    Returns:
        ``None`` where no slice of the key has a captured end.

    Raises:
        TypeError: An end is no integer.
    """
    items = list(key) if type(key) is tuple else [key]
    cut = [
        place
        for place, item in enumerate(items)
        if type(item) is slice and (_is_captured(item.start) or _is_captured(item.stop))
    ]
    if not cut:
        return None
    for place in cut:
        item = items[place]
        known = slice(_known(item.start), _known(item.stop), item.step)
        if _is_captured(known.start) or _is_captured(known.stop):
            tensor = _window(tensor, _axis(items, place, tensor.ndim), known)
            known = slice(None)
        items[place] = known
    return tensor, tuple(items) if type(key) is tuple else items[0]


def is_window(value: Any, window: Tensor) -> bool:
    """Whether ``value`` is this very window, written already: the store of ``x[i:j] op= v``."""
    state = value._state if type(value) is Tensor else None
    while type(state) is View and type(state.step) is SliceStep and state.step.whole:
        if state.seen != state.owner._value:
            return False
        state = state.parent._state
    other = window._state
    if type(state) is not View or type(other) is not View:
        return False
    mine, step = state.step, other.step
    return (
        state.parent is other.parent
        and type(mine) is WindowStep
        and type(step) is WindowStep
        and (mine.axis, mine.positions) == (step.axis, step.positions)
        and state.seen == state.owner._value
    )


def _is_captured(end: Any) -> bool:
    return type(end) in (Tensor, WeakInt)


def _known(end: Any) -> Any:
    """Return an end as a captured i64 scalar, as the integer it is known to be, or as it is."""
    if type(end) is WeakInt:
        return end.value
    if type(end) is not Tensor:
        return end
    if end.ndim or end.dtype not in INTEGER:
        return operator.index(end)  # raises what NumPy raises
    known, value = end._recorder.known, end._read()
    with suppress(UnknownValue):
        number = known.read(value)
        if not known.rests_on_example(value):  # an example is not what runs will have
            return operator.index(number[()])
    if end.dtype == np.uint64:  # beyond any axis is beyond it as an int64 too
        end = np.minimum(end, np.uint64(np.iinfo(np.int64).max))
    return cast(end, INT64)


def _axis(items: list[Any], place: int, rank: int) -> int:
    """Return the axis of the tensor that an item of a key is for."""
    before = sum(map(_width, items[:place]))
    if any(item is Ellipsis for item in items[:place]):
        return rank - sum(map(_width, items[place:]))
    return before


def _width(item: Any) -> int:
    """Return how many axes an item of a key takes."""
    if item is None or item is Ellipsis:
        return 0
    if type(item) is slice or as_dim(item) is not None or type(item) is WeakInt:
        return 1
    if isinstance(item, bool | np.bool_):
        return 0
    is_mask = getattr(item, "dtype", None) == np.bool_
    if not is_mask and isinstance(item, list):
        array = np.asarray(item)
        return array.ndim if array.dtype == np.bool_ else 1
    return int(item.ndim) if is_mask else 1


def _window(tensor: Tensor, axis: int, item: slice) -> Tensor:
    from capture.access import make_view

    recorder, shape = tensor._recorder, tensor._type.shape
    step = 1 if item.step is None else operator.index(item.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    positions = _positions(recorder, item, step, shape[axis])
    shape = (*shape[:axis], positions._type.shape[0], *shape[axis + 1 :])
    return make_view(tensor, WindowStep(axis, positions._read(), step, shape), shape)


def _positions(recorder: Recorder, item: slice, step: int, dim: DimLike) -> Tensor:
    """Return what a slice takes of an axis; asked for again, the same, and of the same size."""
    size = as_size(recorder, dim)
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first, last = (low, high) if step > 0 else (high, low)
    start = _lifted(
        recorder, first if item.start is None else _clamped(item.start, size, low, high)
    )
    stop = _lifted(
        recorder, last if item.stop is None else _clamped(item.stop, size, low, high)
    )
    key = ("slice", *(recorder.canonical(end._read()) for end in (start, stop)), step)
    found = recorder.coordinates.get(key)
    if found is None:
        most = -(-dim // abs(step)) if isinstance(dim, int) else None
        symbol = Dim(recorder.fresh_symbol("slice"), max=most)
        count = recorder.apply(CountUp(count=symbol), _count(start, stop, step))
        found = recorder.coordinates[key] = (count if step == 1 else count * step) + start
    return found


def _count(start: Any, stop: Any, step: int) -> Any:
    away = stop - start if step > 0 else start - stop
    if abs(step) > 1:
        away = (away + (abs(step) - 1)) // abs(step)
    return np.maximum(away, 0)


def _lifted(recorder: Recorder, number: Any) -> Tensor:
    return cast(lift(recorder, number), INT64)


def _clamped(end: Any, size: Any, low: Any, high: Any) -> Any:
    """Return one end of a slice as Python reads it: from the back if negative, and inside."""
    return np.where(np.less(end, 0), np.maximum(np.add(end, size), low), np.minimum(end, high))
