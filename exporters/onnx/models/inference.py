"""ONNX's own shape inference, on the operands that a model is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import onnx.shape_inference

from exporters.onnx.models.graphs import all_graphs, subgraphs
from ir.dims import Dim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ir.dims import DimLike, Shape


def inferred(
    proto: onnx.ModelProto, shapes: Sequence[Shape], tokens: dict[DimLike, str]
) -> onnx.ModelProto:
    """Return the model with types inferred from the operands alone, not from declared outputs.

    Args:
        proto: A model whose inputs are its operands.
        shapes: Sizes of the operands.
        tokens: Receives what each open size is called in the result.
    """
    actual = _given(proto, shapes, tokens)
    for value in actual.graph.output:
        value.type.tensor_type.ClearField("shape")
    for node in actual.graph.node:
        for inner in subgraphs(node):
            _forget_names(inner)
    try:
        return onnx.shape_inference.infer_shapes(actual, data_prop=True)
    except Exception:  # a model that inference stumbles over may still run
        return actual


def _given(
    proto: onnx.ModelProto, shapes: Sequence[Shape], tokens: dict[DimLike, str]
) -> onnx.ModelProto:
    """Return the model with inputs of some sizes."""
    actual = onnx.ModelProto()
    actual.CopyFrom(proto)
    for value, shape in zip(actual.graph.input, shapes, strict=True):
        tensor = value.type.tensor_type
        tensor.ClearField("shape")
        tensor.shape.SetInParent()
        for dim in shape:
            axis = tensor.shape.dim.add()
            if isinstance(dim, Dim):
                axis.dim_param = tokens.setdefault(dim, f"operand size {len(tokens)}")
            else:
                axis.dim_value = dim
    return actual


def _forget_names(graph: onnx.GraphProto) -> None:
    """Take the declared names of sizes away: in a subgraph they hide what inference finds."""
    for inner in all_graphs(graph):
        for value in (*inner.input, *inner.output):
            for dim in value.type.tensor_type.shape.dim:
                dim.ClearField("dim_param")
