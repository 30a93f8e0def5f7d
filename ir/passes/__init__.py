"""Graph rewrites: each pass maps a valid graph to a valid graph, the same object if unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.passes.common_subexpressions import merge_common_subexpressions
from ir.passes.constant_folding import fold_constants
from ir.passes.dead_code import remove_dead_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from ir.graph import Graph

PIPELINE: tuple[Callable[[Graph], Graph], ...] = (
    fold_constants,
    merge_common_subexpressions,
    remove_dead_code,
)
"""What every finished capture goes through."""


def simplify(graph: Graph) -> Graph:
    """Run :data:`PIPELINE`: fold constants, merge equal nodes, drop unused ones."""
    for rewrite in PIPELINE:
        graph = rewrite(graph)
    return graph


__all__ = [
    "PIPELINE",
    "fold_constants",
    "merge_common_subexpressions",
    "remove_dead_code",
    "simplify",
]
