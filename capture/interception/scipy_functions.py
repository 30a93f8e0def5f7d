"""Functions of ``scipy.special`` on captured values; SciPy itself is never imported.

Its ufuncs are recognised where they are called (:mod:`capture.functions.scipy_special`); user
code sees stand-ins that also look into lists. Its Python functions convert what they are given:
user code sees those that have a captured form in that form, and of the others wrappers that
refuse what they cannot convert.
"""

from __future__ import annotations

import functools
import sys
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import find_recorder
from capture.errors import CaptureError, ConcreteValueError, UnsupportedError
from capture.functions.registry import unsupported
from capture.functions.softmax import SCIPY_FUNCTIONS
from capture.interception.ufunc_proxies import UfuncProxy

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


def _answer(original: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function with captured arguments in its captured form, or else as it is."""
    captured = SCIPY_FUNCTIONS.get(original.__name__)
    if captured is not None:
        return captured(*args, **kwargs)
    try:
        return original(*args, **kwargs)
    except (ConcreteValueError, UnsupportedError):
        raise unsupported(f"scipy.special.{original.__name__}") from None


def _wrapped(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recorder = find_recorder(args, kwargs)
        if recorder is None:
            return original(*args, **kwargs)
        try:
            return _answer(original, args, kwargs)
        except CaptureError as error:
            if recorder.examples is None:
                raise
            return recorder.examples.call(original, args, kwargs, error)

    return wrapper


def imported(name: str) -> ModuleType | None:
    """Return a module that the program has imported; ``None`` until its import is complete."""
    module = sys.modules.get(name)
    unfinished = getattr(getattr(module, "__spec__", None), "_initializing", False)
    return None if unfinished else module


def scipy_functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return what user code sees of the module's functions and ufuncs, by name."""
    public = {name: getattr(module, name, None) for name in module.__all__}
    made: dict[Any, Any] = {}
    for function in public.values():  # digamma is psi: one stand-in for both
        if type(function) is FunctionType:
            made[function] = _wrapped(function)
        elif type(function) is np.ufunc:
            made[function] = UfuncProxy(function)
    return {name: made[f] for name, f in public.items() if type(f) in _KINDS}


_KINDS = (FunctionType, np.ufunc)
