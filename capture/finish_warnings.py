"""What a finished graph warns of: it is right, but perhaps not what was meant."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.location import user_frame
from ir.passes import unread_inputs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ir.graph import Graph


class UnusedInputWarning(UserWarning):
    """An input was declared but no output depends on it; it stays in the graph."""


class LostStateWarning(UserWarning):
    """What a program keeps outside the scope changed, and the graph does not change it."""


def warn_of_unused_inputs(graph: Graph) -> None:
    """Warn of inputs that were declared and play no part."""
    for value in unread_inputs(graph) if graph.outputs else ():
        _warn(
            f"input {value.name!r} is not used by any output; it stays in the graph",
            UnusedInputWarning,
        )


def warn_of_lost_state(graph: Graph, written: Iterable[np.ndarray[Any, Any]]) -> None:
    """Warn of state that a program keeps in an outside array: the graph has its first value.

    Args:
        graph: The finished graph.
        written: What it may have kept of arrays that have other contents by now.
    """
    kept = {id(data) for data in written}
    for value in graph.constants if kept else ():
        if id(value.data) in kept:
            _warn(
                f"constant {value.name or value.type} is an array from outside that was written "
                "to after the graph had read it; every run of the graph has what was read\n"
                "  ways out: pass state in as an argument and return its new value; copy what is "
                "only a buffer, x = x.copy()",
                LostStateWarning,
            )


def warn_of_rebound_names(names: Iterable[str]) -> None:
    """Warn of names outside that held an array and were bound to a captured value."""
    for name in names:
        _warn(
            f"{name} held an array and was bound to a captured value, which is of no use after "
            "its scope; every run of the graph begins with the array\n  ways out: pass state in as "
            "an argument and return its new value",
            LostStateWarning,
        )


def _warn(message: str, category: type[UserWarning]) -> None:
    frame = user_frame(2)
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno)
