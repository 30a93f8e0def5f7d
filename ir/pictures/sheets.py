"""A big picture as sheets: an overview, and a sheet for what each of its summary boxes holds."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from ir.pictures.model import Arrow, Box, Frame, Picture
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
    waiting: list[tuple[str, str, _Whole, Box | None]]
    waiting = [("sheet-0", picture.name, _Whole(picture), None)]
    left = most
    for number, (id_, title, whole, summary) in enumerate(waiting):
        tag = f"s{number}-" if number else ""
        if summary is not None:
            if min(len(summary.members), limit) > left:
                continue
            whole = _Whole(whole.part(summary, tag))
        shown = summarised(whole.picture, limit, tag)
        size = len(shown.items)
        if number and size > left:
            continue
        left -= size
        yield Sheet(id_, title, shown)
        for box in shown.boxes:
            if box.kind == "summary" and 1 < len(box.members) < len(whole.picture.boxes):
                names = (title, *_frames_around(box, shown), box.title)
                waiting.append((f"sheet-{box.id}", " / ".join(names), whole, box))


def _frames_around(box: Box, picture: Picture) -> list[str]:
    """Return the titles of the frames that a box stands in, outer ones first."""
    frames = {frame.id: frame for frame in picture.frames}
    titles: list[str] = []
    at = frames.get(box.frame)
    while at is not None:
        titles.insert(0, at.title)
        at = frames.get(at.parent)
    return titles


class _Whole:
    """A picture with what is needed to take parts of it in the time that the parts need."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self._items = {item.id: item for item in picture.items}
        self._order = {id_: number for number, id_ in enumerate(self._items)}
        self._touching: dict[str, list[int]] = defaultdict(list)
        for number, arrow in enumerate(picture.arrows):
            self._touching[arrow.source].append(number)
            self._touching[arrow.target].append(number)

    def part(self, summary: Box, tag: str) -> Picture:
        """Return what a summary box holds, with stubs for what it reads and what reads it."""
        inside = set(summary.members)
        items = [self._items[id_] for id_ in sorted(inside, key=self._order.__getitem__)]
        boxes = [item for item in items if isinstance(item, Box)]
        frames = [item for item in items if isinstance(item, Frame)]
        before: dict[str, Box] = {}
        after: dict[str, Box] = {}
        arrows: list[Arrow] = []
        for number in sorted({n for id_ in inside for n in self._touching[id_]}):
            arrow = self.picture.arrows[number]
            source, target = arrow.source, arrow.target
            if source not in inside:
                source = self._stub(before, "input", f"{tag}from-", source)
            elif target not in inside:
                target = self._stub(after, "output", f"{tag}to-", target)
            arrows.append(arrow._replace(source=source, target=target))
        return Picture(
            self.picture.name,
            (
                *before.values(),
                *(box if box.frame in inside else box._replace(frame="") for box in boxes),
                *after.values(),
            ),
            tuple(arrows),
            tuple(f if f.parent in inside else f._replace(parent="") for f in frames),
        )

    def _stub(self, stubs: dict[str, Box], kind: str, prefix: str, id_: str) -> str:
        """Return the id of the box that stands for something outside."""
        stub = Box(prefix + id_, kind, "folded", self._items[id_].title, ("outside",))
        return stubs.setdefault(stub.id, stub).id
