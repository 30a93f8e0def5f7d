"""What a scope asks of an exporter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ir.graph import Graph


@runtime_checkable
class Exporter(Protocol):
    """Something that takes a finished graph, for example to write it to a file.

    A scope calls ``export`` once, on a clean exit. A failing export leaves no partial file.
    """

    def export(self, graph: Graph) -> None:
        """Take the finished graph.

        Raises:
            Exception: The graph cannot be exported; scopes collect these in one group.
        """
        ...
