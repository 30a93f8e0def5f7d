"""A limit on the work of normalising sizes, for whoever reads them from strangers.

Dims are bounded one by one, but a small file can ask for the same large sum ten thousand times.
Work is counted in characters of normal forms made, so the limit is hit at the same place on
every machine.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ir.errors import DimError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEFT: ContextVar[list[int] | None] = ContextVar("_LEFT", default=None)


@contextmanager
def limited_dim_work(most: int) -> Iterator[None]:
    """Bound what the sizes made inside the ``with`` block may cost.

    Args:
        most: Characters of normal forms.

    Raises:
        DimError: Inside the block, when they would cost more.
    """
    token = _LEFT.set([most])
    try:
        yield
    finally:
        _LEFT.reset(token)


def spend(amount: int) -> None:
    """Count work against the limit, if there is one.

    Raises:
        DimError: It is used up.
    """
    left = _LEFT.get()
    if left is not None:
        left[0] -= amount
        if left[0] < 0:
            raise DimError("dim: the sizes of this file take too much work")
