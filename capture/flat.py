"""``x.flat``: the elements of an array in C order, to read, to write and to go through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.errors import UnsupportedError
from capture.location import here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture.tensor import Tensor


class FlatIterator:
    """What ``x.flat`` gives for a captured array.

    Args:
        base: The array.
    """

    __slots__ = ("_next", "base")

    def __init__(self, base: Tensor) -> None:
        self.base = base
        self._next = 0

    def _elements(self) -> Any:
        return self.base.reshape(-1).copy()

    @property
    def index(self) -> int:
        """Position of the next element."""
        return self._next

    def copy(self) -> Any:
        """Return the elements as an array of their own."""
        return self._elements()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._elements().__array__(dtype)

    def __len__(self) -> int:
        return len(self._elements())

    def __getitem__(self, key: Any) -> Any:
        found = self._elements()[key]
        return found if found.is_scalar else found.copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        elements = self._elements()
        elements[key] = _repeated(value, elements, elements[key])
        self.base[...] = elements.reshape(self.base.shape)

    def __iter__(self) -> Iterator[Any]:
        self._next = 0
        return self

    def __next__(self) -> Any:
        elements = self.base.reshape(-1)
        if self._next >= len(elements):
            self._next = 0
            raise StopIteration
        self._next += 1
        return elements[self._next - 1]


def _repeated(value: Any, elements: Tensor, target: Tensor) -> Any:
    """Return the values for a window: repeated or cut to its length, as ``flat`` does it."""
    given = cast(lift(elements._recorder, value), elements.dtype).reshape(-1)
    count, size = target.size, given.size
    if isinstance(size, int) and size == 1:
        return given[0]
    if isinstance(size, int) and isinstance(count, int):
        return np.resize(given, count).reshape(target.shape)
    if given._type.shape == (target._type.shape or (1,)):
        return given
    raise UnsupportedError(
        f"flat: whether {given._type} fills {target._type} once depends on a symbolic size"
        f"{here(2)}\n  ways out: x.reshape(-1)[key] = values, with as many values as elements"
    )
