"""Graphs inside ops: functions, branches and loop bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ir.ops.base import Op


def nested_graphs(op: Op) -> tuple[Graph, ...]:
    """Return the graphs among an op's parameters."""
    return tuple(value for value in op.parameters.values() if isinstance(value, Graph))


def all_graphs(graph: Graph) -> Iterator[Graph]:
    """Iterate over a graph and every graph nested in it, each once, outer ones first."""
    seen: list[Graph] = []
    stack = [graph]
    while stack:
        current = stack.pop(0)
        if any(current is known for known in seen):
            continue
        seen.append(current)
        yield current
        for op in dict.fromkeys(node.op for node in current.nodes):
            stack.extend(nested_graphs(op))


def nested_in_order(graph: Graph) -> list[Graph]:
    """Return every graph nested in ``graph``, each once, inner ones before those that hold them."""
    ordered: list[Graph] = []

    def visit(current: Graph) -> None:
        for node in current.nodes:
            for inner in nested_graphs(node.op):
                if not any(inner is known for known in ordered):
                    visit(inner)
                    ordered.append(inner)

    visit(graph)
    return ordered


def renamed(graph: Graph, name: str) -> Graph:
    """Return the graph under another name, sharing everything else."""
    if graph.name == name:
        return graph
    return Graph(
        graph.inputs,
        graph.constants,
        graph.nodes,
        graph.outputs,
        graph.output_names,
        symbols=graph.symbols,
        name=name,
        metadata=graph.metadata,
    )
