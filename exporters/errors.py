"""Errors of the exporters: one root, each leaf also the builtin a NumPy user expects.

The message says ``op: what is wrong: operands with types``, then the user's line, then a hint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from ir.graph import Node


class ExportError(Exception):
    """Root of everything the ``exporters`` package raises on purpose.

    Attributes:
        located: Whether the message names the op and the user's line already.
    """

    located = False

    @classmethod
    def at(cls, node: Node, problem: str, hint: str | None = None) -> Self:
        """Return the error for a node: its op, operand types and source line.

        Args:
            node: What cannot be exported.
            problem: What is wrong with it.
            hint: A way out.
        """
        operands = ", ".join(str(value.type) for value in node.inputs)
        lines = [f"{node.op.name}: {problem}" + (f": {operands}" if operands else "")]
        if node.location is not None:
            lines.append(f"  at {node.location}")
        if hint is not None:
            lines.append(f"  hint: {hint}")
        error = cls("\n".join(lines))
        error.located = True
        return error


class UnsupportedLoweringError(ExportError, NotImplementedError):
    """The op has no lowering here, or none that is exact for these operand types."""


class OpsetError(ExportError, ValueError):
    """The asked opset cannot express this; the message says which one can."""


class ModelSizeError(ExportError, ValueError):
    """The model is beyond what one protobuf message holds; use external data."""


class VerificationError(ExportError, AssertionError):
    """The exported file does not give the reference's numbers."""
