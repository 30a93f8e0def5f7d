"""How much memory the values of a graph need at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ir.costs import nested_calls, outer_count, type_bytes
from ir.dims import dim_max, prove_le

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ir.dims import DimLike
    from ir.graph import Graph, Node, Value


class MemoryPeak(NamedTuple):
    """The most memory that a graph's values take at once.

    Attributes:
        bytes: Inputs and the results that are still needed; a dim where sizes are symbolic.
        constant_bytes: Bytes of the graph's own constants, alive all the time, not in ``bytes``.
        node: Where the peak is, where one node's need is proved to be the largest.
    """

    bytes: DimLike
    constant_bytes: int
    node: Node | None

    def __str__(self) -> str:
        size = f"{self.bytes:,}" if isinstance(self.bytes, int) else str(self.bytes)
        where = "" if self.node is None else f" at {self.node!r}"
        return f"{size} bytes{where}, besides {self.constant_bytes:,} bytes of constants"


def memory_peak(graph: Graph, sizes: Mapping[str, int] | None = None) -> MemoryPeak:
    """Return the peak of live memory when nodes run in the graph's order.

    Every value is an array of its own: inputs live throughout, results from their node to their
    last reader, outputs to the end. While a node with nested graphs runs, their results come on
    top. Runtimes that share or overwrite arrays need less.

    Args:
        graph: What would run.
        sizes: Numbers for symbols; those left out stay symbolic.
    """
    need, node = _peak(graph, sizes or {}, {}, inputs_count=True)
    arrays = [value.data for value in graph.constants if value.data is not None]
    return MemoryPeak(need, sum(array.nbytes for array in arrays), node)


def last_readers(graph: Graph) -> dict[Value, Node]:
    """Return the last node that reads each value."""
    return {operand: node for node in graph.nodes for operand in node.inputs}


def _peak(
    graph: Graph,
    sizes: Mapping[str, int],
    known: dict[int, DimLike],
    *,
    inputs_count: bool,
) -> tuple[DimLike, Node | None]:
    """Return the largest need and its node; ``known`` has those of nested graphs met before."""
    last = last_readers(graph)
    kept = set(graph.outputs)
    live: DimLike = 0
    if inputs_count:
        for value in graph.inputs:
            live = live + _size(value, sizes)
    largest = _Largest(live)
    for node in graph.nodes:
        born = {value: _size(value, sizes) for value in node.outputs}
        for size in born.values():
            live = live + size
        largest.see(live + outer_count(_inside(node, known), sizes), node)
        for value, size in born.items():
            if value not in kept and value not in last:
                live = live - size
        for value in dict.fromkeys(node.inputs):
            if value.producer is not None and last[value] is node and value not in kept:
                live = live - _size(value, sizes)
    return largest.value(), largest.node()


def _inside(node: Node, known: dict[int, DimLike]) -> DimLike:
    """Return what a node's graphs need at most, in the symbols around it."""
    needs = []
    for graph, inner in nested_calls(node):
        if id(graph) not in known:
            known[id(graph)] = _peak(graph, {}, known, inputs_count=False)[0]
        needs.append(outer_count(known[id(graph)], inner))
    return dim_max(*needs) if needs else 0


def _size(value: Value, sizes: Mapping[str, DimLike]) -> DimLike:
    return outer_count(type_bytes(value.type), sizes)


class _Largest:
    """The counts seen of which none is proved to be at most another."""

    def __init__(self, first: DimLike) -> None:
        self._front: dict[DimLike, Node | None] = {first: None}
        self._beaten: set[DimLike] = {first}

    def see(self, count: DimLike, node: Node) -> None:
        if count in self._beaten:
            return
        self._beaten.add(count)
        if any(prove_le(count, known) for known in self._front):
            return
        self._front = {k: at for k, at in self._front.items() if not prove_le(k, count)}
        self._front[count] = node

    def value(self) -> DimLike:
        return dim_max(*self._front)

    def node(self) -> Node | None:
        return next(iter(self._front.values())) if len(self._front) == 1 else None
