"""Stand-ins for whole modules: what user code sees as ``np`` and ``math`` while a scope is open.

NumPy itself is never touched here: its compiled parts look functions up in its own namespace and
would crash on anything else. User modules get a copy of the namespace with our replacements.
"""

from __future__ import annotations

import math
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from capture.interception.creation import CREATION
from capture.interception.index_objects import INDEX_OBJECTS
from capture.interception.list_arguments import list_accepting
from capture.interception.python_functions import MATH
from capture.interception.windows import STRIDE_TRICKS


class ModuleProxy(ModuleType):
    """A module whose attributes are those of another, some replaced.

    Args:
        original: The module stood for.
        replacements: Attributes that differ.
    """

    def __init__(self, original: ModuleType, replacements: dict[str, Any]) -> None:
        super().__init__(original.__name__, original.__doc__)
        namespace = self.__dict__
        namespace.update(original.__dict__)
        namespace.update(replacements)
        namespace["__graph_capture_original__"] = original

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__graph_capture_original__"], name)

    def __repr__(self) -> str:
        return f"<{self.__dict__['__graph_capture_original__']!r} as seen inside a capture scope>"


@cache
def replacements() -> dict[int, tuple[Any, Any]]:
    """Return (original, replacement) by the original's id, for names bound in user modules."""
    stride_tricks = ModuleProxy(np.lib.stride_tricks, STRIDE_TRICKS)
    lib = ModuleProxy(np.lib, {"stride_tricks": stride_tricks})
    functions = {**list_accepting(np), **CREATION}
    linalg_functions = list_accepting(np.linalg)
    linalg = ModuleProxy(np.linalg, linalg_functions)
    numpy_proxy = ModuleProxy(np, {**functions, **INDEX_OBJECTS, "lib": lib, "linalg": linalg})
    numpy_proxy.__dict__.pop("random", None)  # guarded in place: always look it up anew
    pairs: list[tuple[Any, Any]] = [
        (np, numpy_proxy),
        (np.lib, lib),
        (np.lib.stride_tricks, stride_tricks),
        (math, ModuleProxy(math, MATH)),
    ]
    pairs += [(np.linalg, linalg)]
    pairs += [(getattr(np, name), made) for name, made in functions.items()]
    pairs += [(getattr(np.linalg, name), made) for name, made in linalg_functions.items()]
    pairs += [(getattr(np, name), made) for name, made in INDEX_OBJECTS.items()]
    pairs += [(getattr(math, name), made) for name, made in MATH.items()]
    pairs += [(getattr(np.lib.stride_tricks, name), made) for name, made in STRIDE_TRICKS.items()]
    return {id(original): (original, made) for original, made in pairs}
