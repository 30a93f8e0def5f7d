"""What a program can reach: the objects that its functions and arguments hold.

An array kept in an object, a dictionary or a closure meets a captured value on the wrong side
as easily as one in a module (``self.table[tokens]``), and so does a NumPy function kept there.
This walks from functions and frames to everything their code names, through user objects only.
"""

from __future__ import annotations

import argparse
import functools
import types
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.interception.places import (
    Attribute,
    BoundArguments,
    Cell,
    Entry,
    Item,
    Place,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import CodeType

    from capture.interception.libraries import Interception

_LIMIT = 5_000
"""Objects visited at most (about 10 ms); what lies beyond stays as it is, and says so."""

_LEAVES = (int, float, complex, str, bytes, type(None), np.generic, np.dtype, np.ufunc)
_CALLABLES = (
    types.FunctionType,
    types.MethodType,
    functools.partial,
    staticmethod,
    classmethod,
    property,
    np.vectorize,
)
_PLAIN_HOLDERS = (types.SimpleNamespace, argparse.Namespace)


@lru_cache(maxsize=4096)
def names_in(code: CodeType) -> frozenset[str]:
    """Return the global and attribute names that a code object and those nested in it use."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant)
    return frozenset(names)


class Walk:
    """One walk over what a program can reach.

    Args:
        rules: Whose classes and functions to enter.
        replacement: Gives the stand-in of a value, or ``None``.
        replace: Called with place, value and stand-in.
    """

    def __init__(
        self,
        rules: Interception,
        replacement: Callable[[Any], Any],
        replace: Callable[[Place, Any, Any], None],
    ) -> None:
        self._rules = rules
        self._replacement = replacement
        self._replace = replace
        self._seen: dict[
            int, Any
        ] = {}  # keeps what it has seen alive, so that ids stay unique
        self._waiting: list[Any] = []
        self._modules: set[tuple[int, frozenset[str]]] = set()

    def from_values(self, values: Iterable[Any]) -> None:
        """Walk from values whose own places cannot be changed: arguments, local variables."""
        self._waiting.extend(values)
        self._run()

    def from_names(self, namespace: dict[str, Any], code: CodeType) -> None:
        """Walk from the global names that a code object uses."""
        self._names(namespace, names_in(code))
        self._run()

    def _run(self) -> None:
        while self._waiting and len(self._seen) < _LIMIT:
            value = self._waiting.pop()
            if id(value) not in self._seen and not isinstance(value, _LEAVES):
                self._seen[id(value)] = value
                for place in self._places(value):
                    self._visit(place)

    def _visit(self, place: Place) -> None:
        value = place.get()
        made = self._stand_in(value)
        self._waiting.append(value)
        if made is None:
            return
        if _in_class(place) and callable(made) and not hasattr(type(value), "__get__"):
            made = staticmethod(made)  # a built-in function is no method, our wrapper would be
        self._replace(place, value, made)

    def _stand_in(self, value: Any) -> Any:
        named = isinstance(value, tuple) and hasattr(value, "_make")
        if type(value) is not tuple and not named:
            return self._replacement(value)
        made = [self._stand_in(item) for item in value]
        if all(item is None for item in made):
            return None
        items = [v if m is None else m for v, m in zip(value, made, strict=True)]
        return value._make(items) if named else tuple(items)

    def _names(self, namespace: dict[str, Any], names: frozenset[str]) -> None:
        for name in names:
            value = namespace.get(name)
            if isinstance(value, types.ModuleType):
                module = getattr(value, "__name__", "")
                key = (id(value), names)
                if self._rules.covers(module) and key not in self._modules:
                    self._modules.add(key)
                    self._names(vars(value), names)
            elif name in namespace:
                self._visit(Entry(namespace, name))

    def _places(self, value: Any) -> Iterator[Place]:
        """Yield the places inside a value; values that cannot be exchanged go on the list."""
        if isinstance(value, dict):
            yield from (Entry(value, key) for key in list(value))
        elif isinstance(value, list):
            yield from (Item(value, position) for position in range(len(value)))
        elif isinstance(value, tuple | set | frozenset):
            self._waiting.extend(value)
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, _CALLABLES):
            yield from self._callable(value)
        elif isinstance(value, _PLAIN_HOLDERS) or self._rules.covers(
            str(type(value).__module__)
        ):
            yield from self._object(value)

    def _callable(self, value: Any) -> Iterator[Place]:
        if isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif isinstance(value, types.MethodType):
            self._waiting.extend((value.__self__, value.__func__))
        elif isinstance(value, functools.partial):
            self._waiting.append(value.func)
            yield BoundArguments(value)
            yield from (Entry(value.keywords, key) for key in list(value.keywords))
        elif isinstance(value, property):
            self._waiting.extend((value.fget, value.fset))
        elif isinstance(value, np.vectorize):
            yield Attribute(value, "__class__")
            yield from (Entry(vars(value), key) for key in list(vars(value)))
        else:
            self._waiting.append(value.__func__)

    def _function(self, function: types.FunctionType) -> Iterator[Place]:
        if not self._rules.covers(str(function.__module__)):
            return
        self._names(function.__globals__, names_in(function.__code__))
        yield from map(Cell, function.__closure__ or ())
        if function.__defaults__:
            yield Attribute(function, "__defaults__")
        keywords = function.__kwdefaults__ or {}
        yield from (Entry(keywords, key) for key in keywords)
        yield from (Entry(vars(function), key) for key in list(vars(function)))

    def _class(self, cls: type) -> Iterator[Place]:
        if not self._rules.covers(str(cls.__module__)):
            return
        self._waiting.extend(cls.__mro__[1:])
        yield from (
            Attribute(cls, name) for name in list(vars(cls)) if not name.startswith("__")
        )
        self._waiting.extend(
            member for name, member in vars(cls).items() if name.startswith("__")
        )

    def _object(self, value: Any) -> Iterator[Place]:
        self._waiting.append(type(value))
        namespace = getattr(value, "__dict__", None)
        if type(namespace) is dict:
            yield from (Entry(namespace, key) for key in list(namespace))
        for cls in type(value).__mro__:
            slots = vars(cls).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                    yield Attribute(value, name)


def _in_class(place: Place) -> bool:
    return isinstance(place, Attribute) and isinstance(place.holder, type)
