"""Whether a NumPy function is captured: answered at run time, and on a page of the docs."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from capture.functions.decompositions import DECOMPOSITIONS
from capture.functions.out_of_reach import LATER, NEVER, TEXT
from capture.functions.registry import HANDLERS, REFUSALS, function_name
from capture.interception.replacing import CREATION
from capture.ufuncs import ELEMENTWISE, FORMULAS, UFUNC_HANDLERS

Status = Literal["supported", "refused", "later", "unclassified"]


_INTERNAL_UFUNCS = {
    "_ones_like": "through np.ones_like",
    "clip": "through np.clip",
}
"""Ufuncs that NumPy uses itself, behind functions that are captured."""


class Support(NamedTuple):
    """Whether and how a function is captured; true when it is.

    Attributes:
        name: The function.
        status: ``"supported"``, ``"refused"`` for good, or ``"later"``.
        reason: Why not, or how, where there is something to say.
    """

    name: str
    status: Status
    reason: str = ""

    def __bool__(self) -> bool:
        return self.status == "supported"

    def __str__(self) -> str:
        return f"{self.name}: {self.status}{f' ({self.reason})' if self.reason else ''}"


def supported(function: Any) -> Support:
    """Return whether a NumPy function or ufunc is captured.

    Args:
        function: The function itself, such as ``np.median``.

    Raises:
        TypeError: ``function`` is not callable.
    """
    if not callable(function):
        raise TypeError(f"supported: takes a function, got {type(function).__name__}")
    original = getattr(function, "__wrapped__", function)
    found = _classified(original)
    return found if found.status != "unclassified" else _classified(function)


def _classified(function: Any) -> Support:
    name = function_name(function) if hasattr(function, "__name__") else repr(function)
    if isinstance(function, np.ufunc):
        name = f"np.{function.__name__}"
        if function.__name__ in _INTERNAL_UFUNCS:
            return Support(name, "supported", _INTERNAL_UFUNCS[function.__name__])
        if function in ELEMENTWISE or function in UFUNC_HANDLERS or function in FORMULAS:
            return Support(name, "supported")
        if not any(set(loop) & set("bhilqfd") for loop in function.types):
            return Support(name, "refused", TEXT)
    elif function in HANDLERS:
        return Support(name, "supported")
    elif getattr(function, "__name__", "") in CREATION and _is_creation(function):
        return Support(name, "supported", "made inside a scope, the array is captured")
    reason = REFUSALS.get(function, "").partition("\n")[0]
    if function in NEVER:
        return Support(name, "refused", reason)
    if function in LATER or function in DECOMPOSITIONS:
        return Support(name, "later", reason)
    return Support(name, "unclassified")


def _is_creation(function: Any) -> bool:
    original = getattr(np, function.__name__, None)
    # NumPy lists some creation functions a second time as their like= dispatchers
    return original is not None and (
        original is function or getattr(function, "__module__", "") == "numpy"
    )
