"""Storage and views: functional values behind NumPy's aliasing.

A tensor either owns its storage or is a view: its parent, plus a step that can be replayed forward
(read) and backward (write). A write replays the steps backward up to the owner, whose value moves;
every other alias notices that the owner's value is no longer the one it saw, and reads again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, final

import numpy as np

from capture.errors import AliasingError, ReadOnlyError
from capture.indexing import concrete_key
from capture.location import here
from ir.dims import Dim, evaluate, symbols_of
from ir.ops import interned
from ir.ops.indexing import ScatterND, Take
from ir.ops.shaping import BroadcastTo, Reshape, Slice, Transpose, UpdateSlice

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from capture.tensor import Tensor
    from ir.dims import Shape, Symbol
    from ir.ops.requirements import RequireShape

    Shadow = np.ndarray[Any, Any]


class Step(Protocol):
    """How a view is made from its parent."""

    writeable: bool

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Record the read of the view from the parent's value."""
        ...

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Record the parent with the view replaced by ``value``."""
        ...

    def shadow(self, parent: Shadow) -> Shadow:
        """Return NumPy's own view of the parent's shadow."""
        ...


class SliceStep:
    """A basic index: a regular window, then axes dropped or inserted."""

    __slots__ = ("dropped", "key", "restored", "shape", "update", "whole", "window")
    writeable = True

    def __init__(self, window: Slice, parent_shape: Shape, shape: Shape, key: Any) -> None:
        self.window = window
        self.shape = shape
        self.key = key
        self.whole = window.sizes == parent_shape and all(step == 1 for step in window.steps)
        same = shape == window.sizes
        self.dropped = None if same else interned(Reshape, shape)
        self.restored = None if same else interned(Reshape, window.sizes)
        self.update = interned(UpdateSlice, window.starts, window.steps)

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Slice, then drop and insert axes."""
        value = parent if self.whole else recorder.append(self.window, (parent,))
        if self.dropped is not None:
            value = recorder.append(self.dropped, (value,))
        return value

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Restore the window's axes, then update the window."""
        if self.restored is not None:
            value = recorder.append(self.restored, (value,))
        return value if self.whole else recorder.append(self.update, (parent, value))

    def shadow(self, parent: Shadow) -> Shadow:
        """Index the shadow with the user's own key."""
        key = concrete_key(self.key, lambda dim: concrete_shape((dim,))[0])
        return parent[(*key, ...)]


class DynamicStep:
    """One position along an axis, at a captured integer."""

    __slots__ = ("axis", "index", "rank")
    writeable = True

    def __init__(self, axis: int, index: int, rank: int) -> None:
        self.axis = axis
        self.index = index
        self.rank = rank

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Take."""
        return recorder.append(interned(Take, self.axis), (parent, self.index))

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Bring the axis to the front, scatter one row, and bring it back."""
        order = (self.axis, *(i for i in range(self.rank + 1) if i != self.axis))
        back = tuple(sorted(range(len(order)), key=order.__getitem__))
        position = recorder.append(interned(Reshape, (1,)), (self.index,))
        if self.axis:
            parent = recorder.append(interned(Transpose, order), (parent,))
        written = recorder.append(interned(ScatterND, "set"), (parent, position, value))
        return recorder.append(interned(Transpose, back), (written,)) if self.axis else written

    def shadow(self, parent: Shadow) -> Shadow:
        """Any position has the same strides."""
        return parent[(slice(None),) * self.axis + (0, ...)]


class TransposeStep:
    """Axes in another order."""

    __slots__ = ("axes",)
    writeable = True

    def __init__(self, axes: tuple[int, ...]) -> None:
        self.axes = axes

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Permute."""
        return recorder.append(interned(Transpose, self.axes), (parent,))

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Permute back."""
        inverse = sorted(range(len(self.axes)), key=self.axes.__getitem__)
        return recorder.append(interned(Transpose, tuple(inverse)), (value,))

    def shadow(self, parent: Shadow) -> Shadow:
        """Permute the shadow."""
        return parent.transpose(self.axes)


