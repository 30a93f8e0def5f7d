"""Where the sign of a zero matters, which ``Relu``, ``Clip`` and ``Where`` do not keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.fusion.patterns import LOOKED_AT
from ir.nesting import nested_graphs
from ir.ops import elementwise as ew
from ir.ops import reduction as red
from ir.ops import shaping as shp
from ir.ops.linear_algebra import matmul
from ir.types import FLOATING

if TYPE_CHECKING:
    from ir.graph import Graph, Node, Value

_LOOKING: dict[Any, tuple[int, ...]] = {
    ew.divide: (1,),
    ew.floor_divide: (1,),
    ew.divmod_: (1,),
    ew.reciprocal: (0,),
    ew.power: (0, 1),
    ew.float_power: (0, 1),
    ew.signbit: (0,),
    ew.copysign: (1,),
    ew.arctan2: (0, 1),
}
"""Operands whose sign of zero changes a value that is not a zero."""

_UNSIGNED = frozenset(
    (*(ew.exp, ew.exp2, ew.cos, ew.cosh, ew.absolute, ew.fabs, ew.square), matmul)
)
"""Ops that give no -0.0 (a product of matrices only where it underflows)."""

_BLIND = _UNSIGNED | frozenset(
    (
        *(ew.log, ew.log2, ew.log10, ew.isnan, ew.isinf, ew.isfinite),
        *(ew.equal, ew.not_equal, ew.less, ew.less_equal, ew.greater, ew.greater_equal),
        *(red.ArgMax, red.ArgMin),
    )
)
"""Ops whose result does not tell the sign of a zero among their operands."""

_CHOOSING = frozenset(
    (
        *(ew.where, ew.maximum, ew.minimum, ew.sqrt, ew.positive),
        *(shp.Reshape, shp.Transpose, shp.Slice, shp.BroadcastTo, shp.Concatenate),
        *(red.Max, red.Min),
    )
)
"""Ops that give a -0.0 only where an operand is one."""


def seen_zero_signs(graph: Graph, outputs: bool) -> frozenset[Value]:
    """Return the values whose sign of zero the graph can turn into something else.

    Args:
        graph: The graph.
        outputs: Whether what it returns counts: a -0.0 equals 0.0 but is not the same.
    """
    seen: set[Value] = set()
    stack: list[Value] = list(graph.outputs) if outputs else []
    for node in graph.nodes:
        stack.extend(node.inputs[position] for position in _LOOKING.get(node.op, ()))
        if nested_graphs(node.op) or _is_foreign(node):
            stack.extend(node.inputs)
    while stack:
        value = stack.pop()
        if value in seen or value.type.dtype not in FLOATING:
            continue
        seen.add(value)
        producer = value.producer
        if producer is not None and not _hides(graph, producer):
            stack.extend(producer.inputs)
    return frozenset(seen)


def _is_foreign(node: Node) -> bool:
    """Whether nobody here knows what an op makes of its operands: a model, or a user's own."""
    return not type(node.op).__module__.startswith(("ir.ops.", "exporters.onnx.fusion."))


def _hides(graph: Graph, node: Node) -> bool:
    if node.op in _BLIND or type(node.op) in _BLIND:
        return True
    if node.op is ew.add or node.op is ew.subtract:
        return any(_is_never_zero(graph, operand) for operand in node.inputs)
    return False


def _is_never_zero(graph: Graph, value: Value) -> bool:
    if value.producer is not None or any(value is given for given in graph.inputs):
        return False
    data = value.data
    return data is not None and data.size <= LOOKED_AT and bool(data.all())


def _is_zero(value: Value) -> bool:
    data = value.data
    return data is not None and data.size == 1 and not data.any()


def may_be_negative_zero(graph: Graph, value: Value, depth: int = 8) -> bool:
    """Whether a -0.0 can be among the values, as far as ``depth`` producers tell."""
    if value.type.dtype not in FLOATING:
        return False
    node = value.producer
    if node is None:
        data = value.data
        if data is None or any(value is given for given in graph.inputs):
            return True
        return data.size > LOOKED_AT or bool(np.any((data == 0) & np.signbit(data)))
    if node.op in _UNSIGNED or getattr(node.op, "unsigned_zero", False):
        return False
    if not depth:
        return True
    if node.op is ew.add:  # a sum is -0.0 only if both are; the runtime leaves out zeros
        return all(
            _is_zero(operand) or may_be_negative_zero(graph, operand, depth - 1)
            for operand in node.inputs
        )
    operands = (may_be_negative_zero(graph, operand, depth - 1) for operand in node.inputs)
    if node.op is ew.subtract:
        return next(operands)
    if isinstance(node.op, ew.Cast) or node.op in _CHOOSING or type(node.op) in _CHOOSING:
        return any(operands)
    return True
