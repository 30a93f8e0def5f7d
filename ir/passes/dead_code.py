"""Dead code elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import Dim, symbols_of
from ir.passes.rewriting import with_inputs, with_nodes

if TYPE_CHECKING:
    from ir.dims import Symbol
    from ir.graph import Graph, Node, Value


def definers(graph: Graph, symbols: tuple[Symbol, ...]) -> list[Value]:
    """Return the values that define symbols; a nested graph's free symbols come from outside."""
    return [graph.symbols[symbol].value for symbol in symbols if symbol in graph.symbols]


def remove_dead_code(graph: Graph) -> Graph:
    """Drop nodes and constants that no output needs; inputs stay.

    A node is also needed when it defines a symbol that a live node or an output mentions.
    """
    live: set[Node] = set()
    stack: list[Value] = list(graph.outputs)
    for value in graph.outputs:
        for dim in value.type.shape:
            if isinstance(dim, Dim):
                stack.extend(definers(graph, symbols_of(dim)))
    used: set[Value] = set(stack)
    while stack:
        node = stack.pop().producer
        if node is None or node in live:
            continue
        live.add(node)
        stack.extend(node.inputs)
        used.update(node.inputs)
        if node.op.symbols:
            stack.extend(definers(graph, node.op.symbols))
    if len(live) == len(graph.nodes) and used.issuperset(graph.constants):
        return graph
    return with_nodes(graph, [node for node in graph.nodes if node in live], {})


def unread_inputs(graph: Graph) -> list[Value]:
    """Return the inputs that nothing reads, not even the size of one of their axes."""
    read = {operand for node in graph.nodes for operand in node.inputs}
    read.update(graph.outputs)
    unread = [value for value in graph.inputs if value not in read]
    if not unread:
        return []
    mentioned = {symbol for node in graph.nodes for symbol in node.op.symbols}
    for value in (*graph.outputs, *read.intersection(graph.inputs)):
        for dim in value.type.shape:
            if isinstance(dim, Dim):
                mentioned.update(symbols_of(dim))
    sites = {graph.symbols[symbol].value for symbol in mentioned if symbol in graph.symbols}
    return [value for value in unread if value not in sites]


def without_unread_inputs(graph: Graph) -> Graph:
    """Return the graph without :func:`unread_inputs`, which change its signature only."""
    unread = set(unread_inputs(graph))
    if not unread:
        return graph
    return with_inputs(graph, (value for value in graph.inputs if value not in unread))
