"""Rebuilding a graph around replaced values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.graph import Graph, Node, Value
from ir.symbols import symbol_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable


def mapped_node(node: Node, replacement: dict[Value, Value]) -> Node:
    """Return the node reading replaced operands; the same object when none was replaced.

    The new node's results are entered into ``replacement``, so that later nodes follow.
    """
    inputs = node.inputs
    for operand in inputs:
        if operand in replacement:
            break
    else:
        return node
    made = Node(
        node.op,
        tuple([replacement.get(operand, operand) for operand in inputs]),
        tuple([value.type for value in node.outputs]),
        node.location,
        node.scope,
    )
    for old, new in zip(node.outputs, made.outputs, strict=True):
        new.name = old.name
        replacement[old] = new
    return made


def with_nodes(
    graph: Graph,
    nodes: Iterable[Node],
    replacement: dict[Value, Value],
    constants: Iterable[Value] = (),
) -> Graph:
    """Return ``graph`` with other nodes, further constants and replaced outputs.

    Constants that nothing reads are dropped.
    """
    nodes = tuple(nodes)
    outputs = tuple(replacement.get(value, value) for value in graph.outputs)
    used = {operand for node in nodes for operand in node.inputs}
    used.update(outputs)
    return Graph(
        graph.inputs,
        tuple(value for value in (*graph.constants, *constants) if value in used),
        nodes,
        outputs,
        graph.output_names,
        symbols=symbol_definitions(graph.inputs, nodes, outputs, nested=True),
        name=graph.name,
        metadata=graph.metadata,
    )


def with_inputs(graph: Graph, inputs: Iterable[Value]) -> Graph:
    """Return ``graph`` with fewer inputs, those left out being read by nothing."""
    inputs = tuple(inputs)
    return Graph(
        inputs,
        graph.constants,
        graph.nodes,
        graph.outputs,
        graph.output_names,
        symbols=symbol_definitions(inputs, graph.nodes, graph.outputs, nested=True),
        name=graph.name,
        metadata=graph.metadata,
    )
