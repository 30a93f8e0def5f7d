"""Places for the labels of arrows, where they hide neither boxes nor titles nor one another."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CELL = 96.0
_NEAR = 8.0
_GAP = 3.0
_SHORT = 14.0
_SHARES = (0.5, 0.3, 0.7, 0.15, 0.85)
_CROSSED = 4
"""How much worse a label is that lies on another line, or on more of its own."""

_HIDDEN = 20
"""How much worse a label is that hides a corner of its line."""

Point = tuple[float, float]


class Rectangle(NamedTuple):
    """A place: left upper corner and size."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Rectangle) -> bool:
        """Whether two places share a point."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def holds(self, point: Point) -> bool:
        """Whether a point lies inside."""
        return (
            self.x <= point[0] <= self.x + self.width
            and self.y <= point[1] <= self.y + self.height
        )


class _Grid:
    """Rectangles by the cells they lie in, so that asking costs the same for big drawings."""

    def __init__(self, places: Iterable[Rectangle]) -> None:
        self._cells: dict[tuple[int, int], list[Rectangle]] = defaultdict(list)
        for place in places:
            self.add(place)

    def add(self, place: Rectangle) -> None:
        for cell in _cells(place):
            self._cells[cell].append(place)

    def hits(self, place: Rectangle) -> set[Rectangle]:
        found = (other for cell in _cells(place) for other in self._cells.get(cell, ()))
        return {other for other in found if place.overlaps(other)}


def place_labels(
    sizes: list[Point | None],
    routes: list[tuple[Point, ...]],
    wishes: list[Point | None],
    obstacles: Iterable[Rectangle],
) -> list[Point | None]:
    """Return the middle of each label, ``None`` where there is none or no room.

    Args:
        sizes: Width and height of each arrow's label.
        routes: The corners of each arrow's line.
        wishes: Where the layout engine would put it; taken if it is near the line.
        obstacles: What labels must not touch.
    """
    taken = _Grid(obstacles)
    lines = _Grid(segment for route in routes for segment in _segments(route))
    places: list[Point | None] = []
    for size, route, wish in zip(sizes, routes, wishes, strict=True):
        best: Rectangle | None = None
        least = 0
        own = set(_segments(route))
        for number, candidate in enumerate(_candidates(size, route, wish) if size else ()):
            assert size is not None
            if best is not None and number >= least:
                break
            place = _around(candidate.middle, size)
            hits = lines.hits(place)
            crossed = len(hits - own) + max(0, len(hits & own) - candidate.on)
            corners = sum(place.holds(corner) for corner in route)
            cost = number + _CROSSED * crossed + _HIDDEN * corners
            if (best is None or cost < least) and not taken.hits(place):
                best, least = place, cost
        if best is None:
            places.append(None)
        else:
            taken.add(best)
            places.append((best.x + best.width / 2, best.y + best.height / 2))
    return places


class _Candidate(NamedTuple):
    """The middle of a possible place, and how many segments of its own line it lies on."""

    middle: Point
    on: int


def _candidates(
    size: Point, route: tuple[Point, ...], wish: Point | None
) -> Iterator[_Candidate]:
    """Yield the wish, then places on and beside the segments, middles and long ones first."""
    width, height = size
    if wish is not None:
        near = Rectangle(
            wish[0] - width / 2 - _NEAR,
            wish[1] - height / 2 - _NEAR,
            width + 2 * _NEAR,
            height + 2 * _NEAR,
        )
        if any(near.overlaps(segment) for segment in _segments(route)):
            yield _Candidate(wish, 1)
    pairs = [
        (abs(b[0] - a[0]) + abs(b[1] - a[1]), number, a, b)
        for number, (a, b) in enumerate(pairwise(route))
    ]
    pairs = sorted(
        (pair for pair in pairs if pair[0] >= _SHORT), key=lambda pair: (-pair[0], pair[1])
    )
    for share in _SHARES:
        for _, _, (ax, ay), (bx, by) in pairs:
            yield _Candidate((ax + (bx - ax) * share, ay + (by - ay) * share), 1)
        for _, _, (ax, ay), (bx, by) in pairs:
            x, y = ax + (bx - ax) * share, ay + (by - ay) * share
            if abs(bx - ax) < abs(by - ay):
                yield _Candidate((x + width / 2 + _GAP, y), 0)
                yield _Candidate((x - width / 2 - _GAP, y), 0)
            else:
                yield _Candidate((x, y - height / 2 - 1), 0)
                yield _Candidate((x, y + height / 2 + 1), 0)


def _around(middle: Point, size: Point) -> Rectangle:
    return Rectangle(middle[0] - size[0] / 2, middle[1] - size[1] / 2, *size)


def _segments(route: tuple[Point, ...]) -> Iterator[Rectangle]:
    for (ax, ay), (bx, by) in pairwise(route):
        yield Rectangle(
            min(ax, bx) - 0.5, min(ay, by) - 0.5, abs(bx - ax) + 1, abs(by - ay) + 1
        )


def _cells(place: Rectangle) -> Iterator[tuple[int, int]]:
    for column in range(int(place.x // _CELL), int((place.x + place.width) // _CELL) + 1):
        for row in range(int(place.y // _CELL), int((place.y + place.height) // _CELL) + 1):
            yield column, row
