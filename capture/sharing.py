"""Which results of a body may be one array, with each other or with one from around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.loans import owner_of
from capture.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture.regions import Region


class Sharing:
    """Groups of storage that may be one after a body.

    Args:
        region: The body.
        leaves: What it gives.
    """

    def __init__(self, region: Region, leaves: Iterable[Any]) -> None:
        self.region = region
        self.owners = {i: owner_of(leaf) for i, leaf in enumerate(leaves) if is_array(leaf)}
        self._group: dict[int, int] = {}
        self._tensors = {id(owner): owner for owner in self.owners.values()}
        for pair in region.pairs:
            if pair is not None:
                a, b = map(owner_of, pair)
                self._tensors |= {id(a): a, id(b): b}
                self._join(id(a), id(b))

    def _root(self, key: int) -> int:
        while self._group.get(key, key) != key:
            key = self._group[key]
        return key

    def _join(self, a: int, b: int) -> None:
        self._group[self._root(a)] = self._root(b)

    def may_share(self, a: Tensor, b: Tensor) -> bool:
        """Whether two owners of storage may be one."""
        return self._root(id(a)) == self._root(id(b))

    def pairs(self) -> list[tuple[int, int]]:
        """Return the positions of results that may share memory."""
        return [
            (i, j)
            for i, a in self.owners.items()
            for j, b in self.owners.items()
            if i < j and self.may_share(a, b)
        ]

    def outer(self, position: int) -> list[Tensor]:
        """Return the owners from around the body that a result may share memory with."""
        owner = self.owners.get(position)
        if owner is None:
            return []
        return [
            other
            for other in self._tensors.values()
            if self.region.is_outer(other) and self.may_share(owner, other)
        ]


def is_array(leaf: Any) -> bool:
    """Whether a leaf is a captured array, which can be written to."""
    return type(leaf) is Tensor and not leaf.is_scalar
