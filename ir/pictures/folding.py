"""Neighbours folded into one box: chains, and stretches of boxes in graph order."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ir.pictures.merging import contents, merged, summary_box
from ir.pictures.text import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ir.pictures.model import Box, Picture

_SHORTEST_CHAIN = 3
_WIDTH = 38


def chains(picture: Picture) -> list[list[Box]]:
    """Return runs of boxes of one frame where each only feeds the next."""
    followers: dict[str, set[str]] = defaultdict(set)
    leaders: dict[str, set[str]] = defaultdict(set)
    for arrow in picture.arrows:
        followers[arrow.source].add(arrow.target)
        leaders[arrow.target].add(arrow.source)
    boxes = {box.id: box for box in picture.boxes if box.kind in ("node", "summary")}
    runs: list[list[Box]] = []
    seen: set[str] = set()
    for box in boxes.values():
        run = []
        at: Box | None = box
        while at is not None and at.id not in seen:
            seen.add(at.id)
            run.append(at)
            (following,) = followers[at.id] if len(followers[at.id]) == 1 else ("",)
            alone = len(leaders[following]) == 1
            nearby = boxes.get(following)
            at = nearby if alone and nearby and nearby.frame == box.frame else None
        if len(run) >= _SHORTEST_CHAIN:
            runs.append(run)
    return runs


def stretches(picture: Picture, size: int) -> list[list[Box]]:
    """Return boxes that follow one another in graph order, of one frame and kind, by ``size``."""
    lists: dict[tuple[str, str], list[Box]] = defaultdict(list)
    for box in picture.boxes:
        kind = "node" if box.kind == "summary" and box.nodes else box.kind
        lists[box.frame, kind].append(box)
    return [
        boxes[start : start + size]
        for boxes in lists.values()
        for start in range(0, len(boxes), size)
        if len(boxes[start : start + size]) > 1
    ]


def folded(picture: Picture, runs: Iterable[list[Box]], tag: str) -> Picture:
    """Return the picture with each run of boxes in one box."""
    ids: dict[str, str] = {}
    boxes: dict[str, Box] = {}
    for run in runs:
        count = sum(box.nodes for box in run)
        kind = run[0].kind if run[0].kind in ("input", "constant", "output") else "node"
        title = f"{count:,} nodes" if kind == "node" else f"{_values(run):,} {kind}s"
        prefix = f"{tag}folded-"
        id_ = prefix + run[0].id.removeprefix(prefix)
        box = summary_box(id_, title, run)
        boxes[id_] = box._replace(
            frame=run[0].frame,
            details=contents(run),
            members=tuple(id_ for part in run for id_ in _members(part, prefix)),
        )
        if kind != "node":
            boxes[id_] = boxes[id_]._replace(
                kind=kind, family=kind, lines=(_ends(run),), ops=((kind, _values(run)),)
            )
        ids.update({box.id: id_ for box in run})
    return merged(picture, ids, boxes)


def _members(box: Box, prefix: str) -> tuple[str, ...]:
    """Return what a box stands for; one that was folded before gives way to its own parts."""
    return box.members if box.id.startswith(prefix) else (box.id,)


def _values(run: list[Box]) -> int:
    return sum(dict(box.ops).get(box.kind, 1) for box in run)


def _ends(run: list[Box]) -> str:
    first = run[0].lines[0] if run[0].id.startswith("folded-") else run[0].title
    last = run[-1].lines[0] if run[-1].id.startswith("folded-") else run[-1].title
    return clipped(f"{first.split(' … ')[0]} … {last.split(' … ')[-1]}", _WIDTH)
