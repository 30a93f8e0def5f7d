"""Fewer boxes for big pictures: frames are closed, chains and stretches of boxes folded.

Every node stays counted: nothing is left out, only drawn in one box with its neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.pictures.closing import closed
from ir.pictures.folding import chains, folded, stretches

if TYPE_CHECKING:
    from ir.pictures.model import Picture

_ARROWS_PER_BOX = 4


def summarised(picture: Picture, limit: int, tag: str = "") -> Picture:
    """Return the picture with at most about ``limit`` boxes and frames, and a note if it changed.

    Args:
        picture: What is too big.
        limit: The most boxes.
        tag: What ids of new boxes start with.

    Raises:
        ValueError: The limit is below 1.
    """
    if limit < 1:
        raise ValueError(f"limit must be 1 or more, got {limit}")
    if _fits(picture, limit):
        return picture
    count = sum(box.nodes for box in picture.boxes)
    count += sum(frame.kind == "node" for frame in picture.frames)
    small = closed(picture, limit, tag)
    is_closed = any(box.id.startswith(f"{tag}closed-") for box in small.boxes)
    small = small if _fits(small, limit) else folded(small, chains(small), tag)
    unfolded, size = small, max(2, len(small.boxes) // limit)
    while not _fits(small, limit) and size < 2 * len(unfolded.boxes):
        small = folded(unfolded, stretches(unfolded, size), tag)
        size += max(1, size // 4)
    parts = [f"{count:,} nodes in {len(small.boxes):,} boxes"]
    if is_closed:
        parts.append("name scopes and bodies of ops closed")
    if any(box.id.startswith(f"{tag}folded-") for box in small.boxes):
        parts.append("neighbours folded")
    return small._replace(note="; ".join(parts))


def _fits(picture: Picture, limit: int) -> bool:
    boxes = len(picture.boxes) + len(picture.frames)
    return boxes <= limit and len(picture.arrows) <= _ARROWS_PER_BOX * max(limit, 16)
