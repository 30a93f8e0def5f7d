"""What is drawn: boxes, arrows between them and frames around them, before any has a place."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Box(NamedTuple):
    """A rectangle with text.

    Attributes:
        id: Unique in the picture.
        kind: ``input``, ``constant``, ``node``, ``output`` or ``summary``.
        family: What its colour says.
        title: The first line.
        lines: The other lines, short enough to be drawn.
        hint: What hovering shows.
        details: Everything known, by label.
        frame: The frame it stands in, ``""`` at the top.
        nodes: How many nodes of the graph it stands for.
        ops: Their op names with counts.
        members: The boxes and frames that were folded into it.
    """

    id: str
    kind: str
    family: str
    title: str
    lines: tuple[str, ...] = ()
    hint: str = ""
    details: tuple[tuple[str, str], ...] = ()
    frame: str = ""
    nodes: int = 0
    ops: tuple[tuple[str, int], ...] = ()
    members: tuple[str, ...] = ()


class Arrow(NamedTuple):
    """A line from one box or frame to another; its label is the type that flows.

    Attributes:
        source: Where it starts.
        target: Where it ends.
        label: Type and name.
        value: What flows, so that a value that two boxes read is one value.
    """

    source: str
    target: str
    label: str = ""
    value: str = ""


class Frame(NamedTuple):
    """A rectangle around boxes: a name scope, or a graph inside an op.

    Attributes:
        id: Unique among boxes and frames.
        parent: The frame it stands in, ``""`` at the top.
        kind: ``scope``, ``node`` (an op that holds graphs), ``graph`` or ``function``.
        title: The text at its top.
        hint: What hovering shows.
        details: Everything known, by label.
    """

    id: str
    parent: str
    kind: str
    title: str
    hint: str = ""
    details: tuple[tuple[str, str], ...] = ()


Item: TypeAlias = Box | Frame
"""What arrows connect."""


class Picture(NamedTuple):
    """A whole drawing without coordinates.

    Attributes:
        name: The graph's name.
        boxes: In graph order.
        arrows: In graph order.
        frames: Outer ones first.
        note: What was left out or folded, empty if nothing.
    """

    name: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    frames: tuple[Frame, ...]
    note: str = ""

    @property
    def items(self) -> tuple[Item, ...]:
        """Boxes and frames."""
        return (*self.boxes, *self.frames)
