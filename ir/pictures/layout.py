"""Places for boxes and routes for arrows, from the layered layout engine ``graphlay``.

The only file that knows the engine: it takes sizes and arrows, and returns coordinates.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from ir.errors import MissingExtraError
from ir.pictures.labels import Rectangle, place_labels
from ir.pictures.text import ADVANCE, cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ir.pictures.model import Box, Picture

TITLE_SIZE, LINE_SIZE, LABEL_SIZE = 13, 11, 10
HEADER = 20.0
"""Height of a frame's title."""

_PADDING_X, _PADDING_Y = 10.0, 7.0
_TITLE_HEIGHT, _LINE_HEIGHT = 17.0, 15.0
_MARGIN = 16.0
_OPTIONS = {
    "direction": "topbottom",
    "routing": {"merge_edges": "forks"},  # one value that many read leaves as one line
    "spacing": {
        "layer_gap": 34.0,
        "node_gap": 26.0,
        "dummy_gap": 18.0,
        "edge_label_margin": 8.0,
        "compound_padding": 14.0,
        "compound_header": HEADER,
    },
}


Line = tuple[tuple[float, float], ...]


class Route(NamedTuple):
    """The corners of an arrow's line, and the middle of its label if that has a place."""

    points: Line
    label: tuple[float, float] | None


class Layout(NamedTuple):
    """A place for everything in a picture.

    Attributes:
        places: Rectangles by id of box or frame.
        routes: Lines, in the order of the picture's arrows.
        width: Of the whole drawing.
        height: Of the whole drawing.
    """

    places: dict[str, Rectangle]
    routes: tuple[Route, ...]
    width: float
    height: float


def require_engine() -> None:
    """Check that pictures can be laid out.

    Raises:
        MissingExtraError: The layout engine is not installed.
    """
    if find_spec("graphlay") is None:
        raise MissingExtraError(
            "pictures need the layout engine graphlay, which is not installed\n"
            "  ways out: pip install 'graph-capture[drawing]'; or draw text with "
            "graph.to_dot() or graph.to_mermaid()"
        )


def lay_out(picture: Picture) -> Layout:
    """Return a layered layout, arrows pointing down.

    Raises:
        MissingExtraError: The layout engine is not installed.
    """
    require_engine()
    import graphlay

    ids = [box.id for box in picture.boxes] + [frame.id for frame in picture.frames]
    index = {id_: number for number, id_ in enumerate(ids)}
    parents = [box.frame for box in picture.boxes] + [frame.parent for frame in picture.frames]
    sizes = [_size(box) for box in picture.boxes]
    sizes += [(label_width(frame.title, LINE_SIZE) + 24, HEADER) for frame in picture.frames]
    request: dict[str, Any] = {
        "nodes": [
            {"size": _extent(width, height)} | ({"parent": index[parent]} if parent else {})
            for (width, height), parent in zip(sizes, parents, strict=True)
        ],
        "edges": [
            {"source": index[arrow.source], "target": index[arrow.target]}
            | ({"label_size": _extent(*_label_size(arrow.label))} if arrow.label else {})
            for arrow in picture.arrows
        ],
    }
    found = graphlay.layout(request, options=_OPTIONS)
    return _moved(ids, found.nodes, found.edges, picture)


def label_width(text: str, size: float) -> float:
    """Return the width of a text in pixels."""
    return cells(text) * size * ADVANCE


def line_positions(box: Box, place: Rectangle) -> list[float]:
    """Return the base lines of a box's title and lines."""
    top = place.y + _PADDING_Y
    base = top + _TITLE_HEIGHT - 4
    return [base, *(base + _LINE_HEIGHT * (number + 1) for number in range(len(box.lines)))]


def _size(box: Box) -> tuple[float, float]:
    widths = [label_width(box.title, TITLE_SIZE)]
    widths += [label_width(line, LINE_SIZE) for line in box.lines]
    height = _TITLE_HEIGHT + _LINE_HEIGHT * len(box.lines) + 2 * _PADDING_Y
    return max(*widths, 30.0) + 2 * _PADDING_X, height


