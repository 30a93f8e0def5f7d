"""The graph for networkx, and its longest chain of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ir.costs import node_cost
from ir.dims import Dim, evaluate
from ir.printer import value_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    import networkx as nx

    from ir.graph import Graph, Node


class CriticalPath(NamedTuple):
    """The chain of nodes that no amount of parallel hardware shortens.

    Attributes:
        nodes: From the first node to the last.
        weight: The sum of their weights.
    """

    nodes: tuple[Node, ...]
    weight: int

    def __str__(self) -> str:
        steps = (f"  {node.op.name} {node.location or ''}".rstrip() for node in self.nodes)
        return "\n".join([f"{len(self.nodes)} nodes, weight {self.weight:,}", *steps])


def critical_path(
    graph: Graph,
    weight: Literal["nodes", "flops", "bytes"] = "nodes",
    sizes: Mapping[str, int] | None = None,
) -> CriticalPath:
    """Return the heaviest chain of nodes, each reading a result of the one before.

    Args:
        graph: The graph; a node with nested graphs is one step.
        weight: What a node weighs: one, or its cost (see :class:`ir.costs.Cost`).
        sizes: Numbers for the symbols in costs.

    Raises:
        DimError: A cost has a symbol without a number.
    """
    best: dict[Node, int] = {}
    before: dict[Node, Node | None] = {}
    for node in graph.nodes:
        sources = [value.producer for value in node.inputs if value.producer is not None]
        previous = max(sources, key=best.__getitem__, default=None)
        before[node] = previous
        reached = 0 if previous is None else best[previous]
        best[node] = reached + _weight(node, weight, sizes or {})
    last = max(best, key=best.__getitem__, default=None)
    total = 0 if last is None else best[last]
    chain: list[Node] = []
    while last is not None:
        chain.append(last)
        last = before[last]
    return CriticalPath(tuple(reversed(chain)), total)


def _weight(
    node: Node, weight: Literal["nodes", "flops", "bytes"], sizes: Mapping[str, int]
) -> int:
    if weight == "nodes":
        return 1
    cost = node_cost(node)
    count = cost.flops if weight == "flops" else cost.bytes
    return evaluate(count, sizes) if isinstance(count, Dim) else count


def to_networkx(graph: Graph) -> nx.MultiDiGraph[str]:
    """Return a MultiDiGraph with one vertex per value and one edge per operand use.

    Vertices are named as the printer names values and carry ``kind`` (``"input"``, ``"constant"``
    or ``"node"``), ``type``, ``op``, ``location`` and ``output`` (the names it is returned under).
    Edges carry ``operand``, the operand position.
    """
    import networkx as nx  # costs 0.1-0.2 s, so only here

    names = value_names(graph)
    result: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=graph.name)
    returned: dict[str, list[str]] = {}
    for name, value in zip(graph.output_names, graph.outputs, strict=True):
        returned.setdefault(names[value], []).append(name)
    for kind, values in (("input", graph.inputs), ("constant", graph.constants)):
        for value in values:
            result.add_node(names[value], kind=kind, type=value.type, op=None, location=None)
    for node in graph.nodes:
        for value in node.outputs:
            name = names[value]
            result.add_node(
                name, kind="node", type=value.type, op=node.op, location=node.location
            )
            for operand, source in enumerate(node.inputs):
                result.add_edge(names[source], name, operand=operand)
    for name in result:
        result.nodes[name]["output"] = tuple(returned.get(name, ()))
    return result
