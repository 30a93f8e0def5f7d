"""Which values of a graph a file needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import Dim, symbols_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ir.dims import Symbol
    from ir.graph import Graph, Value


def used_values(graph: Graph) -> frozenset[Value]:
    """Return what nodes and outputs read, and where the symbols they mention get their numbers."""
    used = set(graph.outputs).union(*(node.inputs for node in graph.nodes))
    mentioned: set[Symbol] = set()
    for node in graph.nodes:
        values = node.inputs
        if not node.op.defines_symbols:
            values += node.outputs
            mentioned.update(node.op.symbols)
        mentioned |= _symbols(values)
    sites = (site.value for symbol, site in graph.symbols.items() if symbol in mentioned)
    return frozenset(used.union(sites))


def _symbols(values: Iterable[Value]) -> set[Symbol]:
    dims = (dim for value in values for dim in value.type.shape if isinstance(dim, Dim))
    return {symbol for dim in dims for symbol in symbols_of(dim)}
