"""Stand-ins for whole modules: what user code sees as ``np`` and ``math`` inside a scope.

NumPy itself is never touched here: its compiled parts look functions up in its own namespace
and would crash on anything else. User modules get a copy of it with our replacements.
"""

from __future__ import annotations

import math
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
        if original is np:
            namespace.pop("random", None)  # guarded in place: always looked up anew

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__graph_capture_original__"], name)

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


@cache
def replacements() -> dict[int, tuple[Any, Any]]:
    """Return (original, replacement) by the original's id, for names bound in user modules."""
    pairs = _stand_in(np.lib.stride_tricks, STRIDE_TRICKS)
    pairs += _stand_in(np.linalg, list_accepting(np.linalg))
    pairs += _stand_in(math, MATH)
    proxies = {original: made for original, made in pairs if isinstance(original, ModuleType)}
    pairs += _stand_in(np.lib, {"stride_tricks": proxies[np.lib.stride_tricks]})
    submodules = {"lib": _STAND_INS[-1][1], "linalg": proxies[np.linalg]}
    pairs += _stand_in(np, {**_numpy_functions(), **INDEX_OBJECTS, **submodules})
    refresh()
    return {id(original): (original, made) for original, made in pairs}


def refresh() -> None:
    """Let every stand-in show what its module has now, beside the replacements."""
    for _, made in _STAND_INS:
        made.refresh()
