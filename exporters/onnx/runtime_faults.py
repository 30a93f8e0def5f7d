"""Programs that ONNX Runtime cannot even load, written in a form that it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx.fusion.native import Native
from ir.graph import Node, Value
from ir.ops import elementwise as ew
from ir.ops import interned
from ir.ops.linear_algebra import matmul
from ir.ops.shaping import Reshape, Transpose
from ir.passes.rewriting import mapped_node, with_nodes

if TYPE_CHECKING:
    from ir.graph import Graph
    from ir.types import TensorType

_FAR = 8
"""How far the runtime moves a transpose towards a product."""

_BATCHED = 3


def without_faults(graph: Graph) -> Graph:
    """Return the graph with a reshape between a cast and a matrix product where that matters.

    Of ``x.transpose(1, 0, 2).astype(np.float32) @ w`` the runtime (1.32) makes one operator and
    dies of it: a transpose that moves the first axis, a cast, a product. It also moves transposes
    down to casts, through arithmetic and reshapes. What it does not look through is a reshape
    behind the cast.
    """
    replacement: dict[Value, Value] = {}
    nodes: list[Node] = []
    for old in graph.nodes:
        node = mapped_node(old, replacement) if replacement else old
        if node.op is not matmul or not any(map(_is_fatal, node.inputs)):
            nodes.append(node)
            continue
        made = _apart(node)
        nodes.extend(made)
        made[-1].outputs[0].name = node.outputs[0].name
        replacement[old.outputs[0]] = replacement[node.outputs[0]] = made[-1].outputs[0]
    return with_nodes(graph, nodes, replacement) if replacement else graph


def _is_fatal(value: Value) -> bool:
    cast = value.producer
    if cast is None or not isinstance(cast.op, ew.Cast) or value.type.rank < _BATCHED:
        return False
    pending = [(operand, _FAR) for operand in cast.inputs]
    while pending:
        operand, steps = pending.pop()
        node = operand.producer
        if node is None or not steps:
            continue
        if isinstance(node.op, Transpose) and node.op.axes[0] != 0:
            return True
        if isinstance(node.op, (ew.Elementwise, ew.Cast, Reshape, Native)):
            pending += [(inner, steps - 1) for inner in node.inputs]
    return False


def _apart(product: Node) -> list[Node]:
    """Return a product whose dangerous operands have one more axis, of one element, in front."""
    made: list[Node] = []

    def apply(op: Reshape, value: Value) -> Value:
        types: tuple[TensorType, ...] = op.infer(value.type)
        made.append(Node(op, (value,), types, product.location, product.scope))
        return made[-1].outputs[0]

    result = product.outputs[0].type
    operands = []
    for value in product.inputs:
        if _is_fatal(value):
            ones = (1,) * (result.rank + 1 - value.type.rank)
            value = apply(interned(Reshape, (*ones, *value.type.shape)), value)
        operands.append(value)
    types = matmul.infer(*(operand.type for operand in operands))
    made.append(Node(matmul, tuple(operands), types, product.location, product.scope))
    apply(interned(Reshape, result.shape), made[-1].outputs[0])
    return made
