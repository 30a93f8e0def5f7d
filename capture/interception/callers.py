"""Whether a call comes from code that the innermost open scope intercepts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from capture.active import innermost
from capture.interception.libraries import EVERYBODY
from capture.location import INTERNAL

if TYPE_CHECKING:
    from capture.recorder import Recorder


def creating_recorder(depth: int = 1) -> Recorder | None:
    """Return where an array created by the calling code belongs, if it is to be tracked.

    Modules are rewritten for all open scopes together, so a scope with rules of its own asks
    whose code calls.

    Args:
        depth: How many frames up to start looking for code that is not ours.
    """
    active = innermost()
    if active is None or active.rules is None:
        return None
    if active.rules is not EVERYBODY and active.rules != EVERYBODY:
        frame = sys._getframe(depth)
        while INTERNAL[frame.f_code.co_filename] and frame.f_back is not None:
            frame = frame.f_back
        if not active.rules.covers(str(frame.f_globals.get("__name__", ""))):
            return None
    return active.recorder
