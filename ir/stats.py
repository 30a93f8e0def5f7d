"""Counts over a graph."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ir.graph import Graph


class GraphStats(NamedTuple):
    """What a graph contains.

    Attributes:
        nodes: Number of nodes.
        ops: Nodes by op name, most frequent first.
        inputs: Number of inputs.
        outputs: Number of outputs.
        constants: Number of constants.
        parameters: Elements in all constants.
        constant_bytes: Bytes in all constants.
        symbols: Names of symbolic dimensions.
    """

    nodes: int
    ops: dict[str, int]
    inputs: int
    outputs: int
    constants: int
    parameters: int
    constant_bytes: int
    symbols: tuple[str, ...]

    def __str__(self) -> str:
        ops = ", ".join(f"{name} {count}" for name, count in self.ops.items())
        return (
            f"{_count(self.nodes, 'node')} ({ops})\n"
            f"{_count(self.inputs, 'input')}, {_count(self.outputs, 'output')}, "
            f"{_count(self.constants, 'constant')} "
            f"({self.parameters:,} elements, {self.constant_bytes:,} bytes)\n"
            f"symbols: {', '.join(self.symbols) or 'none'}"
        )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def graph_stats(graph: Graph) -> GraphStats:
    """Count the graph's parts."""
    ops = Counter(node.op.name for node in graph.nodes)
    arrays = [value.data for value in graph.constants if value.data is not None]
    return GraphStats(
        nodes=len(graph.nodes),
        ops=dict(sorted(ops.items(), key=lambda item: (-item[1], item[0]))),
        inputs=len(graph.inputs),
        outputs=len(graph.outputs),
        constants=len(graph.constants),
        parameters=sum(array.size for array in arrays),
        constant_bytes=sum(array.nbytes for array in arrays),
        symbols=tuple(sorted(symbol.name for symbol in graph.symbols)),
    )
