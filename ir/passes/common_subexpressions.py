"""Common subexpression elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir.passes.rewriting import mapped_node, with_nodes

if TYPE_CHECKING:
    from ir.graph import Graph, Node, Value


def merge_common_subexpressions(graph: Graph) -> Graph:
    """Keep the first of nodes with equal op and operands, and the first of equal constants.

    Random ops and ops that define symbols stay apart.
    """
    replacement: dict[Value, Value] = {}
    seen: dict[Any, Any] = {}
    for value in graph.constants:
        data = value.data
        assert data is not None
        key = (value.type, data.tobytes()) if data.nbytes <= 1024 else (id(data),)
        kept = seen.setdefault(key, value)
        if kept is not value:
            replacement[value] = kept
    nodes: list[Node] = []
    for old in graph.nodes:
        node = mapped_node(old, replacement) if replacement else old
        op = node.op
        if not op.pure or op.defines_symbols:
            nodes.append(node)
            continue
        first = seen.setdefault((op, node.inputs), node)
        if first is node:
            nodes.append(node)
            continue
        replacement.update(zip(old.outputs, first.outputs, strict=True))
    if not replacement:
        return graph
    return with_nodes(graph, nodes, replacement)
