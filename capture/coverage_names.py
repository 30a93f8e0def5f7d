"""What a name of NumPy or SciPy stands for, and everything that NumPy lets others override."""

from __future__ import annotations

import difflib
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.testing.overrides import (
    get_overridable_numpy_array_functions,
    get_overridable_numpy_ufuncs,
)

from capture.coverage import Support, supported
from capture.functions.scipy_special import scipy_names
from capture.interception.proxies import replacements
from capture.tensor import Tensor
from capture.ufuncs import METHOD_HANDLERS

_SCIPY = "scipy.special."
_HOLDERS = (np, np.linalg, np.fft, np.lib.stride_tricks)
"""Where a name without dots is looked for."""


@cache
def listed() -> tuple[Support, ...]:
    """Return the support of every function and ufunc that the installed NumPy lists."""
    functions = [*get_overridable_numpy_array_functions(), *get_overridable_numpy_ufuncs()]
    # creation functions are listed a second time, as their like= dispatchers
    return tuple(sorted(set(map(supported, functions))))


def find(name: str) -> Support:
    """Return the support of what a name stands for.

    Args:
        name: ``np.median``, ``median``, ``linalg.svd``, ``ndarray.sort``, ``add.reduce``,
            ``scipy.special.erf``.

    Raises:
        LookupError: Nothing has that name; the message names what is near.
    """
    bare = name.removeprefix("numpy.").removeprefix("np.")
    if bare.startswith((_SCIPY, "special.")):
        return _scipy(bare.rpartition(".")[2])
    owner, _, last = bare.rpartition(".")
    holder = _attribute(owner) if owner else np
    if holder is np.ndarray and hasattr(holder, last):
        return Support(f"ndarray.{last}", "supported" if hasattr(Tensor, last) else "refused")
    if isinstance(holder, np.ufunc) and hasattr(holder, last):
        done = last in METHOD_HANDLERS
        return Support(f"np.{bare}", "supported" if done else "refused")
    for place in (holder,) if owner else _HOLDERS:
        found = getattr(place, last, None)
        if callable(found):
            return supported(found)
        if id(found) in replacements() and not isinstance(found, ModuleType):
            return Support(f"np.{bare}", "supported")
    by_last_part = {support.name.rpartition(".")[2]: support for support in listed()}
    if bare in by_last_part:
        return by_last_part[bare]
    if bare in scipy_names():
        return _scipy(bare)
    raise LookupError(_unknown(name, [*by_last_part, *scipy_names()]))


def _attribute(path: str) -> Any:
    found: Any = np
    for part in path.split("."):
        found = getattr(found, part, None)
    return found


def _scipy(name: str) -> Support:
    known = scipy_names()
    if name in known:
        return Support(known[name], "supported")
    return Support(_SCIPY + name, "unclassified", "it has no captured form")


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name.rpartition(".")[2], known, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"no function {name!r} in NumPy{hint}"
