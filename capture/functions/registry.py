"""Which NumPy functions have a captured form, and the error for those that have none."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, TypeVar

from capture.errors import CaptureError, UnsupportedAttributeError, UnsupportedError
from capture.location import here
from capture.users_line import add_users_line, rename_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HANDLERS: dict[Any, Callable[..., Any]] = {}
"""Our implementation of each supported NumPy function, by the function itself."""

REFUSALS: dict[Any, str] = {}
"""Why a function has no captured form, where there is more to say than that."""

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


def unsupported(name: str, reason: str = "") -> UnsupportedError:
    """Return the error for a function without a captured form, with the nearest that has one."""
    if reason:
        problem, _, ways_out = reason.partition("\n")
        ways_out = (
            ways_out or "  ways out: compute it outside the scope and pass the result in"
        )
        return UnsupportedError(
            f"{name}: has no captured form yet: {problem}{here(2)}\n{ways_out}"
        )
    known = _known_names(name)
    near = difflib.get_close_matches(name.rpartition(".")[2], known, n=1)
    return UnsupportedError(_unsupported_text(name, [known[match] for match in near]))


def _known_names(name: str) -> dict[str, str]:
    from capture.functions.scipy_special import scipy_names
    from capture.ufuncs import ELEMENTWISE, FORMULAS, UFUNC_HANDLERS

    if name.startswith("scipy."):
        return scipy_names()
    ufuncs = (*ELEMENTWISE, *UFUNC_HANDLERS, *FORMULAS)
    known = {ufunc.__name__: f"np.{ufunc.__name__}" for ufunc in ufuncs}
    known.update((handled.__name__, function_name(handled)) for handled in HANDLERS)
    return known


def unsupported_attribute(name: str, known: Iterable[str]) -> UnsupportedAttributeError:
    """Return the error for an ndarray attribute without a captured form."""
    public = [attribute for attribute in known if not attribute.startswith("_")]
    near = difflib.get_close_matches(name, public, n=1)
    return UnsupportedAttributeError(
        _unsupported_text(f"ndarray.{name}", [f"ndarray.{match}" for match in near])
    )


def _unsupported_text(name: str, near: list[str]) -> str:
    nearest = f"\n  nearest supported: {near[0]}" if near else ""
    return (
        f"{name}: has no captured form yet{here()}{nearest}\n  ways out: compute it outside the "
        "scope and pass the result in, or write it with supported functions"
    )


def call_handler(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer NumPy's ``__array_function__``.

    Raises:
        UnsupportedError: The function has no captured form.
    """
    handler = HANDLERS.get(function)
    try:
        if handler is None:
            raise unsupported(function_name(function), REFUSALS.get(function, ""))
        return handler(*args, **kwargs)
    except CaptureError as error:
        from capture.coerce import find_recorder

        recorder = find_recorder(args, kwargs)
        if recorder is None or recorder.examples is None:
            add_users_line(error)
            raise
        return recorder.examples.call(function, args, kwargs, error)
    except Exception as error:
        if handler is not None:
            rename_call(error, handler, function.__name__)
        add_users_line(error)
        raise
