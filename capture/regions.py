"""Recording a body that becomes a nested graph.

A body is recorded into the same columns as everything else, and then lifted out as a graph of its
own; the nodes left behind are dead and vanish at finish. So closures, constants, views and writes
work inside bodies as they do outside: what a body reads from around it becomes an operand, and
what it writes around it becomes a result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.location import here
from capture.tensor import Tensor
from capture.views import Owned, View, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture.loans import Loan
    from capture.recorder import Recorder
    from ir.ops import Op
    from ir.types import TensorType


class Region:
    """A body being recorded; a context manager. Leaving it undoes what it wrote around it.

    Args:
        recorder: Where it is recorded.
        label: What it is, for messages: ``the body of while_loop``.

    Attributes:
        start: Index of the first node of the body.
        scope: The name scope around it; scopes in the nested graph are relative to it.
        end: Index past the last one, once it is left.
        written: Owners of storage from outside that the body wrote, with their value before.
        inner: The bodies recorded inside it.
        pairs: Tensors that may share memory since something inside it.
        left: The same owners with the values that the body left, once it is left.
    """

    def __init__(self, recorder: Recorder, label: str) -> None:
        self.recorder = recorder
        self.label = label
        self.where = here(3)
        self.start = self.end = len(recorder.builder.ops)
        self.scope = recorder.builder.scope
        self.written: dict[int, tuple[Tensor, int]] = {}
        self.left: dict[int, tuple[Tensor, int]] = {}
        self._views: dict[int, tuple[Tensor, int, int]] = {}
        self.pairs: list[tuple[Tensor, Tensor] | None] = []
        self._loans: dict[int, list[Loan]] = {}
        self.inner: list[Region] = []
        self._known = 0, 0
        self._sealed = self._graphs = 0
        self._masks = 0
        self._epoch = 0

    def __enter__(self) -> Region:
        recorder = self.recorder
        recorder.bodies += 1
        self._epoch = recorder.bodies
        self._sealed = len(recorder.sealed)
        self._graphs = len(recorder.graphs)
        self._masks = len(recorder.coordinates)
        self._loans = {key: list(loans) for key, loans in recorder.loans.items()}
        self._known = len(recorder.canonical_values), len(recorder.computed)
        recorder.regions.append(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        recorder = self.recorder
        recorder.regions.pop()
        self.end = len(recorder.builder.ops)
        self.left = {key: (owner, owner._value) for key, (owner, _) in self.written.items()}
        for owner, before in self.written.values():
            owner._value = before
        for view, value, seen in self._views.values():
            view._value = value
            assert type(view._state) is View
            view._state.seen = seen
        known = {id(loan) for loans in self._loans.values() for loan in loans}
        made = {id(loan): loan for loans in recorder.loans.values() for loan in loans}
        self.pairs = [loan.sides for key, loan in made.items() if key not in known]
        recorder.loans = self._loans
        for memo, size in (  # what was found inside is known inside only
            (recorder.coordinates, self._masks),
            (recorder.canonical_values, self._known[0]),
            (recorder.computed, self._known[1]),
        ):
            while len(memo) > size:
                memo.popitem()
        self.inner = recorder.sealed[self._sealed :]
        recorder.sealed[self._sealed :] = [self]

    def discard(self) -> None:
        """Forget what was lifted out of it: it is recorded again."""
        del self.recorder.graphs[self._graphs :]
        self.inner = []

    def is_outer(self, tensor: Tensor) -> bool:
        """Whether a tensor was there before the body."""
        return tensor._born < self._epoch

    def note(self, owner: Tensor) -> None:
        """Remember that the body is about to write storage from outside it."""
        if self.is_outer(owner):
            self.written.setdefault(id(owner), (owner, owner._value))

    def note_view(self, view: Tensor) -> None:
        """Remember that a view from outside is about to be read or written again."""
        if self.is_outer(view):
            assert type(view._state) is View
            self._views.setdefault(id(view), (view, view._value, view._state.seen))

    def placeholder(self, like: TensorType, scalar: bool = False) -> Tensor:
        """Return a tensor that stands for an operand inside the body."""
        index = self.recorder.builder.add_value(like)
        self.recorder.placeholders[index] = self.label
        state = None if scalar or like.shape else Owned()
        return Tensor(self.recorder, index, like, state)


def record_nested(recorder: Recorder, op: Op, operands: tuple[int, ...]) -> list[int]:
    """Record a nested op and return the indices of its results."""
    first = recorder.append(op, operands)
    count = len(recorder.builder.types) - first
    return list(range(first, first + count))


def write_back(owners: Sequence[Tensor], values: Sequence[int]) -> None:
    """Give storage around a body the values that the nested op returned for it."""
    for owner, value in zip(owners, values, strict=True):
        write(owner, value)


def result_tensor(recorder: Recorder, index: int, like: Any) -> Tensor:
    """Return a result as a scalar or array, as ``like`` was inside the body."""
    type_ = recorder.builder.types[index]
    scalar = type(like) is not Tensor or like.is_scalar
    return Tensor(recorder, index, type_, None if scalar or type_.shape else Owned())
