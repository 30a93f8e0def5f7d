"""Runs of nodes whose results nothing else reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exporters.onnx.fusion.rules import Site
    from ir.graph import Node, Value


def is_lone(site: Site, value: Value) -> bool:
    """Whether one node reads a value, once, and the graph does not return it."""
    return len(site.facts.readers(value)) == 1 and not site.facts.is_output(value)


def lone_path(site: Site, value: Value, kinds: tuple[type, ...], longest: int) -> list[Node]:
    """Return the nodes of certain ops of one operand that made a value, the last one first.

    All results but those of constants are read once.
    """
    path: list[Node] = []
    while len(path) < longest and is_lone(site, value):
        node = value.producer
        if node is None or not isinstance(node.op, kinds):
            break
        path.append(node)
        value = node.inputs[0]
    return path


def replayed(site: Site, path: list[Node], value: Value) -> Value:
    """Return a value after the same nodes, the first of which is the last of the path."""
    for node in reversed(path):
        value = site.apply(node.op, value, *node.inputs[1:])
    return value
