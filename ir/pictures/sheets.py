"""A big picture as sheets: an overview, and a sheet for what each of its summary boxes holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ir.pictures.model import Arrow, Box, Picture
from ir.pictures.summary import summarised

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BOXES_IN_ALL = 3000
"""How many boxes the sheets of one page have together."""


class Sheet(NamedTuple):
    """One drawing of a page.

    Attributes:
        id: ``sheet-0``, then ``sheet-`` and the id of the summary box that opens it.
        title: Where in the graph it is.
        picture: What it shows.
    """

    id: str
    title: str
    picture: Picture


def sheets_of(picture: Picture, limit: int, most: int = MOST_BOXES_IN_ALL) -> Iterator[Sheet]:
    """Yield the overview, then what summary boxes hold, outer ones first, while there is room.

    Args:
        picture: Everything.
        limit: The most boxes of one sheet.
        most: The most boxes of all sheets.
    """
    waiting = [("sheet-0", picture.name, picture)]
    left = most
    for number, (id_, title, whole) in enumerate(waiting):
        shown = summarised(whole, limit, f"s{number}-" if number else "")
        size = len(shown.boxes) + len(shown.frames)
        if number and size > left:
            continue
        left -= size
        yield Sheet(id_, title, shown)
        for box in shown.boxes:
            if box.kind == "summary" and 1 < len(box.members) < len(whole.boxes):
                part = _part(whole, box, f"s{len(waiting)}-")
                names = (title, *_frames_around(box, shown), box.title)
                waiting.append((f"sheet-{box.id}", " / ".join(names), part))


def _frames_around(box: Box, picture: Picture) -> list[str]:
    """Return the titles of the frames that a box stands in, outer ones first."""
    frames = {frame.id: frame for frame in picture.frames}
    titles: list[str] = []
    at = frames.get(box.frame)
    while at is not None:
        titles.insert(0, at.title)
        at = frames.get(at.parent)
    return titles


def _part(picture: Picture, summary: Box, tag: str) -> Picture:
    """Return what a summary box holds, with stubs for what it reads and what reads it."""
    inside = set(summary.members)
    boxes = [
        box if box.frame in inside else box._replace(frame="")
        for box in picture.boxes
        if box.id in inside
    ]
    frames = [
        frame if frame.parent in inside else frame._replace(parent="")
        for frame in picture.frames
        if frame.id in inside
    ]
    titles = {item.id: item.title for item in picture.items}
    before: dict[str, Box] = {}
    after: dict[str, Box] = {}
    arrows: list[Arrow] = []
    for arrow in picture.arrows:
        source, target = arrow.source, arrow.target
        if source not in inside and target not in inside:
            continue
        if source not in inside:
            stub = Box(f"{tag}from-{source}", "input", "folded", titles[source], ("outside",))
            before.setdefault(stub.id, stub)
            source = stub.id
        elif target not in inside:
            stub = Box(f"{tag}to-{target}", "output", "folded", titles[target], ("outside",))
            after.setdefault(stub.id, stub)
            target = stub.id
        arrows.append(arrow._replace(source=source, target=target))
    return Picture(
        picture.name,
        (*before.values(), *boxes, *after.values()),
        tuple(arrows),
        tuple(frames),
    )
