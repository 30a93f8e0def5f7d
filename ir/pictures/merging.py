"""Boxes and frames merged into one box, with the arrows between what is left."""

from __future__ import annotations

from collections import Counter

from ir.pictures.model import Arrow, Box, Picture
from ir.pictures.text import clipped

_OPS_NAMED = 4
_WIDTH = 38
_PACKED = 30


def merged(picture: Picture, into: dict[str, str], merged: dict[str, Box]) -> Picture:
    """Return the picture with boxes and frames replaced by the ones they went into."""
    boxes: dict[str, Box] = {}
    for box in picture.boxes:
        target = into.get(box.id)
        boxes.setdefault(target or box.id, merged[target] if target else box)
    arrows: dict[tuple[str, str], dict[str, str]] = {}
    for arrow in picture.arrows:
        ends = into.get(arrow.source, arrow.source), into.get(arrow.target, arrow.target)
        if ends[0] != ends[1]:
            arrows.setdefault(ends, {})[arrow.value] = arrow.label
    return picture._replace(
        boxes=tuple(boxes.values()),
        arrows=tuple(
            Arrow(*ends, _label(list(values.values())), ",".join(values))
            for ends, values in arrows.items()
        ),
        frames=tuple(frame for frame in picture.frames if frame.id not in into),
    )


def _label(labels: list[str]) -> str:
    if len(labels) == 1:
        return labels[0]
    types = {label.rpartition(": ")[2] for label in labels}
    return f"{len(labels)} × {types.pop()}" if len(types) == 1 else f"{len(labels)} values"


def summary_box(id_: str, title: str, boxes: list[Box]) -> Box:
    """Return one box for several, with the ops that they hold."""
    ops: Counter[str] = Counter()
    for box in boxes:
        ops.update(dict(box.ops))
    count = sum(box.nodes for box in boxes)
    most = ops.most_common()
    lines = [f"{count:,} nodes"] if title != f"{count:,} nodes" else []
    lines += [f"{name} ×{number:,}" for name, number in most[:_OPS_NAMED]]
    if len(most) > _OPS_NAMED:
        lines.append(f"and {len(most) - _OPS_NAMED} more kinds")
    packed: list[str] = []
    for line in lines:
        if packed and len(packed[-1]) + len(line) + 2 <= _PACKED:
            packed[-1] += f", {line}"
        else:
            packed.append(clipped(line, _WIDTH))
    return Box(id_, "summary", "folded", title, tuple(packed), nodes=count, ops=tuple(most))


def contents(boxes: list[Box]) -> tuple[tuple[str, str], ...]:
    """Return what boxes hold as details: how many nodes of each op."""
    ops: Counter[str] = Counter()
    for box in boxes:
        ops.update(dict(box.ops))
    return tuple((name, f"{number:,}") for name, number in ops.most_common())
