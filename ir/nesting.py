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


class Depths:
    """How deep graphs are nested in each other, told of inner ones first."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, Graph]] = {}

    def add(self, graph: Graph) -> int:
        """Return the depth of a graph whose nested graphs were added: 1 if it has none."""
        ops = {id(node.op): node.op for node in graph.nodes}
        inner = [g for op in ops.values() for g in nested_graphs(op)]
        depth = 1 + max((self._known[id(g)][0] for g in inner), default=0)
        self._known[id(graph)] = depth, graph  # kept, so that its id stays its own
        return depth


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