class ReshapeStep:
    """The same elements under another shape, where NumPy needs no copy."""

    __slots__ = ("parent_shape", "shape", "writeable")
    op: ClassVar[type[Reshape | RequireShape]] = Reshape

    def __init__(self, parent_shape: Shape, shape: Shape) -> None:
        self.parent_shape = parent_shape
        self.shape = shape
        self.writeable = True

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Reshape."""
        return recorder.append(interned(self.op, self.shape), (parent,))

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Reshape back."""
        return recorder.append(interned(self.op, self.parent_shape), (value,))

    def shadow(self, parent: Shadow) -> Shadow:
        """Reshape the shadow; raises where NumPy would copy."""
        return parent.reshape(concrete_shape(self.shape), copy=False)


class BroadcastStep:
    """A read-only view with repeated elements."""

    __slots__ = ("shape",)
    writeable = False

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Broadcast."""
        return recorder.append(interned(BroadcastTo, self.shape), (parent,))

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Refuse, as NumPy does."""
        raise ReadOnlyError("assignment destination is read-only")

    def shadow(self, parent: Shadow) -> Shadow:
        """Broadcast the shadow."""
        return np.broadcast_to(parent, concrete_shape(self.shape))


class Owned:
    """State of a tensor with its own storage that is not simply a fresh C-contiguous array.

    Attributes:
        shadow: Its layout, or ``None`` for C order.
    """

    __slots__ = ("shadow",)

    def __init__(self, shadow: Shadow | None = None) -> None:
        self.shadow = shadow


@final
class View:
    """State of a tensor that shares another's storage.

    Attributes:
        owner: The tensor that owns the storage.
        parent: The tensor this one was made from.
        step: How.
        seen: The owner's value when this view's value was recorded.
        settled: Whether it is a view for every size of its symbolic axes.
    """

    __slots__ = ("cached_shadow", "owner", "parent", "seen", "settled", "step")

    def __init__(self, parent: Tensor, step: Step, settled: bool = True) -> None:
        state = parent._state
        self.parent = parent
        self.step = step
        self.settled = settled
        self.owner: Tensor = state.owner if type(state) is View else parent
        self.seen = self.owner._value
        self.cached_shadow: Shadow | None = None


_numbers: dict[Symbol, int] = {}
"""A representative number for each symbol, the same wherever it is met."""


def _number(symbol: Symbol) -> int:
    """Return a size no other symbol has, coprime to small factors, within the symbol's bounds."""
    number = _numbers.get(symbol)
    if number is None:
        number = 101 + 30 * len(_numbers)
        number = number if symbol.max is None else min(number, symbol.max)
        _numbers[symbol] = number = max(number, symbol.min)
    return number


def concrete_shape(shape: Shape) -> tuple[int, ...]:
    """Return ``shape`` with every symbol a representative number, for shadows."""
    if all(type(dim) is int for dim in shape):
        return shape  # type: ignore[return-value]
    numbers = {symbol.name: _number(symbol) for symbol in symbols_of(shape)}
    return tuple(max(evaluate(d, numbers), 0) if isinstance(d, Dim) else d for d in shape)


def shadow_of(tensor: Tensor) -> Shadow:
    """Return an array of one-byte items with NumPy's own shape and strides, never read."""
    state = tensor._state
    if type(state) is View:
        if state.cached_shadow is None and state.settled:
            state.cached_shadow = state.step.shadow(shadow_of(state.parent))
        if state.cached_shadow is None:  # a copy for most sizes, and copies are in C order
            state.cached_shadow = contiguous_shadow(concrete_shape(tensor._type.shape))
        return state.cached_shadow
    if state is not None and state.shadow is not None:
        return state.shadow
    return contiguous_shadow(concrete_shape(tensor._type.shape))


@lru_cache(maxsize=4096)
def contiguous_shadow(shape: tuple[int, ...], order: tuple[int, ...] | None = None) -> Shadow:
    """Return a shadow whose axes lie in memory in ``order`` (outermost first)."""
    strides = [0] * len(shape)
    stride = 1
    for axis in reversed(order if order is not None else range(len(shape))):
        strides[axis] = stride
        stride *= max(shape[axis], 1)
    return np.lib.stride_tricks.as_strided(np.empty(1, np.int8), shape, tuple(strides))


