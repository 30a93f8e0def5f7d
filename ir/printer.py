"""The text form of a graph."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from ir.constraints import Shared
from ir.nesting import all_graphs

if TYPE_CHECKING:
    from ir.graph import Graph, Node, Value

_INLINE_ELEMENTS = 8
_MOST_OPERANDS = 24
_SHOWN = 8
"""A node of more operands (a loaded model's weights, a filled array's rows) shows so many."""


def value_names(graph: Graph) -> dict[Value, str]:
    """Return a unique name for every value: its hint where free, else a number."""
    names: dict[Value, str] = {}
    taken: dict[str, int] = {}
    number = 0
    for value in graph.values():
        hint = value.name
        if hint is None:
            while str(number) in taken:
                number += 1
            name = str(number)
        else:
            name, suffix = hint, taken.get(hint, 1)
            while name in taken:
                suffix += 1
                name = f"{hint}_{suffix}"
            taken[hint] = suffix
        taken.setdefault(name, 1)
        names[value] = name
    return names


def data_text(value: Value) -> str:
    """Return the data of a constant: itself when short, else its size."""
    data = value.data
    assert data is not None
    if data.size <= _INLINE_ELEMENTS:
        return np.array2string(data, separator=", ", threshold=_INLINE_ELEMENTS).replace(
            "\n", ""
        )
    return f"<{data.nbytes:,} bytes>"


def node_text(node: Node, names: dict[Value, str]) -> str:
    """Return a node without its line, for the names of all values."""
    results = ", ".join(f"%{names[value]}" for value in node.outputs)
    types = ", ".join(str(value.type) for value in node.outputs)
    op = str(node.op)
    name, _, parameters = op.partition(" ")
    shown = node.inputs if len(node.inputs) <= _MOST_OPERANDS else node.inputs[:_SHOWN]
    operands = ", ".join(f"%{names[value]}" for value in shown)
    if len(shown) < len(node.inputs):
        operands += f", … {len(node.inputs) - len(shown)} more"
    applied = " ".join(part for part in (name, operands, parameters) if part)
    return f"{results} = {applied} : {types}"


def graph_text(graph: Graph) -> str:
    """Return the graph as text: one node a line, with the user's source line beside it.

    Nested graphs follow, each once, under the name that their ops mention as ``@name``.
    """
    outer, *inner = all_graphs(graph)
    title = "graph" if graph.name == "graph" else f"graph {graph.name}"
    return "\n".join(
        [
            _body_text(outer, title),
            *(_body_text(nested, f"graph @{nested.name}") for nested in inner),
        ]
    )


def _body_text(graph: Graph, title: str) -> str:
    names = value_names(graph)
    inputs = ", ".join(f"%{names[value]}: {value.type}" for value in graph.inputs)
    lines = [
        f"  %{names[value]} = constant : {value.type} = {data_text(value)}"
        for value in graph.constants
    ]
    asked = [str(c) for c in graph.constraints if not isinstance(c, Shared)]
    if asked:
        lines.insert(0, f"  needs {', '.join(asked)}")
    body = [(node_text(node, names), node.location) for node in graph.nodes]
    width = min(max((len(text) for text, _ in body), default=0), 76)
    for text, location in body:
        where = f"# {os.path.basename(location.file)}:{location.line}" if location else ""
        lines.append(f"  {text:<{width}}  {where}".rstrip())
    returned = ", ".join(
        f"{name}=%{names[value]}" if name != names[value] else f"%{names[value]}"
        for name, value in zip(graph.output_names, graph.outputs, strict=True)
    )
    lines.append(f"  return {returned}".rstrip())
    return "\n".join([f"{title}({inputs}) {{", *lines, "}"])
