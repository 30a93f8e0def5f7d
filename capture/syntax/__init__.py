"""Turning a function's own ``if``, ``while`` and ``for`` into branches and loops of the graph."""

from capture.syntax.decorator import control_flow

__all__ = ["control_flow"]
