"""Pictures of graphs: SVG, and an HTML page to zoom and search in.

``collect`` reads a graph, ``summary`` folds what is too much to see, ``layout`` gives everything a
place, ``svg`` and ``page`` write. The layout engine is the extra ``drawing``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ir.graph import Graph

MOST_BOXES = 300
"""How many boxes a picture has before parts are folded."""


def to_svg(graph: Graph, *, limit: int = MOST_BOXES) -> str:
    """Return a graph as an SVG document.

    Args:
        graph: What to draw, with the graphs inside its ops.
        limit: The most boxes; beyond that, frames are closed and neighbours folded.

    Raises:
        MissingExtraError: The layout engine is not installed.
    """
    from ir.pictures.collect import collect
    from ir.pictures.summary import summarised
    from ir.pictures.svg import svg_text

    return svg_text(summarised(collect(graph, with_details=False), limit))


def to_html(graph: Graph, *, limit: int = MOST_BOXES) -> str:
    """Return a graph as one HTML page, to zoom, search, fold and ask in; it needs no network.

    Args:
        graph: What to draw, with the graphs inside its ops.
        limit: The most boxes of one drawing; what is folded opens as a drawing of its own.

    Raises:
        MissingExtraError: The layout engine is not installed.
    """
    from ir.pictures.collect import collect
    from ir.pictures.page import page_text
    from ir.pictures.sheets import sheets_of

    return page_text(list(sheets_of(collect(graph), limit)))
