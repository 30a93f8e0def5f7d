"""Constant folding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ir.graph import Node, Value
from ir.passes.rewriting import mapped_node, with_nodes
from ir.shapes import product

if TYPE_CHECKING:
    from ir.graph import Graph

_SMALL = 64 * 1024
"""Results up to this many bytes are always folded; larger ones only if they do not grow."""


def _foldable(node: Node, constant: set[Value]) -> bool:
    op = node.op
    if not op.pure or op.symbols or op.defines_symbols:
        return False
    for operand in node.inputs:
        if operand not in constant:
            return False
    size = sum(
        int(product(value.type.shape)) * value.type.dtype.itemsize for value in node.outputs
    )
    given = sum(v.data.nbytes for v in node.inputs if v.data is not None)
    return size <= max(_SMALL, given)


def fold_constants(graph: Graph) -> Graph:
    """Evaluate nodes whose operands are all constants, unless the result would be large.

    A node whose evaluation fails stays, so that it fails at run time as it would in NumPy.
    """
    constant = set(graph.constants)
    replacement: dict[Value, Value] = {}
    nodes: list[Node] = []
    folded: list[Value] = []
    for old in graph.nodes:
        node = mapped_node(old, replacement) if replacement else old
        if not _foldable(node, constant):
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
        for before, after in zip(old.outputs, node.outputs, strict=True):
            replacement[before] = replacement[after]
    if not folded:
        return graph
    return with_nodes(graph, nodes, replacement, folded)
