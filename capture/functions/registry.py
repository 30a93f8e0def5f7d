"""Which NumPy functions have a captured form, and the error for those that have none."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, TypeVar

from capture.errors import UnsupportedError
from capture.location import here

if TYPE_CHECKING:
    from collections.abc import Callable

HANDLERS: dict[Any, Callable[..., Any]] = {}
"""Our implementation of each supported NumPy function, by the function itself."""

Function = TypeVar("Function", bound="Callable[..., Any]")


def implements(*functions: Any) -> Callable[[Function], Function]:
    """Register a handler for NumPy functions; its signature is NumPy's."""

    def register(handler: Function) -> Function:
        for function in functions:
            HANDLERS[function] = handler
        return handler

    return register


def function_name(function: Any) -> str:
    """Return ``np.linalg.norm`` for a NumPy function."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module.replace('numpy', 'np', 1)}.{function.__name__}"


def unsupported(name: str) -> UnsupportedError:
    """Return the error for a function without a captured form, with the nearest that has one."""
    known = {handled.__name__: handled for handled in HANDLERS}
    short = name.rpartition(".")[2]
    near = difflib.get_close_matches(short, known, n=1, cutoff=0.5)
    text = f"{name}: has no captured form yet{here(2)}"
    if near:
        text += f"\n  nearest supported function: {function_name(known[near[0]])}"
    return UnsupportedError(
        f"{text}\n  ways out: compute it outside the scope and pass the result in, or write it "
        "with supported functions"
    )


def call_handler(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer NumPy's ``__array_function__``.

    Raises:
        UnsupportedError: The function has no captured form.
    """
    handler = HANDLERS.get(function)
    if handler is None:
        raise unsupported(function_name(function))
    return handler(*args, **kwargs)
