"""How much arithmetic a model does, counted as :mod:`ir.costs` counts nodes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import onnx

from exporters.onnx.models.graphs import subgraphs
from exporters.onnx.models.inference import inferred
from exporters.onnx.models.signature import parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ir.dims import DimLike, Shape

    Shapes: TypeAlias = Mapping[str, Shape]
    Rule: TypeAlias = Callable[[onnx.NodeProto, Shapes], DimLike]

_MOVES = frozenset(
    (
        *("Cast", "Constant", "ConstantOfShape", "EyeLike", "Identity", "Shape", "Size"),
        *("Concat", "Flatten", "Reshape", "Split", "Squeeze", "Transpose", "Unsqueeze"),
        *("DepthToSpace", "Expand", "Pad", "Slice", "SpaceToDepth", "Tile", "Where"),
        *("Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND"),
    )
)
"""Operators that move elements and compute none."""


@lru_cache(maxsize=64)
def arithmetic(model: bytes, operands: tuple[Shape, ...]) -> DimLike | None:
    """Return the operations of one run; ``None`` where inference does not find a size.

    Args:
        model: A model whose inputs are its operands.
        operands: Their sizes.
    """
    tokens: dict[DimLike, str] = {}
    graph = inferred(parsed(model), operands, tokens).graph
    known = {token: dim for dim, token in tokens.items()}
    shapes: dict[str, Shape] = {t.name: tuple(t.dims) for t in graph.initializer}
    for value in (*graph.input, *graph.value_info, *graph.output):
        tensor = value.type.tensor_type
        sizes = [_size(dim, known) for dim in tensor.shape.dim]
        if tensor.HasField("shape") and None not in sizes:
            shapes[value.name] = tuple(size for size in sizes if size is not None)
    total: DimLike = 0
    try:
        for node in graph.node:
            total = total + _work(node, shapes)
    except LookupError:
        return None
    return total


def _size(
    dim: onnx.TensorShapeProto.Dimension, known: Mapping[str, DimLike]
) -> DimLike | None:
    return int(dim.dim_value) if dim.HasField("dim_value") else known.get(dim.dim_param)


def _work(node: onnx.NodeProto, shapes: Shapes) -> DimLike:
    """Return the operations of a node.

    Raises:
        LookupError: A size is not known, or a subgraph may run any number of times.
    """
    if any(subgraphs(node)):
        raise LookupError(node.op_type)
    if node.op_type in _MOVES:
        return 0
    return _RULES.get(node.op_type, _per_result)(node, shapes)


def _elements(shape: Shape) -> DimLike:
    count: DimLike = 1
    for size in shape:
        count = count * size
    return count


def _per_result(node: onnx.NodeProto, shapes: Shapes) -> DimLike:
    return _elements(shapes[node.output[0]])


def _per_operand(node: onnx.NodeProto, shapes: Shapes) -> DimLike:
    return _elements(shapes[node.input[0]])


def _product(node: onnx.NodeProto, shapes: Shapes) -> DimLike:
    is_flipped = any(a.name in ("transA", "transBatchA") and a.i for a in node.attribute)
    steps = shapes[node.input[0]][-2 if is_flipped else -1]
    return 2 * _elements(shapes[node.output[0]]) * steps


def _convolution(node: onnx.NodeProto, shapes: Shapes) -> DimLike:
    kernel = shapes[node.input[3 if node.op_type == "QLinearConv" else 1]]
    return 2 * _elements(shapes[node.output[0]]) * _elements(kernel[1:])


def _spreading(node: onnx.NodeProto, shapes: Shapes) -> DimLike:
    return 2 * _elements(shapes[node.input[0]]) * _elements(shapes[node.input[1]][1:])


def _recurrence(node: onnx.NodeProto, shapes: Shapes) -> DimLike:
    steps, batch, _ = shapes[node.input[0]]
    weights = _elements(shapes[node.input[1]]) + _elements(shapes[node.input[2]])
    return 2 * steps * batch * weights


_RULES: dict[str, Rule] = {
    **dict.fromkeys(("MatMul", "Gemm", "MatMulInteger", "FusedMatMul"), _product),
    **dict.fromkeys(("Conv", "ConvInteger", "QLinearConv"), _convolution),
    "ConvTranspose": _spreading,
    **dict.fromkeys(("LSTM", "GRU", "RNN"), _recurrence),
    **dict.fromkeys(("ArgMax", "ArgMin", "GlobalAveragePool", "GlobalMaxPool"), _per_operand),
    **dict.fromkeys(("ReduceMax", "ReduceMin", "ReduceMean", "ReduceSum"), _per_operand),
    **dict.fromkeys(("ReduceL1", "ReduceL2", "ReduceProd", "ReduceSumSquare"), _per_operand),
    **dict.fromkeys(("ReduceLogSum", "ReduceLogSumExp", "TopK"), _per_operand),
}
