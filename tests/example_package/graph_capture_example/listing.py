"""An exporter that writes the graph's text."""

from __future__ import annotations

from pathlib import Path

from ir import Graph


class ListingExporter:
    """Write what ``print(graph)`` shows.

    Args:
        path: Where.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def export(self, graph: Graph) -> None:
        """Write the file."""
        self.path.write_text(f"{graph}\n", encoding="utf-8")
