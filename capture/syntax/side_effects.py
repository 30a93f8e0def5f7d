"""What a body does to objects around it: Python does it once, while the body is recorded."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.errors import ControlFlowError
from capture.interception.libraries import EVERYBODY
from capture.interception.reaching import names_in
from capture.location import here
from capture.syntax.names import PREFIX
from capture.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FunctionType

_DEPTH = 3
_CONTAINERS = (list, dict, set, bytearray)
_LARGEST_COPY = 1 << 16


class Watch:
    """Remembers the objects that a body can reach, to see afterwards that it left them alone.

    Args:
        function: The body.
        names: The variables that it may set.
        inside: What it is, for messages: ``a branch of if``.
    """

    def __init__(self, function: FunctionType, names: Iterable[str], inside: str) -> None:
        self._inside = inside
        self._function = function
        self._seen: dict[int, tuple[str, Any, Any]] = {}
        free = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        allowed = set(names)
        self._cells = [
            (name, cell, cell_content(cell))
            for name, cell in free
            if name not in allowed and not name.startswith(PREFIX)
        ]
        for name, cell in free_cells(function):
            self._visit(name, cell_content(cell), 0)
        namespace = function.__globals__
        self._globals = {
            name: namespace.get(name)
            for name in names_in(function.__code__)
            if name in namespace
        }
        for name, value in self._globals.items():
            if isinstance(value, _CONTAINERS) or _is_user_object(value):
                self._visit(name, value, 0)

    def check(self) -> None:
        """Raise where the body changed something.

        Raises:
            ControlFlowError: It did; names the object.
        """
        for name, value, before in self._seen.values():
            if _changed(before, _shallow(value)):
                raise self._error(f"changes {name}, which is {_described(value)}")
        for name, cell, before in self._cells:
            if cell_content(cell) is not before:
                raise self._error(f"sets the variable {name} of another function")
        for name, before in self._globals.items():
            if self._function.__globals__.get(name) is not before:
                raise self._error(f"sets the global variable {name}")

    def _error(self, what: str) -> ControlFlowError:
        return ControlFlowError(
            f"{self._inside} {what}: Python would do so once, while it is captured, whatever "
            f"happens when the graph runs{here(3)}\n  ways out: keep the value in a variable of "
            "the function, or write it into an array made before, array[i] = value; np.where "
            "and capture.scan give values without side effects"
        )

    def _visit(self, name: str, value: Any, depth: int) -> None:
        if depth > _DEPTH or id(value) in self._seen or type(value) is Tensor:
            return
        if isinstance(value, np.ndarray):
            if value.nbytes <= _LARGEST_COPY:
                self._seen[id(value)] = (name, value, _shallow(value))
            return
        if isinstance(value, tuple):
            for item in value:
                self._visit(name, item, depth + 1)
            return
        if not (isinstance(value, _CONTAINERS) or _is_user_object(value)):
            return
        before = _shallow(value)
        self._seen[id(value)] = (name, value, before)
        for key, item in before:
            self._visit(_part(name, value, key), item, depth + 1)


def free_cells(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Iterate over the variables around a body, by name."""
    for name, cell in zip(
        function.__code__.co_freevars, function.__closure__ or (), strict=True
    ):
        if not name.startswith(PREFIX):
            yield name, cell


def cell_content(cell: Any) -> Any:
    """Return what a variable holds, or ``None`` where it has no value."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _is_user_object(value: Any) -> bool:
    if (
        isinstance(value, type | types.ModuleType | types.FunctionType)
        or type(value) is Tensor
    ):
        return False
    return EVERYBODY.covers(str(type(value).__module__)) and hasattr(value, "__dict__")


def _shallow(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list | set | bytearray):
        return list(enumerate(value))
    return list(vars(value).items())


def _changed(before: Any, after: Any) -> bool:
    if isinstance(before, bytes):
        return bool(before != after)
    return len(before) != len(after) or any(
        a is not b or x is not y
        for (a, x), (b, y) in zip(before, after, strict=True)
        if not (type(a) is int and a == b and x is y)
    )


def _described(value: Any) -> str:
    kind = type(value).__name__
    article = "an" if kind[0].lower() in "aeiou" else "a"
    return f"{article} {kind} made outside it"


def _part(name: str, holder: Any, key: Any) -> str:
    if isinstance(holder, dict | list):
        return f"{name}[{key!r}]"
    return name if isinstance(holder, set | bytearray) else f"{name}.{key}"
