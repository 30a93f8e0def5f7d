"""How far long work has come, told to whoever listens.

A context variable, so that no function between the work and the terminal has to pass a callback
on, and work that nobody watches pays one look-up per loop, not per step.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Listener: TypeAlias = Callable[[str, int, int], None]

T = TypeVar("T")
_LISTENER: ContextVar[Listener | None] = ContextVar("_LISTENER", default=None)
_EVERY = 256


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let a function hear what the work inside the ``with`` block tells.

    Args:
        listener: Called with what is being done, how much of it is done, and how much it is.
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(doing: str, done: int, total: int) -> None:
    """Say how far work has come."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(doing, done, total)


def counted(doing: str, items: Sequence[T], *, every: int = _EVERY) -> Iterable[T]:
    """Return the items, telling how many have been taken; unheard, they are returned as they are.

    Args:
        doing: What is being done to them.
        items: What is worked on.
        every: After how many of them to tell; a power of two.
    """
    listener = _LISTENER.get()
    return items if listener is None else _telling(listener, doing, items, every)


def _telling(listener: Listener, doing: str, items: Sequence[T], every: int) -> Iterator[T]:
    total = len(items)
    for index, item in enumerate(items):
        if not index & (every - 1):
            listener(doing, index, total)
        yield item
    listener(doing, total, total)
