"""Registering what stands for a NumPy function in user modules while a scope is open.

Outside a scope, in another thread, and for dtypes that are not captured it is the original.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import find_recorder
from capture.interception.callers import creating_recorder
from capture.layouts import layout_of
from capture.tensor import Tensor
from ir.errors import UnsupportedDTypeError
from ir.types import DTYPE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder

CREATION: dict[str, Callable[..., Any]] = {}
"""Replacements by the name they have in NumPy's main namespace."""


def replaces(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a replacement; it is called with the recorder first, only inside a scope."""
    original = getattr(np, name)

    def register(replacement: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            recorder = find_recorder(args, kwargs) or creating_recorder()
            if recorder is None or recorder.closed:
                return original(*args, **kwargs)
            try:
                return replacement(recorder, *args, **kwargs)
            except UnsupportedDTypeError:
                if find_recorder(args, kwargs) is not None:
                    raise
                return original(*args, **kwargs)  # text, objects, dates: none of our business

        CREATION[name] = wrapper
        return replacement

    return register


def tracked(recorder: Recorder, array: Any) -> Any:
    """Return a concrete array as a constant of the graph."""
    if type(array) in (tuple, list):
        return type(array)(tracked(recorder, item) for item in array)
    if not isinstance(array, np.ndarray) or array.dtype.newbyteorder("=") not in DTYPE_NAMES:
        return array
    index = recorder.constants.array(array)
    layout = layout_of(np.asarray(array))
    return Tensor(recorder, index, recorder.builder.types[index], layout)
