"""Turning the user functions that a scope's block, or a traced function, calls."""

from __future__ import annotations

import functools
import sys
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from capture.active import innermost
from capture.coerce import find_recorder
from capture.interception.libraries import EVERYBODY
from capture.location import INTERNAL
from capture.syntax.runtime import Runtime, may_be_turned
from capture.syntax.variables import require_defined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RUNTIME = Runtime(None, recursive=True)


def turned_deeply(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function turned, with the user functions that it calls."""
    turned: Callable[..., Any] = _RUNTIME.callee(function)
    if turned is function:
        return function
    return lambda *args, **kwargs: require_defined(turned(*args, **kwargs))


@contextmanager
def turning_calls(enabled: bool) -> Iterator[None]:
    """Turn the functions of the modules that the calling code can name, until the block ends."""
    if not enabled:
        yield
        return
    frame = sys._getframe(1)
    while INTERNAL[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    replaced: list[tuple[Any, str, Any, Any]] = []
    seen: set[int] = set()
    _enter(frame.f_globals, replaced, seen, 1)
    try:
        yield
    finally:
        for holder, name, before, after in reversed(replaced):
            if _get(holder, name) is after:
                _set(holder, name, before)


def _enter(namespace: dict[str, Any], replaced: list[Any], seen: set[int], depth: int) -> None:
    """Replace functions and methods in a module, and in the user modules it names."""
    if id(namespace) in seen:
        return
    seen.add(id(namespace))
    for name, value in list(namespace.items()):
        if isinstance(value, ModuleType):
            if depth and EVERYBODY.covers(value.__name__):
                _enter(vars(value), replaced, seen, depth - 1)
        elif isinstance(value, type):
            if EVERYBODY.covers(value.__module__) and id(value) not in seen:
                seen.add(id(value))
                for attribute, member in list(vars(value).items()):
                    _replace(value, attribute, member, replaced)
        else:
            _replace(namespace, name, value, replaced)


def _replace(holder: Any, name: str, value: Any, replaced: list[Any]) -> None:
    if type(value) is not FunctionType or not may_be_turned(value):
        return

    @functools.wraps(value)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if innermost() is None and find_recorder(args, kwargs) is None:
            return value(*args, **kwargs)
        return require_defined(_RUNTIME.callee(value)(*args, **kwargs))

    _set(holder, name, wrapper)
    replaced.append((holder, name, value, wrapper))


def _get(holder: Any, name: str) -> Any:
    return vars(holder).get(name) if isinstance(holder, type) else holder.get(name)


def _set(holder: Any, name: str, value: Any) -> None:
    if isinstance(holder, type):
        setattr(holder, name, value)
    else:
        holder[name] = value