def keeps_c_order(tensor: Tensor) -> bool:
    """Whether a fresh elementwise result of this tensor would be C-contiguous."""
    state = tensor._state
    while type(state) is View:
        if not isinstance(state.step, SliceStep | BroadcastStep | DynamicStep):
            return False
        state = state.parent._state
    return state is None or state.shadow is None


def k_order(tensors: list[Tensor], shape: Shape) -> Owned | None:
    """Return the layout NumPy gives a fresh elementwise result (``order="K"``)."""
    if all(map(keeps_c_order, tensors)):
        return None
    concrete = concrete_shape(shape)
    strides = [np.broadcast_to(shadow_of(tensor), concrete).strides for tensor in tensors]
    order = _fresh_order(concrete, tuple(strides))
    if order is None:
        return None
    return Owned(contiguous_shadow(concrete, order))


@lru_cache(maxsize=4096)
def _fresh_order(
    shape: tuple[int, ...], strides: tuple[tuple[int, ...], ...]
) -> tuple[int, ...] | None:
    """Ask NumPy's iterator for the axis order of a fresh result; ``None`` for C order."""
    sizes = tuple(min(size, 2) for size in shape)  # the order depends on strides, not on sizes
    small = [np.lib.stride_tricks.as_strided(np.empty(1, np.int8), sizes, s) for s in strides]
    flags: Any = [["readonly"]] * len(small) + [["writeonly", "allocate"]]
    iterator = np.nditer(
        [*small, None],
        ["zerosize_ok"],
        flags,
        [np.int8] * len(flags),
        order="K",
        casting="unsafe",
    )
    fresh = iterator.operands[-1].strides
    order = tuple(sorted(range(len(shape)), key=lambda axis: -fresh[axis]))
    return None if order == tuple(range(len(shape))) else order


def refresh(tensor: Tensor) -> int:
    """Return the current value of a view, recording the read again if the storage moved."""
    stale: list[Tensor] = []
    node = tensor
    while type(node._state) is View and node._state.seen != node._state.owner._value:
        stale.append(node)
        node = node._state.parent
    value = node._value
    for view in reversed(stale):
        state = view._state
        assert type(state) is View
        if not state.settled:
            raise AliasingError(
                f"reshape: whether this {view._type} sees the write to its base depends on a "
                f"symbolic size (view or copy){here()}\n  ways out: call .copy() before writing"
            )
        if view._recorder.regions:
            view._recorder.regions[-1].note_view(view)
        value = state.step.forward(view._recorder, value)
        view._value = value
        state.seen = state.owner._value
    return value


def check_writeable(tensor: Tensor) -> None:
    """Raise where NumPy would refuse a write, or where a write would be ambiguous.

    Raises:
        ReadOnlyError: A broadcast view.
        AliasingError: View or copy depends on a symbolic size.
    """
    node = tensor
    while type(node._state) is View:
        state = node._state
        if not state.step.writeable:
            raise ReadOnlyError(
                f"assignment destination is read-only: {tensor._type}{here()}\n  ways out: write "
                "into a .copy()"
            )
        if not state.settled:
            raise AliasingError(
                f"reshape: whether this {node._type} is a view or a copy depends on a symbolic "
                f"size, so the write is ambiguous{here()}\n  ways out: call .copy() before writing"
            )
        node = state.parent


def write(tensor: Tensor, value: int) -> None:
    """Make ``value`` the contents of ``tensor``, seen by every alias of its storage."""
    check_writeable(tensor)
    recorder = tensor._recorder
    path: list[tuple[Tensor, int]] = []
    node = tensor
    while type(node._state) is View:
        path.append((node, value))
        state = node._state
        value = state.step.backward(recorder, state.parent._read(), value)
        node = state.parent
    if recorder.regions:
        recorder.regions[-1].note(node)
    node._value = value
    for view, contents in path:
        if recorder.regions:
            recorder.regions[-1].note_view(view)
        view._value = contents
        assert type(view._state) is View
        view._state.seen = node._value
    if recorder.loans:
        from capture.loans import settle_loans

        settle_loans(recorder, node)
