"""Which scopes are open in this thread or task."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from capture.interception.libraries import Interception
    from capture.recorder import Recorder


class Active(NamedTuple):
    """An open scope.

    Attributes:
        recorder: Where it records.
        rules: Whose code it intercepts; ``None`` for nobody's.
    """

    recorder: Recorder
    rules: Interception | None


ACTIVE: ContextVar[tuple[Active, ...]] = ContextVar("active_scopes", default=())
"""The open scopes of this thread or task, outermost first."""


def innermost() -> Active | None:
    """Return the innermost scope that still records, if any."""
    for active in reversed(ACTIVE.get()):
        if not active.recorder.closed:
            return active
    return None


def current_recorder() -> Recorder | None:
    """Return the recorder that arrays created by user code now belong to, if any."""
    active = innermost()
    return None if active is None or active.rules is None else active.recorder
