"""Entering and leaving interception, for one scope."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from capture.active import ACTIVE, Active
from capture.finish_warnings import warn_of_rebound_names
from capture.interception.libraries import EVERYBODY, Interception
from capture.interception.modules import REWRITING
from capture.interception.random_guards import guarding_random

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture.recorder import Recorder


@contextmanager
def intercepting(
    recorder: Recorder,
    rules: Interception | bool = True,
    own: dict[str, Any] | None = None,
) -> Iterator[None]:
    """Make creation, coercion and ``np.random`` visible to ``recorder`` until the block ends.

    Context-local: only the calling thread or task is affected. Always undone.

    Args:
        recorder: Where arrays made by user code go.
        rules: Which modules; ``False`` leaves everything alone, also inside another scope.
        own: The namespace in which the block itself binds names: its results, no state.
    """
    if rules is False:
        with _active(Active(recorder, None)):
            yield
        return
    chosen = rules if isinstance(rules, Interception) else EVERYBODY
    REWRITING.enter(chosen, sys._getframe(1))
    try:
        with _active(Active(recorder, chosen)), guarding_random():
            yield
        rebound = REWRITING.rebound(recorder, own)
    finally:
        REWRITING.leave(recorder)
    warn_of_rebound_names(rebound)


@contextmanager
def _active(entry: Active) -> Iterator[None]:
    ACTIVE.set((*ACTIVE.get(), entry))
    try:
        yield
    finally:
        ACTIVE.set(tuple(kept for kept in ACTIVE.get() if kept is not entry))


def lift_function(function: Any, *arguments: Any) -> None:
    """Let what a function and its arguments hold take part, while a scope is open."""
    REWRITING.reach(function, *arguments)
