"""Which scopes are open in this thread or task."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from capture.recorder import Recorder

INTERCEPTED: ContextVar[tuple[Recorder, ...]] = ContextVar("intercepted_recorders", default=())
"""Recorders of the open scopes that intercept, outermost first."""


def current_recorder() -> Recorder | None:
    """Return the recorder that arrays created by user code now belong to, if any."""
    recorders = INTERCEPTED.get()
    for recorder in reversed(recorders):
        if not recorder.closed:
            return recorder
    return None
