"""What a notebook shows for a graph: the page in a frame, or a table where it cannot be drawn."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ir.errors import MissingExtraError
from ir.pictures.text import printable
from ir.printer import data_text, value_names

if TYPE_CHECKING:
    from ir.graph import Graph

_TALLEST, _LOWEST = 640, 220
_MOST_ROWS = 60
_MOST_BOXES_IN_ALL = 600
"""Fewer than a page of its own has: it is stored in the notebook, at every showing."""
_NO_ENGINE = "pip install 'graph-capture[drawing]' draws this graph"


def notebook_html(graph: Graph) -> str:
    """Return HTML for a notebook's output cell; it never raises, since showing must not fail.

    The page stands in a sandboxed frame, so that its styles and ids stay apart from the
    notebook's and its script can reach nothing but the drawing.
    """
    try:
        return _framed(graph)
    except MissingExtraError:
        return _table(graph, _NO_ENGINE)
    except Exception as error:
        return _table(graph, f"this graph cannot be drawn: {type(error).__name__}: {error}")


def _framed(graph: Graph) -> str:
    from ir.pictures import MOST_BOXES
    from ir.pictures.collect import collect
    from ir.pictures.page import page_text
    from ir.pictures.sheets import sheets_of

    sheets = list(sheets_of(collect(graph), MOST_BOXES, _MOST_BOXES_IN_ALL))
    page = html.escape(page_text(sheets))
    height = min(_TALLEST, _LOWEST + 60 * (len(graph.nodes) + len(graph.inputs)))
    name = html.escape(printable(graph.name))
    return (
        f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="Drawing of {name}" '
        f'style="width:100%;height:{height}px;border:1px solid #8c959f55;border-radius:6px" '
        'loading="lazy"></iframe>'
    )


def _table(graph: Graph, note: str) -> str:
    """Return the graph as a table; the plain text if even that fails."""
    try:
        rows = list(_rows(graph))
    except Exception:
        return f"<pre>{html.escape(printable(object.__repr__(graph)))}</pre>"
    shown = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:left">{html.escape(printable(cell))}</td>' for cell in row
        )
        + "</tr>"
        for row in rows[:_MOST_ROWS]
    )
    left = len(rows) - _MOST_ROWS
    more = f" ({left:,} more rows are not shown)" if left > 0 else ""
    return (
        f"<table><caption>{html.escape(printable(graph.name))}{more}</caption>"
        "<thead><tr><th>value</th><th>op</th><th>operands</th><th>type</th><th>line</th></tr>"
        f"</thead><tbody>{shown}</tbody></table><p>{html.escape(printable(note))}</p>"
    )


def _rows(graph: Graph) -> list[tuple[str, str, str, str, str]]:
    names = value_names(graph)
    rows = [(f"%{names[v]}", "input", "", str(v.type), "") for v in graph.inputs]
    rows += [
        (f"%{names[v]}", "constant", data_text(v), str(v.type), "") for v in graph.constants
    ]
    for node in graph.nodes:
        rows.append(
            (
                ", ".join(f"%{names[value]}" for value in node.outputs),
                str(node.op),
                ", ".join(f"%{names[value]}" for value in node.inputs),
                ", ".join(str(value.type) for value in node.outputs),
                "" if node.location is None else str(node.location),
            )
        )
    for name, value in zip(graph.output_names, graph.outputs, strict=True):
        rows.append((name, "output", f"%{names[value]}", str(value.type), ""))
    return rows
