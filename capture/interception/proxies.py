"""Stand-ins for whole modules: what user code sees as ``np`` and ``math`` inside a scope.

NumPy itself is never touched here: its compiled parts look functions up in its own namespace
and would crash on anything else. User modules get a copy of it with our replacements.
"""

from __future__ import annotations

import math
import sys
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from capture.interception import coercion, creation  # noqa: F401 - they fill CREATION
from capture.interception.element_functions import ELEMENT_FUNCTIONS
from capture.interception.index_objects import INDEX_OBJECTS
from capture.interception.list_arguments import list_accepting
from capture.interception.python_functions import MATH
from capture.interception.replacing import CREATION
from capture.interception.scipy_functions import imported, scipy_functions
from capture.interception.ufunc_proxies import UfuncProxy
from capture.interception.windows import STRIDE_TRICKS


class ModuleProxy(ModuleType):
    """A module whose attributes are those of another, some replaced.

    Args:
        original: The module stood for.
        replacements: Attributes that differ.
    """

    def __init__(self, original: ModuleType, replacements: dict[str, Any]) -> None:
        super().__init__(original.__name__, original.__doc__)
        self.__dict__["__graph_capture_original__"] = original
        self.__dict__["__graph_capture_replaced__"] = replacements

    def refresh(self) -> None:
        """Copy the module's namespace anew."""
        namespace = self.__dict__
        original = namespace["__graph_capture_original__"]
        replaced = namespace["__graph_capture_replaced__"]
        namespace.update(original.__dict__)
        namespace.update(replaced)
        namespace.pop("__getattr__", None)  # the module's own is asked through ours
        if original is np:
            namespace.pop("random", None)  # guarded in place: always looked up anew

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["__graph_capture_original__"], name)
        # SciPy's modules are imported when they are first asked for
        entry = replacements().get(id(found)) if isinstance(found, ModuleType) else None
        return found if entry is None else entry[1]

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["__graph_capture_original__"], name, value)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["__graph_capture_original__"], name)
        self.__dict__.pop(name, None)

    def __repr__(self) -> str:
        return (
            f"<{self.__dict__['__graph_capture_original__']!r} as seen inside a capture scope>"
        )


def _numpy_functions() -> dict[str, Any]:
    ufuncs = {name: UfuncProxy(f) for name, f in vars(np).items() if type(f) is np.ufunc}
    by_ufunc = {made.__wrapped__: made for made in ufuncs.values()}  # np.abs is np.absolute
    same = {name: by_ufunc[made.__wrapped__] for name, made in ufuncs.items()}
    return {**list_accepting(np), **same, **CREATION, **ELEMENT_FUNCTIONS}


_STAND_INS: list[tuple[ModuleType, ModuleProxy]] = []


def _stand_in(module: ModuleType, attributes: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return (original, replacement) pairs of a module and of its replaced attributes."""
    made = ModuleProxy(module, attributes)
    _STAND_INS.append((module, made))
    functions = {k: v for k, v in attributes.items() if not isinstance(v, ModuleType)}
    return [(module, made), *((getattr(module, name), f) for name, f in functions.items())]


def _by_id(pairs: list[tuple[Any, Any]]) -> dict[int, tuple[Any, Any]]:
    return {id(original): (original, made) for original, made in pairs}


@cache
def _numpy_and_math() -> dict[int, tuple[Any, Any]]:
    pairs = _stand_in(np.lib.stride_tricks, STRIDE_TRICKS)
    pairs += _stand_in(np.linalg, list_accepting(np.linalg))
    pairs += _stand_in(math, MATH)
    proxies = {original: made for original, made in pairs if isinstance(original, ModuleType)}
    pairs += _stand_in(np.lib, {"stride_tricks": proxies[np.lib.stride_tricks]})
    submodules = {"lib": _STAND_INS[-1][1], "linalg": proxies[np.linalg]}
    pairs += _stand_in(np, {**_numpy_functions(), **INDEX_OBJECTS, **submodules})
    refresh()
    return _by_id(pairs)


_SCIPY: dict[str, Any] = {}
"""Stand-ins of SciPy's modules by name, as attributes of its own."""

_with_scipy: dict[int, tuple[Any, Any]] = {}


def replacements() -> dict[int, tuple[Any, Any]]:
    """Return (original, replacement) by the original's id, for names bound in user modules.

    SciPy is not imported for this: it joins when a program has imported it.
    """
    global _with_scipy
    if not _with_scipy:
        _with_scipy = _numpy_and_math()
    if "scipy" in sys.modules and "special" not in _SCIPY:
        _with_scipy = {**_with_scipy, **_by_id(_scipy_pairs())}  # others may iterate over it
    return _with_scipy


def _scipy_pairs() -> list[tuple[Any, Any]]:
    """Return what stands for the parts of SciPy that are new."""
    pairs = []
    scipy, special = imported("scipy"), imported("scipy.special")
    if scipy is not None and id(scipy) not in _with_scipy:
        pairs += _stand_in(scipy, _SCIPY)
    if scipy is not None and special is not None:
        pairs += _stand_in(special, scipy_functions(special))
        _SCIPY["special"] = _STAND_INS[-1][1]
    for original, made in pairs:
        if isinstance(original, ModuleType):
            made.refresh()
    return pairs


def refresh() -> None:
    """Let every stand-in show what its module has now, beside the replacements."""
    for _, made in _STAND_INS:
        made.refresh()
