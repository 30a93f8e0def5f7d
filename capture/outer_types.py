"""Types of what leaves a body: sizes known only inside it become symbols of the graph around."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import Dim, bounds, symbols_of
from ir.types import TensorType

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from ir.dims import DimLike, Symbol


class OuterTypes:
    """Gives results their types in the graph around; equal sizes inside stay equal outside.

    Args:
        recorder: Where the bodies were recorded.
        start: The first node of the bodies.
        local: Further symbols that exist only inside.
    """

    def __init__(
        self, recorder: Recorder, start: int, local: frozenset[Symbol] = frozenset()
    ) -> None:
        self._recorder = recorder
        self._start = start
        self._local = local
        self._found: dict[tuple[DimLike, ...], Dim] = {}

    @property
    def fresh(self) -> tuple[Dim, ...]:
        """The symbols made so far."""
        return tuple(self._found.values())

    def is_local(self, dim: DimLike) -> bool:
        """Whether a size is known only inside."""
        definers = self._recorder.builder.definers
        return isinstance(dim, Dim) and any(
            symbol in self._local or definers.get(symbol, -1) >= self._start
            for symbol in symbols_of(dim)
        )

    def join(self, *types: TensorType) -> TensorType:
        """Return the type of a result that has one of several types, equal in dtype and rank."""
        columns = zip(*(type.shape for type in types), strict=True)
        return TensorType(types[0].dtype, tuple(self._size(sizes) for sizes in columns))

    def _size(self, sizes: tuple[DimLike, ...]) -> DimLike:
        first = sizes[0]
        if all(size == first for size in sizes) and not self.is_local(first):
            return first
        found = self._found.get(sizes)
        if found is None:
            low, high = zip(*map(bounds, sizes), strict=True)
            found = self._found[sizes] = Dim(
                self._recorder.fresh_symbol("size"),
                min=max(min((0 if b is None else b) for b in low), 0),
                max=None if None in high else max(b for b in high if b is not None),
            )
        return found
