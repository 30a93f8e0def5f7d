"""How much memory the values of a graph need at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ir.costs import nested_calls, outer_count, type_bytes
from ir.dims import dim_max, prove_le
from ir.errors import DimError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ir.dims import DimLike
    from ir.graph import Graph, Node, Value

    Known: TypeAlias = dict[tuple[int, tuple[tuple[str, DimLike], ...]], DimLike]

_UNDECIDED = 8
_PROOF_WORK = 5_000
"""Bounds on what is compared with open sizes; more takes seconds and says nothing to a reader."""


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
        where = ""
        if self.node is not None:
            at = f", {self.node.location}" if self.node.location else ""
            where = f" when {self.node.op.name} runs{at}"
        return f"{size} bytes{where}, besides {self.constant_bytes:,} bytes of constants"


def memory_peak(graph: Graph, sizes: Mapping[str, int] | None = None) -> MemoryPeak:
    """Return the peak of live memory when nodes run in the graph's order.

    Every value is an array of its own: inputs live throughout, results from their node to their
    last reader, outputs to the end. While a node with nested graphs runs, their own values come
    on top. Runtimes that share or overwrite arrays need less.

    Args:
        graph: What would run.
        sizes: Numbers for symbols; those left out stay symbolic.

    Raises:
        DimError: Sizes left open decide, in too many ways to list, which need is the largest.
    """
    need, node = _peak(graph, sizes or {}, {}, nested=False)
    arrays = [value.data for value in graph.constants if value.data is not None]
    return MemoryPeak(need, sum(array.nbytes for array in arrays), node)


def last_readers(graph: Graph) -> dict[Value, Node]:
    """Return the last node that reads each value."""
    return {operand: node for node in graph.nodes for operand in node.inputs}


def _peak(
    graph: Graph, sizes: Mapping[str, DimLike], known: Known, *, nested: bool
) -> tuple[DimLike, Node | None]:
    """Return the largest need and its node; ``known`` has those of nested graphs met before."""
    last = last_readers(graph)
    kept = set(graph.outputs)
    live: DimLike = 0
    if not nested:
        for value in graph.inputs:
            live = live + _size(value, sizes)
    largest = _Largest(live)
    for node in graph.nodes:
        # the outputs of a nested graph are the results of its node, which count outside
        results = [value for value in node.outputs if not (nested and value in kept)]
        born = {value: _size(value, sizes) for value in results}
        for size in born.values():
            live = live + size
        largest.see(live + _inside(node, sizes, known), node)
        for value, size in born.items():
            if value not in kept and value not in last:
                live = live - size
        for value in dict.fromkeys(node.inputs):
            if value.producer is not None and last[value] is node and value not in kept:
                live = live - _size(value, sizes)
    return largest.value(), largest.node()


def _inside(node: Node, sizes: Mapping[str, DimLike], known: Known) -> DimLike:
    """Return what a node's graphs need at most."""
    needs = []
    for graph, inner in nested_calls(node):
        outer = {name: outer_count(dim, sizes) for name, dim in inner.items()}
        key = (id(graph), tuple(outer.items()))
        if key not in known:  # calls of calls multiply
            known[key] = _peak(graph, outer, known, nested=True)[0]
        needs.append(known[key])
    return dim_max(*needs) if needs else 0


def _size(value: Value, sizes: Mapping[str, DimLike]) -> DimLike:
    return outer_count(type_bytes(value.type), sizes)


class _Largest:
    """The counts seen of which none is proved to be at most another."""

    def __init__(self, first: DimLike) -> None:
        self._front: dict[DimLike, Node | None] = {first: None}
        self._seen: set[DimLike] = {first}
        self._work = 0

    def see(self, count: DimLike, node: Node) -> None:
        if count in self._seen:
            return
        self._seen.add(count)
        self._work += len(self._front) * _complexity(count) ** 2
        if self._work > _PROOF_WORK or len(self._front) > _UNDECIDED:
            raise DimError(
                f"memory_peak: which of {len(self._seen)} needs is the largest depends on the "
                "sizes; give numbers for them, as in memory_peak(batch=8)"
            )
        if any(prove_le(count, known) for known in self._front):
            return
        self._front = {k: at for k, at in self._front.items() if not prove_le(k, count)}
        self._front[count] = node

    def value(self) -> DimLike:
        return dim_max(*self._front)

    def node(self) -> Node | None:
        return next(iter(self._front.values())) if len(self._front) == 1 else None


def _complexity(count: DimLike) -> int:
    """Return how many divisions and choices a count has: proofs take longer with each."""
    text = str(count)
    return text.count("(") + text.count("//") + text.count("%")
