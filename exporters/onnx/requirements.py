"""Sizes that the graph relies on: a node that fails where they turn out otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx.lowering import Context, lowers
from ir.constraints import Shared
from ir.dims import dim_max
from ir.nesting import all_graphs
from ir.ops.requirements import RequireShape

if TYPE_CHECKING:
    from exporters.onnx.term import Term
    from ir.dims import DimLike
    from ir.graph import Graph


CONSTRAINTS = "graph_capture.constraints"
"""The metadata entry that says what an exported file asks of its sizes."""


def constraints_text(graph: Graph) -> str:
    """Return what the sizes of a run must meet, for people; the file's own nodes check it.

    Axes of one size are left out: they carry one name in the types of inputs.
    """
    texts = {
        str(constraint): None
        for inner in all_graphs(graph)
        for constraint in inner.constraints
        if not isinstance(constraint, Shared)
    }
    return "; ".join(texts)


@lowers(RequireShape)
def require_shape(context: Context, x: Term) -> Term:
    """``Reshape`` to the required sizes, which alone proves them only on a single axis."""
    old, new = context.shape(0), context.result_shape
    pairs = [
        (given, wanted) for given, wanted in zip(old, new, strict=True) if given != wanted
    ]
    if not pairs:
        return x
    target = context.sizes.vector(new)
    if len(new) == 1:
        return context.emitter.apply("Reshape", x, target, allowzero=1)
    gap: DimLike = 0  # (6, 2) fills (4, 3), and (0, 5) fills (0, 7)
    for given, wanted in pairs:
        gap = gap + dim_max(given - wanted, wanted - given)
    return context.sizes.proved(x, gap, target)
