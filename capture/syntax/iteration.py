"""What a ``for`` loop runs over when the number of its steps is open."""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from capture.coerce import find_recorder, lift
from capture.errors import ConcreteValueError, ControlFlowError
from capture.flow import is_open
from capture.location import here
from capture.symbolic import SYMBOLIC_NUMBERS, SymbolicInt
from capture.tensor import Tensor
from capture.weak import WeakInt, weak
from ir.dims import Dim, bounds
from ir.types import INT64

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder


class Iteration:
    """Steps whose number may be open, and the element of each.

    Args:
        recorder: Where the loop would be recorded.
        length: How many: an int, a symbolic size or a captured integer.
        element: Gives the element of a captured step number.
        text: How the user wrote it, for messages.
    """

    def __init__(
        self, recorder: Recorder, length: Any, element: Callable[[WeakInt], Any], text: str
    ) -> None:
        self.recorder = recorder
        self.length = length
        self.element = element
        self.text = text

    @property
    def limit(self) -> Tensor:
        """The number of steps, i64[]."""
        return lift(self.recorder, self.length).astype(INT64)  # type: ignore[no-any-return]

    @property
    def surely_runs(self) -> bool:
        """Whether there is at least one step for all inputs."""
        if type(self.length) is int:
            return self.length > 0
        return type(self.length) is SymbolicInt and (bounds(self.length.dim)[0] or 0) > 0

    def __iter__(self) -> NoReturn:
        raise ConcreteValueError(
            f"{self.text}: the number of its steps is known only when the graph runs{here()}\n"
            "  ways out: a for statement over it in a function turned by @capture.control_flow; "
            "capture.fori_loop, capture.scan or capture.map"
        )

    def __len__(self) -> int:
        return self.__iter__()


def _integer(value: Any) -> Any:
    return weak(value.astype(INT64)) if type(value) is Tensor else value


def make_range(*arguments: Any) -> Any:
    """Return ``range(...)``, open where a bound is."""
    if not any(type(a) is Tensor or type(a) in SYMBOLIC_NUMBERS for a in arguments):
        return range(*arguments)
    recorder = find_recorder(arguments)
    known = [a if is_open(a) else operator.index(a) for a in arguments]
    if all(type(a) is int for a in known):
        return range(*known)
    start, stop, step = (*known, 1)[:3] if len(known) > 1 else (0, *known, 1)
    start, stop = map(_integer, (start, stop))
    if type(step) is not int:
        raise ControlFlowError(
            f"range(): a captured step has no known sign{here()}\n  ways out: a step that is "
            "known during capture; while, with a counter of your own"
        )
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    assert recorder is not None
    span = stop - start if step == 1 else -((start - stop) // step)
    return Iteration(
        recorder, _at_least_zero(span), lambda i: _counted(i, start, step), "range()"
    )


def _counted(trip: Any, start: Any, step: int = 1) -> Any:
    """Return the number at a trip, by no more arithmetic than it needs."""
    number = trip if step == 1 else trip * step
    return number if type(start) is int and start == 0 else number + start


def _at_least_zero(size: Any) -> Any:
    if type(size) is int:
        return max(size, 0)
    least = bounds(size.dim)[0] if type(size) is SymbolicInt else None
    if least is not None and least >= 0:
        return size
    return weak(np.maximum(size.tensor(), 0))


def rows_of(tensor: Tensor) -> Iteration:
    """Return the steps over a tensor's first axis."""
    size = tensor.shape[0]
    return Iteration(
        tensor._recorder, size, lambda i: tensor[i], f"iteration over a {tensor._type}"
    )


def is_open_sequence(value: Any) -> bool:
    """Whether the number of elements is open."""
    if type(value) is Tensor and value._type.shape:
        return isinstance(value._type.shape[0], Dim)
    return type(value) is Iteration


def _steps(name: str, value: Any) -> Iteration:
    if type(value) is Iteration:
        return value
    if type(value) is Tensor:
        return rows_of(value)
    raise ControlFlowError(
        f"{name}(): a {type(value).__name__} beside something of open length has elements that "
        f"only Python can choose{here()}\n  ways out: make it an array, np.array(...), which "
        "a captured number can index"
    )


def make_enumerate(iterable: Any, start: Any = 0) -> Any:
    """Return ``enumerate(...)``, open where the iterable is."""
    if not is_open_sequence(iterable):
        return builtins.enumerate(iterable, start)
    inner = _steps("enumerate", iterable)
    return Iteration(
        inner.recorder,
        inner.length,
        lambda i: (_counted(i, start), inner.element(i)),
        "enumerate()",
    )


def make_zip(*iterables: Any, strict: bool = False) -> Any:
    """Return ``zip(...)``, open where an iterable is."""
    if not any(map(is_open_sequence, iterables)):
        return builtins.zip(*iterables, strict=strict)
    parts = [_steps("zip", value) for value in iterables]
    length = parts[0].length
    for part in parts[1:]:
        same = (
            type(part.length) is type(length) is SymbolicInt and part.length.dim == length.dim
        )
        if not same and part.length is not length:
            length = weak(np.minimum(part.limit, lift(parts[0].recorder, length)))
    return Iteration(
        parts[0].recorder, length, lambda i: tuple(part.element(i) for part in parts), "zip()"
    )


def make_reversed(iterable: Any) -> Any:
    """Return ``reversed(...)``, open where the iterable is."""
    if not is_open_sequence(iterable):
        return builtins.reversed(iterable)
    inner = _steps("reversed", iterable)
    return Iteration(
        inner.recorder,
        inner.length,
        lambda i: inner.element(inner.length - 1 - i),
        "reversed()",
    )
