"""What a scope asks of an exporter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from ir.error_pages import DocumentedError

if TYPE_CHECKING:
    from ir.graph import Graph, Node


class ExportError(DocumentedError):
    """A graph could not be exported; root of everything ``exporters`` raises on purpose.

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


@runtime_checkable
class Exporter(Protocol):
    """Something that takes a finished graph, for example to write it to a file.

    A scope calls ``export`` once, on a clean exit. A failing export leaves no partial file.
    """

    def export(self, graph: Graph) -> None:
        """Take the finished graph.

        Raises:
            ExportError: The graph cannot be exported; scopes collect these in one group.
        """
        ...
