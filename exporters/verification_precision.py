"""How precisely a graph computes: the coarsest float dtype on the way to each value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exporters.verification_comparison import TOLERANCES, Tolerance
from ir.nesting import nested_graphs
from ir.ops import elementwise as ew
from ir.ops import indexing, reduction, requirements, shaping

if TYPE_CHECKING:
    import numpy as np

    from ir.graph import Graph, Node, Value

    DType = np.dtype[Any]

_MOVING = frozenset(
    member
    for module in (shaping, indexing, requirements)
    for member in vars(module).values()
    if isinstance(member, type)
)
_EXACT = _MOVING | frozenset(
    (
        *(ew.Cast, reduction.Max, reduction.Min, reduction.CumMax, reduction.CumMin),
        *(ew.where, ew.maximum, ew.minimum, ew.fmax, ew.fmin, ew.copysign),
        *(ew.negative, ew.positive, ew.absolute, ew.fabs, ew.sign),
        *(ew.floor, ew.ceil, ew.trunc, ew.rint),
    )
)
"""Ops that do not round; a cast to a narrower dtype shows in what is computed in that."""


def tolerances(graph: Graph) -> dict[Value, Tolerance]:
    """Return what to allow for values that were computed in a coarser dtype than their own.

    ``np.sqrt(64)`` is a float64 that makes the rest of a float32 program float64; its results
    are as precise as the float32 sums before it.
    """
    coarsest: dict[Value, DType] = {}
    for node in graph.nodes:
        found = [coarsest[value] for value in node.inputs if value in coarsest]
        found += _rounded_in(node)
        if found:
            worst = max(found, key=_tolerance)
            coarsest.update(dict.fromkeys(node.outputs, worst))
    return {value: TOLERANCES[dtype] for value, dtype in coarsest.items()}


def _rounded_in(node: Node) -> list[DType]:
    """Return the float dtypes in which a node rounds."""
    inner = [
        dtype
        for graph in nested_graphs(node.op)
        for n in graph.nodes
        for dtype in _rounded_in(n)
    ]
    if node.op in _EXACT or type(node.op) in _EXACT:
        return inner
    return inner + [
        value.type.dtype for value in node.outputs if value.type.dtype in TOLERANCES
    ]


def _tolerance(dtype: DType) -> Tolerance:
    return TOLERANCES[dtype]
