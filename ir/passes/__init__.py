"""Graph rewrites: each pass maps a valid graph to a valid graph, the same object if unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.passes.common_subexpressions import merge_common_subexpressions
from ir.passes.constant_folding import fold_constants
from ir.passes.dead_code import remove_dead_code, unread_inputs, without_unread_inputs
from ir.passes.dead_results import drop_dead_results
from ir.passes.write_forwarding import forward_writes
from ir.passes.write_merging import merge_writes

if TYPE_CHECKING:
    from collections.abc import Callable

    from ir.graph import Graph

PIPELINE: tuple[Callable[[Graph], Graph], ...] = (
    fold_constants,
    merge_common_subexpressions,
    forward_writes,
    merge_writes,
    drop_dead_results,
)
"""What every finished capture goes through, dead code removed after each change."""


def simplify(graph: Graph) -> Graph:
    """Run :data:`PIPELINE`: fold constants, merge equal nodes, untangle writes, drop the unused."""
    for rewrite in PIPELINE:
        rewritten = rewrite(graph)
        if rewritten is not graph:
            graph = remove_dead_code(rewritten)
    return graph


__all__ = [
    "PIPELINE",
    "drop_dead_results",
    "fold_constants",
    "forward_writes",
    "merge_common_subexpressions",
    "merge_writes",
    "remove_dead_code",
    "simplify",
    "unread_inputs",
    "without_unread_inputs",
]
