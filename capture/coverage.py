"""Whether a NumPy function is captured: answered at run time, and on a page of the docs."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from capture.functions.decompositions import DECOMPOSITIONS
from capture.functions.out_of_reach import LATER, NEVER, TEXT
from capture.functions.registry import HANDLERS, REFUSALS, function_name
from capture.functions.scipy_special import ufunc_name
from capture.functions.softmax import SCIPY_FUNCTIONS
from capture.interception.proxies import replacements
from capture.interception.replacing import CREATION
from capture.ufuncs import ELEMENTWISE, UFUNC_HANDLERS, formula_of

Status = Literal["supported", "refused", "later", "unclassified"]


_INTERNAL_UFUNCS = {
    "_ones_like": "through np.ones_like",
    "clip": "through np.clip",
}
"""Ufuncs that NumPy uses itself, behind functions that are captured."""

_RANDOM = "its numbers would be fixed in the graph; pass them in, or record capture.random"


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
    """Return whether a NumPy function, ufunc or method is captured.

    Args:
        function: The function itself, such as ``np.median``, ``np.ndarray.sort`` or
            ``np.add.reduce``, or its name, such as ``"np.median"``, ``"linalg.svd"`` or
            ``"scipy.special.erf"``.

    Raises:
        LookupError: Nothing in NumPy has that name; the message names what is near.
        TypeError: ``function`` is neither a function nor a name.
    """
    name = function if isinstance(function, str) else _name_of_method(function)
    if name:
        from capture.coverage_names import find

        return find(name)
    if not callable(function):
        raise TypeError(
            f"supported: takes a function or its name, got {type(function).__name__}"
        )
    original = getattr(function, "__wrapped__", function)
    found = _classified(original)
    return found if found.status != "unclassified" else _classified(function)


def _name_of_method(function: Any) -> str:
    """Return ``ndarray.sort`` or ``add.reduce`` for a method, else nothing."""
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"{owner.__name__}.{name}"
    if isinstance(owner, np.ndarray) or getattr(function, "__objclass__", None) is np.ndarray:
        return f"ndarray.{name}"
    return ""


def _classified(function: Any) -> Support:
    if isinstance(function, np.ufunc):
        return _classified_ufunc(function)
    plain = getattr(function, "__name__", "")
    name = function_name(function) if plain else repr(function)
    module = str(getattr(function, "__module__", ""))
    if function in HANDLERS:
        return Support(name, "supported")
    if plain in CREATION and _is_creation(function):
        return Support(name, "supported", "made inside a scope, the array is captured")
    if module.startswith("scipy.special"):
        known = plain in SCIPY_FUNCTIONS
        return Support(f"scipy.special.{plain}", "supported" if known else "unclassified")
    if id(function) in replacements():
        return Support(name, "supported", "code inside a scope sees its captured form")
    if module.startswith("numpy.random") or _is_legacy_draw(function):
        return Support(f"np.random.{plain}", "refused", _RANDOM)
    return _refused(name, function)


def _classified_ufunc(ufunc: np.ufunc) -> Support:
    name = ufunc_name(ufunc)
    if ufunc.__name__ in _INTERNAL_UFUNCS:
        return Support(name, "supported", _INTERNAL_UFUNCS[ufunc.__name__])
    if ufunc in ELEMENTWISE or ufunc in UFUNC_HANDLERS or formula_of(ufunc):
        return Support(name, "supported")
    if not any(set(loop) & set("bhilqfd") for loop in ufunc.types):
        return Support(name, "refused", _in_one_line(TEXT))
    return _refused(name, ufunc)


def _refused(name: str, function: Any) -> Support:
    reason = _in_one_line(REFUSALS.get(function, ""))
    if function in NEVER:
        return Support(name, "refused", reason)
    if function in LATER or function in DECOMPOSITIONS:
        return Support(name, "later", reason)
    return Support(name, "unclassified")


def _in_one_line(reason: str) -> str:
    """Return a reason and its first way out, as a table has it."""
    problem, _, ways_out = reason.partition("\n  ways out: ")
    return f"{problem}; {ways_out.partition(';')[0]}" if ways_out else problem


def _is_legacy_draw(function: Any) -> bool:
    return isinstance(getattr(function, "__self__", None), np.random.RandomState)


def _is_creation(function: Any) -> bool:
    original = getattr(np, function.__name__, None)
    # NumPy lists some creation functions a second time as their like= dispatchers
    return original is not None and (
        original is function or getattr(function, "__module__", "") == "numpy"
    )
