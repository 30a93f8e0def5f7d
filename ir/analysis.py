"""The graph for networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.printer import value_names

if TYPE_CHECKING:
    import networkx as nx

    from ir.graph import Graph


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
