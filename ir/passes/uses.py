"""Use counts, computed in one sweep."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ir.graph import Graph, Value


def use_counts(graph: Graph) -> Counter[Value]:
    """Return how often each value is read by nodes and outputs."""
    counts: Counter[Value] = Counter()
    for node in graph.nodes:
        counts.update(node.inputs)
    counts.update(graph.outputs)
    return counts
