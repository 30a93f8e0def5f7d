"""Exporters that draw: a picture as SVG, or as an HTML page to look around in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from exporters.errors import ExportError
from exporters.files import atomic_files
from exporters.places import TargetFile
from ir.pictures import MOST_BOXES, to_html, to_svg
from ir.pictures.layout import require_engine

if TYPE_CHECKING:
    import os

    from ir.graph import Graph


class _PictureExporter:
    """Draws a graph into one file, which appears whole or not at all.

    Args:
        path: The file; its folder must exist.
        limit: The most boxes of one drawing; beyond that, parts are folded and a note says so.

    Attributes:
        written: The file of the last export.

    Raises:
        MissingExtraError: The layout engine is not installed.
        ValueError: The limit is below 1.
    """

    def __init__(self, path: str | os.PathLike[str], *, limit: int = MOST_BOXES) -> None:
        if limit < 1:
            raise ValueError(f"limit must be 1 or more, got {limit}")
        require_engine()
        self.path = Path(path)
        self._target = TargetFile(self.path)
        self.limit = limit
        self.written: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r}, limit={self.limit})"

    def export(self, graph: Graph) -> None:
        """Draw the graph; the same graph gives the same bytes.

        Raises:
            ExportError: The layout engine fails on the graph.
            TargetPathError: No file can be written at the path.
            OSError: Writing failed, as on a full disk.
        """
        place = self._target.place()
        try:
            text = self._drawn(graph)
        except ValueError as error:  # what the engine raises has this base
            raise ExportError(
                f"{self.path}: the graph {graph.name!r} cannot be laid out: {error}\n"
                "  way out: graph.to_dot() or graph.to_mermaid()"
            ) from error
        with atomic_files(place) as (file,):
            file.write(text.encode())
        self.written = (self.path,)

    def _drawn(self, graph: Graph) -> str:
        raise NotImplementedError


class SvgExporter(_PictureExporter):
    """Draws a graph as SVG: types on arrows, colours by family, source lines on hovering.

    Args:
        path: The file; its folder must exist.
        limit: The most boxes; beyond that, parts are folded and a note says so.

    Attributes:
        written: The file of the last export.

    Raises:
        MissingExtraError: The layout engine is not installed.
        ValueError: The limit is below 1.
    """

    def _drawn(self, graph: Graph) -> str:
        return to_svg(graph, limit=self.limit)


class HtmlExporter(_PictureExporter):
    """Draws a graph as one HTML page, to zoom, search, fold and ask in; it needs no network.

    Args:
        path: The file; its folder must exist.
        limit: The most boxes of one drawing; what is folded opens as a drawing of its own.

    Attributes:
        written: The file of the last export.

    Raises:
        MissingExtraError: The layout engine is not installed.
        ValueError: The limit is below 1.
    """

    def _drawn(self, graph: Graph) -> str:
        return to_html(graph, limit=self.limit)
