"""Constant folding."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ir.graph import Node, Value
from ir.ops.indexing import Take
from ir.ops.shaping import BroadcastTo, Reshape, Slice, Transpose
from ir.passes.rewriting import mapped_node, with_nodes
from ir.passes.uses import use_counts
from ir.shapes import product

if TYPE_CHECKING:
    from collections import Counter

    from ir.graph import Graph

_SMALL = 64 * 1024
"""Results up to this many bytes are always folded; larger ones only if they do not grow."""

_TINY = 1024
_REARRANGING = (BroadcastTo, Reshape, Slice, Take, Transpose)
"""Ops whose result holds nothing new: folding them would store the same weight twice."""


def _bytes(value: Value) -> int:
    count = product(value.type.shape)
    assert isinstance(count, int)
    return count * value.type.dtype.itemsize


def _foldable(node: Node, uses: Counter[Value]) -> bool:
    op = node.op
    if not op.pure or op.symbols or op.defines_symbols:
        return False
    size = sum(map(_bytes, node.outputs))
    if size > _TINY and isinstance(op, _REARRANGING):
        return uses[node.inputs[0]] == 1 and size <= _SMALL
    given = sum(v.data.nbytes for v in node.inputs if v.data is not None)
    return size <= max(_SMALL, given)


def fold_constants(graph: Graph) -> Graph:
    """Evaluate nodes whose operands are all constants, unless the result would be large.

    A weight used as it is and transposed stays one constant. A node whose evaluation fails stays,
    so that it fails at run time as it would in NumPy.
    """
    constant = set(graph.constants)
    uses = cache(lambda: use_counts(graph))
    replacement: dict[Value, Value] = {}
    nodes: list[Node] = []
    folded: list[Value] = []
    for old in graph.nodes:
        node = mapped_node(old, replacement) if replacement else old
        if not constant.issuperset(node.inputs) or not _foldable(node, uses()):
            nodes.append(node)
            continue
        try:
            with np.errstate(all="ignore"):
                arrays = node.op.evaluate(*(v.data for v in node.inputs if v.data is not None))
        except (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError):
            nodes.append(node)
            continue
        for value, array in zip(node.outputs, arrays, strict=True):
            made = Value(value.type, value.name, data=np.array(array, order="C", copy=True))
            replacement[value] = made
            constant.add(made)
            folded.append(made)
            uses()[made] = uses()[value]
        for before, after in zip(old.outputs, node.outputs, strict=True):
            replacement[before] = replacement[after]
    if not folded:
        return graph
    return with_nodes(graph, nodes, replacement, folded)
