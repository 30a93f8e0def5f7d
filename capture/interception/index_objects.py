"""``np.r_`` and ``np.c_`` with captured parts, ``np.mgrid`` and ``np.ogrid`` as tracked arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import find_recorder, lift
from capture.errors import UnsupportedError
from capture.interception.callers import creating_recorder
from capture.interception.creation import tracked
from capture.location import here


class Joiner:
    """``np.r_`` or ``np.c_``: joins what stands between the brackets.

    Args:
        original: NumPy's object.
        columns: Whether one-dimensional parts become columns joined along the last axis.
    """

    def __init__(self, original: Any, columns: bool) -> None:
        self._original = original
        self._columns = columns

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        recorder = find_recorder(parts)
        if recorder is None:
            joined = self._original[key]
            current = creating_recorder()
            return joined if current is None else tracked(current, joined)
        if any(isinstance(part, str) for part in parts):
            raise UnsupportedError(
                f"np.r_: directives in text are not captured; use np.concatenate{here()}"
            )
        tensors = []
        for part in parts:
            array = self._original[part] if isinstance(part, slice) else part
            tensor = lift(recorder, array)
            tensors.append(tensor.reshape(1) if not tensor.ndim else tensor)
        if self._columns:
            tensors = [t[:, None] if t.ndim == 1 else t for t in tensors]
            return np.concatenate(tensors, axis=-1)  # type: ignore[arg-type]
        return np.concatenate(tensors)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return 0


class Grid:
    """``np.mgrid`` or ``np.ogrid``: the result is tracked inside a scope."""

    def __init__(self, original: Any) -> None:
        self._original = original

    def __getitem__(self, key: Any) -> Any:
        grid = self._original[key]
        current = creating_recorder()
        return grid if current is None else tracked(current, grid)


INDEX_OBJECTS: dict[str, Any] = {
    "c_": Joiner(np.c_, True),
    "mgrid": Grid(np.mgrid),
    "ogrid": Grid(np.ogrid),
    "r_": Joiner(np.r_, False),
}
"""Replacements by the name they have in NumPy's main namespace."""
