"""Frames closed: each becomes one box that stands for what it holds."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from ir.pictures.merging import contents, merged, summary_box

if TYPE_CHECKING:
    from ir.pictures.model import Box, Frame, Picture

_EXAMPLES = 4


def closed(picture: Picture, limit: int, tag: str) -> Picture:
    """Open frames level by level while the boxes fit; replace the others by one box each.

    Of the first level that does not fit, a few small ones are opened as examples.
    """
    is_open = _opened(picture, limit)
    into: dict[str, str] = {}
    for frame in picture.frames:  # outer ones come first
        target = into.get(frame.parent) or ("" if frame.id in is_open else frame.id)
        if target:
            into[frame.id] = target
    into.update({b.id: into[b.frame] for b in picture.boxes if b.frame in into})
    frames = {frame.id: frame for frame in picture.frames}
    members: dict[str, list[Box]] = defaultdict(list)
    for box in picture.boxes:
        if box.id in into:
            members[into[box.id]].append(box)
    parts: dict[str, list[str]] = defaultdict(list)
    for id_, target in into.items():
        if id_ != target:
            parts[target].append(id_)
    summaries = {}
    for target in dict.fromkeys(into.values()):
        frame, boxes = frames[target], members[target]
        box = summary_box(f"{tag}closed-{target}", frame.title, boxes)
        summaries[box.id] = box._replace(
            hint=frame.hint,
            frame=frame.parent,
            details=(*frame.details, *contents(boxes)),
            members=tuple(parts[target]),
        )
    ids = {id_: f"{tag}closed-{target}" for id_, target in into.items()}
    return merged(picture, ids, summaries)


def _opened(picture: Picture, limit: int) -> set[str]:
    """Return the frames that are drawn with what is in them."""
    inside: dict[str, list[Frame]] = defaultdict(list)
    sizes = Counter(box.frame for box in picture.boxes)
    for frame in picture.frames:
        inside[frame.parent].append(frame)
    drawn = sizes[""] + len(inside[""])
    is_open: set[str] = set()
    level = inside[""]
    while level:
        more = {frame.id: sizes[frame.id] + len(inside[frame.id]) for frame in level}
        is_room = drawn + sum(more.values()) <= limit
        for frame in sorted(level, key=lambda frame: more[frame.id]):
            if drawn + more[frame.id] <= (limit if is_room else limit // _EXAMPLES):
                drawn += more[frame.id]
                is_open.add(frame.id)
        level = [inner for frame in level for inner in inside[frame.id]] if is_room else []
    return is_open
