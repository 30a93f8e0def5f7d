"""``np.r_`` and ``np.c_`` with captured parts, ``np.mgrid`` and ``np.ogrid`` tracked."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import find_recorder, lift, promotion_key
from capture.errors import UnsupportedError
from capture.interception.callers import creating_recorder
from capture.interception.replacing import CREATION, tracked
from capture.location import here
from capture.promotion import result_dtype


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
        arrays = [self._array(part) for part in parts]
        # as in NumPy, Python numbers between the brackets are weak and lists are not
        dtype = result_dtype([promotion_key(array) for array in arrays])
        tensors: list[Any] = [lift(recorder, array, dtype) for array in arrays]
        if self._columns:
            tensors = [t.reshape(-1, 1) if t.ndim < 2 else t for t in tensors]
            return np.concatenate(tensors, axis=-1)
        return np.concatenate([t if t.ndim else t.reshape(1) for t in tensors])

    def _array(self, part: Any) -> Any:
        """Return one part as an array, or as the number it is."""
        if isinstance(part, slice):
            if find_recorder((part,)) is None:
                return self._original[part]
            return CREATION["arange"](part.start or 0, part.stop, part.step or 1)
        return (
            part
            if isinstance(part, bool | int | float | np.generic)
            else CREATION["asarray"](part)
        )

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
