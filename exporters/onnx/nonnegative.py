"""Integers that cannot be negative, as far as their producers tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir.ops import elementwise as ew
from ir.ops import indexing as idx
from ir.ops import reduction as red
from ir.ops import shaping as shp
from ir.types import BOOL, UNSIGNED

if TYPE_CHECKING:
    from ir.graph import Value

_COUNTING: frozenset[Any] = frozenset(
    (idx.ArgSort, idx.NonZero, red.ArgMax, red.ArgMin, shp.Iota, shp.DimValue)
)
"""Ops that give positions and sizes."""

_KEEPING: frozenset[Any] = frozenset(
    (
        *(ew.floor_divide, ew.remainder, ew.minimum),
        *(shp.Reshape, shp.Transpose, shp.Slice, shp.BroadcastTo, shp.Concatenate),
        *(red.Max, red.Min),
    )
)
"""Ops that give nothing negative for operands without it, and never overflow."""

_DEPTH = 8


def is_nonnegative(value: Value, inputs: frozenset[Value], depth: int = _DEPTH) -> bool:
    """Whether no element is negative.

    Args:
        value: An integer or bool.
        inputs: The graph's inputs, whose data is only a default.
        depth: How many producers to ask.
    """
    dtype = value.type.dtype
    if dtype in UNSIGNED or dtype == BOOL:
        return True
    node = value.producer
    if node is None:
        return value.data is not None and value not in inputs and bool((value.data >= 0).all())
    if type(node.op) in _COUNTING or getattr(node.op, "nonnegative", False):
        return True
    if not depth:
        return False
    operands = (is_nonnegative(operand, inputs, depth - 1) for operand in node.inputs)
    if isinstance(node.op, ew.Cast):
        source = node.inputs[0].type.dtype
        wider = source.itemsize < dtype.itemsize or source == BOOL
        return source.kind in "bui" and (wider or source == dtype) and all(operands)
    if node.op is ew.maximum:
        return any(operands)
    return (node.op in _KEEPING or type(node.op) in _KEEPING) and all(operands)
