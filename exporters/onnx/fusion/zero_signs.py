"""Where the sign of a zero could be seen, which ``Relu`` and ``Clip`` do not keep as NumPy does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir.nesting import nested_graphs
from ir.ops import elementwise as ew
from ir.ops import reduction as red
from ir.ops.linear_algebra import matmul

if TYPE_CHECKING:
    from ir.graph import Graph, Node, Value

_LOOKING: dict[Any, tuple[int, ...]] = {
    ew.divide: (1,),
    ew.reciprocal: (0,),
    ew.power: (0, 1),
    ew.float_power: (0, 1),
    ew.signbit: (0,),
    ew.copysign: (1,),
    ew.arctan2: (0, 1),
}
"""Operands whose sign of zero changes a value that is not a zero."""

_BLIND = frozenset(
    (
        *(ew.exp, ew.exp2, ew.cos, ew.cosh, ew.absolute, ew.fabs, ew.square, ew.log, ew.log2),
        *(ew.equal, ew.not_equal, ew.less, ew.less_equal, ew.greater, ew.greater_equal),
        *(ew.isnan, ew.isinf, ew.isfinite, matmul),
        *(red.Sum, red.ArgMax, red.ArgMin),
    )
)
"""Ops whose result does not tell the sign of a zero among their operands."""


def seen_zero_signs(graph: Graph, nested: bool) -> frozenset[Value]:
    """Return the values whose sign of zero something in the graph can turn into another number.

    A zero that a model returns counts as a zero of either sign: they are equal.

    Args:
        graph: The graph.
        nested: Whether its outputs are used by a graph around it, which is not looked at.
    """
    seen: set[Value] = set()
    stack: list[Value] = list(graph.outputs) if nested else []
    for node in graph.nodes:
        stack.extend(node.inputs[position] for position in _LOOKING.get(node.op, ()))
        if nested_graphs(node.op):
            stack.extend(node.inputs)
    while stack:
        value = stack.pop()
        if value in seen or value.type.dtype.kind not in "fV":
            continue
        seen.add(value)
        producer = value.producer
        if producer is not None and not _hides(producer):
            stack.extend(producer.inputs)
    return frozenset(seen)


def _hides(node: Node) -> bool:
    if node.op in _BLIND or type(node.op) in _BLIND:
        return True
    if node.op is ew.add or node.op is ew.subtract:
        return any(_is_never_zero(operand) for operand in node.inputs)
    return False


def _is_never_zero(value: Value) -> bool:
    return value.producer is None and value.data is not None and bool(value.data.all())