def _extent(width: float, height: float) -> dict[str, float]:
    return {"width": width, "height": height}


def _label_size(label: str) -> tuple[float, float]:
    return label_width(label, LABEL_SIZE) + 6, LABEL_SIZE + 4.0


def _moved(ids: list[str], nodes: list[Any], edges: list[Any], picture: Picture) -> Layout:
    """Return the layout with its upper left corner at the margin, rounded to tenths."""
    places = {
        id_: Rectangle(
            node["center"]["x"] - node["size"]["width"] / 2,
            node["center"]["y"] - node["size"]["height"] / 2,
            node["size"]["width"],
            node["size"]["height"],
        )
        for id_, node in zip(ids, nodes, strict=True)
    }
    lines = [tuple((point["x"], point["y"]) for point in edge["points"]) for edge in edges]
    frames = {frame.id for frame in picture.frames}
    for number, (arrow, line) in enumerate(zip(picture.arrows, lines, strict=True)):
        if arrow.target in frames and line:
            lines[number] = _ended_at(line, places[arrow.target])
    middles = place_labels(
        [_label_size(arrow.label) if arrow.label else None for arrow in picture.arrows],
        lines,
        [_point(edge["label_anchor"]) for edge in edges],
        [
            *(places[box.id] for box in picture.boxes),
            *_headers(picture, places),
            *_heads(lines),
        ],
    )
    routes = list(map(Route, lines, middles))
    left, top, right, bottom = _bounds(places, routes, picture)
    dx, dy = _MARGIN - left, _MARGIN - top
    return Layout(
        {
            id_: Rectangle(_tenth(x + dx), _tenth(y + dy), _tenth(width), _tenth(height))
            for id_, (x, y, width, height) in places.items()
        },
        tuple(_shifted(route, dx, dy) for route in routes),
        _tenth(right - left + 2 * _MARGIN),
        _tenth(bottom - top + 2 * _MARGIN),
    )


def _headers(picture: Picture, places: dict[str, Rectangle]) -> Iterator[Rectangle]:
    """Yield where the titles of frames stand."""
    for frame in picture.frames:
        place = places[frame.id]
        width = label_width(frame.title, LINE_SIZE) + 20
        yield Rectangle(place.x, place.y, width, HEADER)


def _heads(lines: list[Line]) -> Iterator[Rectangle]:
    """Yield where the heads of arrows stand."""
    for line in lines:
        if line:
            x, y = line[-1]
            yield Rectangle(x - 4, y - 8, 8, 8)


def _point(point: dict[str, float] | None) -> tuple[float, float] | None:
    return None if point is None else (point["x"], point["y"])


def _ended_at(line: Line, frame: Rectangle) -> Line:
    """Move the end of a line from below a frame's title to the frame itself."""
    *before, (x, y) = line
    is_header = 0 < y - frame.y <= HEADER + 1 and before and before[-1][0] == x
    return (*before, (x, frame.y)) if is_header else line


def _bounds(
    places: dict[str, Rectangle], routes: list[Route], picture: Picture
) -> tuple[float, float, float, float]:
    xs, ys = [0.0], [0.0]
    if places:
        xs = [x for place in places.values() for x in (place.x, place.x + place.width)]
        ys = [y for place in places.values() for y in (place.y, place.y + place.height)]
    for arrow, route in zip(picture.arrows, routes, strict=True):
        xs += [x for x, _ in route.points]
        ys += [y for _, y in route.points]
        if route.label:
            half = label_width(arrow.label, LABEL_SIZE) / 2
            xs += [route.label[0] - half, route.label[0] + half]
    return min(xs), min(ys), max(xs), max(ys)


def _shifted(route: Route, dx: float, dy: float) -> Route:
    points = tuple((_tenth(x + dx), _tenth(y + dy)) for x, y in route.points)
    label = route.label and (_tenth(route.label[0] + dx), _tenth(route.label[1] + dy))
    return Route(points, label)


def _tenth(number: float) -> float:
    return round(number, 1) + 0.0
