"""Captured forms for functions of third parties."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from capture.functions.registry import HANDLERS, Function, function_name
from capture.functions.registry import implements as register

if TYPE_CHECKING:
    from collections.abc import Callable

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def implements(function: Callable[..., Any]) -> Callable[[Function], Function]:
    """Register the captured form of a function, written in NumPy on captured arrays.

    The function is one that asks its arguments for ``__array_function__``: NumPy's, those of a
    library that follows NEP 18, or your own made with :func:`dispatched`. The captured form gets
    the same arguments. It must not call the function itself.

    Args:
        function: What is called on captured arrays.

    Raises:
        ValueError: The function has a captured form already.
    """
    if function in HANDLERS:
        raise ValueError(f"{function_name(function)} has a captured form already")
    return register(function)


def dispatched(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make a function ask its arguments for ``__array_function__``, as NumPy's own do.

    On plain arrays the function runs as it is. Arrays are looked for among the arguments and in
    lists and tuples of them.

    Args:
        function: NumPy code that cannot be captured as it stands, for example a loop over numbers.
    """

    @functools.wraps(function)
    def asking(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        for value in _arguments((*args, *kwargs.values())):
            answer = getattr(type(value), "__array_function__", None)
            if answer not in (None, np.ndarray.__array_function__):
                result: Result = answer(value, asking, (type(value),), args, kwargs)
                return result
        return function(*args, **kwargs)

    return asking


def _arguments(values: tuple[Any, ...]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if isinstance(value, list | tuple):
            found += _arguments(tuple(value))
        else:
            found.append(value)
    return found
