"""NumPy functions called on plain lists of captured values: ``np.max([a, b])``.

NumPy's dispatch looks at arguments, not into lists, and would try to convert each element.
User code sees these wrappers, which call our handler when a list holds something captured.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from capture.coerce import find_recorder
from capture.functions.registry import HANDLERS, call_handler

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


def _accepts_lists(function: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if find_recorder(args, kwargs) is not None:
            return call_handler(function, args, kwargs)
        return function(*args, **kwargs)

    return wrapper


def list_accepting(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return wrappers by name for the functions of a NumPy namespace that have handlers."""
    return {
        name: _accepts_lists(function)
        for name, function in vars(module).items()
        if callable(function) and _handled(function)
    }


def _handled(function: Any) -> bool:
    try:
        return function in HANDLERS
    except TypeError:  # unhashable
        return False
