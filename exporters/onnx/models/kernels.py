"""Which kernels a model's nodes need of a runtime, for the statement about the oldest one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnx
import onnx.helper
import onnx.shape_inference

from exporters.onnx.kernels import kernel_table, kernel_versions
from exporters.onnx.models.graphs import all_nodes
from exporters.onnx.models.tensors import DTYPES
from exporters.onnx.primitives import PRIMITIVES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from exporters.onnx.emitter import Emitter

_ALWAYS = frozenset(("Constant", "Identity", "If", "Loop", "Scan", "Shape", "Size", "Squeeze"))
"""In every release, whatever the dtype."""

_VARIANTS = {
    "BitShift": "direction",
    "Gelu": "approximate",
    "Pad": "mode",
    "Resize": "mode",
    "ScatterElements": "reduction",
    "ScatterND": "reduction",
}
"""Attributes that the tables tell apart, by operator."""

_PLAIN = frozenset(("", "none", "constant", "nearest"))
"""Their values where a row has the operator's bare name."""

_OF_THE_RESULT = frozenset(("Cast", "ConstantOfShape", "EyeLike", "Range"))
"""Operators whose rows are about the dtype of the result."""


def note_kernels(
    emitter: Emitter, proto: onnx.ModelProto, nodes: Sequence[onnx.NodeProto]
) -> None:
    """Add the kernels of nodes to those that the file needs; unknown ones are noted as such."""
    dtypes = _dtypes(proto)
    tabled = kernel_table(kernel_versions()[-1]).operators
    for node in _with_inner(nodes):
        if not node.domain and node.op_type in _ALWAYS:
            continue
        key = _key(node, dtypes)
        dtype = dtypes.get(_deciding(node))
        if node.domain or key not in tabled or dtype is None:
            emitter.embedded.unprobed.add(f"{node.domain}.{node.op_type}".lstrip("."))
        else:
            emitter.kernels.add((key, dtype))


def _with_inner(nodes: Sequence[onnx.NodeProto]) -> Sequence[onnx.NodeProto]:
    graph = onnx.GraphProto()
    graph.node.extend(nodes)
    return list(all_nodes(graph))


def _deciding(node: onnx.NodeProto) -> str:
    """Return the tensor whose dtype a row of the tables is about."""
    if node.op_type in _OF_THE_RESULT:
        return str(node.output[0])
    row = PRIMITIVES.get(node.op_type)
    position = row.data[0] if row is not None and row.data else 0
    return str(node.input[position]) if position < len(node.input) else ""


def _key(node: onnx.NodeProto, dtypes: Mapping[str, np.dtype[Any]]) -> str:
    """Return the row of a node in the tables."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Cast":
        source = dtypes.get(node.input[0])
        return f"Cast:{source.name if source is not None else '?'}"
    if node.op_type == "Mod" and attributes.get("fmod"):
        return "Mod:fmod"
    variant = attributes.get(_VARIANTS.get(node.op_type, ""), b"").decode()
    return node.op_type if variant in _PLAIN else f"{node.op_type}:{variant}"


def _dtypes(proto: onnx.ModelProto) -> dict[str, np.dtype[Any]]:
    """Return the dtypes of the tensors at the top of a model."""
    try:
        inferred = onnx.shape_inference.infer_shapes(proto)
    except Exception:  # what inference stumbles over may still run
        inferred = proto
    graph = inferred.graph
    numbers = {
        value.name: value.type.tensor_type.elem_type
        for value in (*graph.input, *graph.output, *graph.value_info)
    }
    numbers.update((tensor.name, tensor.data_type) for tensor in graph.initializer)
    return {name: DTYPES[number] for name, number in numbers.items() if number in DTYPES}
