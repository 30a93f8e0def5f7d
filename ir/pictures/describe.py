"""What the boxes of a drawing say: titles, lines, hints and details of nodes and values."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from ir.graph import DOC
from ir.nesting import nested_graphs
from ir.parameters import parameter_text
from ir.pictures.families import family_of
from ir.pictures.model import Box
from ir.pictures.text import clipped, short_data

if TYPE_CHECKING:
    from ir.graph import Graph, Node, Value
    from ir.ops.base import Array
    from ir.types import TensorType

WIDTH = 38
"""Columns of the widest line."""

_PACKED = 28
_MOST_LINES = 4

Details = tuple[tuple[str, str], ...]
Names = dict["Value", str]
DataText = Callable[["Array"], str]
"""What details say of a constant's data."""


@lru_cache(maxsize=1024)
def type_text(type: TensorType) -> str:
    """Return a type as the printer shows it; a graph has few types and many values."""
    return str(type)


def input_box(
    id_: str, name: str, value: Value, graph: Graph, frame: str, data: DataText
) -> Box:
    """Return the box of a graph input."""
    doc = graph.metadata.get(f"{DOC}{value.name}", "")
    details = [("input", name), ("type", type_text(value.type))]
    if value.data is not None:
        details.append(("default", data(value.data)))
    if doc:
        details.append(("description", doc))
    lines = (clipped(type_text(value.type), WIDTH),)
    return Box(id_, "input", "input", clipped(name, WIDTH), lines, doc, tuple(details), frame)


def output_box(id_: str, name: str, value: Value, graph: Graph, frame: str) -> Box:
    """Return the box of a graph output; the arrow to it shows the type."""
    doc = graph.metadata.get(f"{DOC}{name}", "")
    details = [("output", name), ("type", type_text(value.type))]
    if doc:
        details.append(("description", doc))
    return Box(id_, "output", "output", clipped(name, WIDTH), (), doc, tuple(details), frame)


def constant_box(id_: str, name: str, value: Value, frame: str, data: DataText) -> Box:
    """Return the box of a constant that no node's box can hold."""
    assert value.data is not None
    details = (
        ("constant", name),
        ("type", type_text(value.type)),
        ("data", data(value.data)),
    )
    lines = tuple(
        clipped(line, WIDTH)
        for line in (short_data(value.data), type_text(value.type))
        if line
    )
    title = "constant" if value.name is None else clipped(name, WIDTH)
    return Box(id_, "constant", "constant", title, lines, "", details, frame)


def node_box(
    id_: str, node: Node, names: Names, constants: set[Value], frame: str, details: Details
) -> Box:
    """Return the box of a node: op, parameters, and the constants it reads."""
    return Box(
        id_,
        "node",
        family_of(node.op),
        clipped(node.op.name, WIDTH),
        (*_parameter_lines(node), *_constant_lines(node, names, constants)),
        hint(node),
        details,
        frame,
        1,
        ((node.op.name, 1),),
    )


def hint(node: Node) -> str:
    """Return where a node was recorded."""
    return "" if node.location is None else f"{node.location} in {node.location.function}"


def node_details(node: Node, names: Names, data: DataText) -> Details:
    """Return everything there is to say of a node, by label."""
    details = [("op", node.op.name)]
    if node.scope:
        details.append(("scope", node.scope))
    if node.location is not None:
        details.append(("line", hint(node)))
    for name, value in node.op.parameters.items():
        details.append((name, parameter_text(value)))
    for value in node.inputs:
        details.append(("operand", f"%{names[value]}: {type_text(value.type)}"))
        if value.producer is None and value.data is not None:
            details.append(("data", data(value.data)))
    details += [
        ("result", f"%{names[value]}: {type_text(value.type)}") for value in node.outputs
    ]
    return tuple(details)


def _parameter_lines(node: Node) -> list[str]:
    """Return the parameters, some on a line; of an op that holds graphs which ones it runs."""
    called = [f"@{inner.name}" for inner in nested_graphs(node.op)]
    if called:
        return [clipped(name, WIDTH) for name in called]
    lines: list[str] = []
    for name, value in node.op.parameters.items():
        text = clipped(f"{name}={parameter_text(value)}", WIDTH)
        if lines and len(lines[-1]) + len(text) + 2 <= _PACKED:
            lines[-1] += f", {text}"
        else:
            lines.append(text)
    left = len(lines) - _MOST_LINES
    return lines if left <= 0 else [*lines[:_MOST_LINES], f"and {left} more"]


def _constant_lines(node: Node, names: Names, constants: set[Value]) -> list[str]:
    """Return the constants among the operands by position, as ``(·, 0.5)``, or a line each."""
    shown = {value: _constant(value, names) for value in node.inputs if value in constants}
    if not shown:
        return []
    line = f"({', '.join(shown.get(value, '·') for value in node.inputs)})"
    if len(line) <= WIDTH:
        return [line]
    lines = [clipped(text, WIDTH) for text in list(shown.values())[:_MOST_LINES]]
    left = len(shown) - len(lines)
    return [*lines, f"and {left} more constants"] if left else lines


def _constant(value: Value, names: Names) -> str:
    assert value.data is not None
    name = "" if value.name is None else f"%{names[value]} "
    return short_data(value.data) or f"{name}{type_text(value.type)}"
