"""Entering and leaving interception, for one scope."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from capture.active import INTERCEPTED
from capture.interception.libraries import Interception
from capture.interception.modules import REWRITING
from capture.interception.random_guards import guarding_random

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture.recorder import Recorder


@contextmanager
def intercepting(recorder: Recorder, rules: Interception | bool = True) -> Iterator[None]:
    """Make creation, coercion and ``np.random`` visible to ``recorder`` until the block ends.

    Context-local: only the calling thread or task is affected. Always undone.

    Args:
        recorder: Where arrays made by user code go.
        rules: Which modules; ``False`` leaves everything alone.
    """
    if rules is False:
        yield
        return
    chosen = rules if isinstance(rules, Interception) else Interception()
    REWRITING.enter(chosen, sys._getframe(1))
    token = INTERCEPTED.get()
    INTERCEPTED.set((*token, recorder))
    try:
        with guarding_random():
            yield
    finally:
        INTERCEPTED.set(tuple(kept for kept in INTERCEPTED.get() if kept is not recorder))
        REWRITING.leave()


def lift_function(function: Any) -> None:
    """Let a function's own globals, closure and defaults take part, while a scope is open."""
    REWRITING.rewrite_function(function)
