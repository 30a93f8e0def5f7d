"""What an ONNX file holds, read without its external weights."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import onnx
import onnx.helper

from exporters.errors import ModelError
from exporters.onnx.element_types import ELEMENT_TYPES
from exporters.onnx.kernels import MINIMAL_RUNTIME
from ir.types import DTYPE_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMES = {number: DTYPE_NAMES[dtype] for dtype, number in ELEMENT_TYPES.items()}


class NotOnnxError(ModelError):
    """The file is no ONNX model."""


class ModelSummary(NamedTuple):
    """Counts and boundary of a model.

    Attributes:
        producer: The program that wrote it.
        opset: Version of the default operator set; 0 if it imports none.
        ir_version: Version of the file format.
        minimal_runtime: The oldest runtime known to run it; empty if the file does not say.
        inputs: Types of the inputs by name.
        outputs: Types of the outputs by name.
        ops: Nodes by operator, most frequent first.
        initializers: How many weights.
        parameters: Elements in all weights.
        text: One line a node, in the form of a graph's text.
    """

    producer: str
    opset: int
    ir_version: int
    minimal_runtime: str
    inputs: dict[str, str]
    outputs: dict[str, str]
    ops: dict[str, int]
    initializers: int
    parameters: int
    text: str

    @property
    def nodes(self) -> int:
        """Number of nodes at the top level."""
        return sum(self.ops.values())

    def __str__(self) -> str:
        ops = ", ".join(f"{name} {count}" for name, count in self.ops.items())
        return (
            f"{self.nodes} nodes ({ops})\n"
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs, "
            f"{self.initializers} initializers ({self.parameters:,} elements)\n"
            f"opset {self.opset}, IR version {self.ir_version}, written by "
            f"{self.producer or 'an unnamed program'}"
            + (f"\nneeds {self.minimal_runtime} or later" if self.minimal_runtime else "")
        )


def summarize(path: str | os.PathLike[str]) -> ModelSummary:
    """Return the summary of a file.

    Raises:
        NotOnnxError: The file is no ONNX model.
        OSError: The file cannot be read.
    """
    try:
        model = onnx.load(os.fspath(path), load_external_data=False)
    except OSError:
        raise
    except Exception as error:  # protobuf's own, whose module has no types
        raise NotOnnxError(f"{os.fspath(path)}: no ONNX model: {error}") from None
    if not model.HasField("graph"):
        raise NotOnnxError(f"{os.fspath(path)}: no ONNX model: it has no graph")
    graph = model.graph
    weights = {tensor.name for tensor in graph.initializer}
    ops = Counter(_operator(node) for node in graph.node)
    return ModelSummary(
        producer=f"{model.producer_name} {model.producer_version}".strip(),
        opset=max(
            (o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), default=0
        ),
        ir_version=model.ir_version,
        minimal_runtime=minimal_runtime(model),
        inputs=_types(value for value in graph.input if value.name not in weights),
        outputs=_types(graph.output),
        ops=dict(sorted(ops.items(), key=lambda item: (-item[1], item[0]))),
        initializers=len(graph.initializer),
        parameters=sum(_elements(tensor) for tensor in graph.initializer),
        text=_text(graph),
    )


def minimal_runtime(model: onnx.ModelProto) -> str:
    """Return the oldest runtime that a model says it runs in, or an empty string."""
    return next((p.value for p in model.metadata_props if p.key == MINIMAL_RUNTIME), "")


def _text(graph: onnx.GraphProto) -> str:
    inputs = ", ".join(f"%{name}: {type_}" for name, type_ in _types(graph.input).items())
    lines = [
        f"  %{tensor.name} = initializer : "
        f"{_type_text(tensor.data_type, [str(size) for size in tensor.dims])}"
        for tensor in graph.initializer
    ]
    body = [(_node_text(node), node.doc_string) for node in graph.node]
    width = min(max((len(text) for text, _ in body), default=0), 76)
    for text, source in body:
        where = f"# {source.splitlines()[0]}" if source else ""
        lines.append(f"  {text:<{width}}  {where}".rstrip())
    returned = ", ".join(f"%{name}: {type_}" for name, type_ in _types(graph.output).items())
    return "\n".join([f"onnx {graph.name}({inputs}) {{", *lines, f"  return {returned}", "}"])


def _node_text(node: onnx.NodeProto) -> str:
    results = ", ".join(f"%{name}" for name in node.output)
    operands = ", ".join(f"%{name}" if name else "-" for name in node.input)
    attributes = ", ".join(_attribute(attribute) for attribute in node.attribute)
    parts = (_operator(node), operands, f"{{{attributes}}}" if attributes else "")
    return f"{results} = {' '.join(part for part in parts if part)}"


def _attribute(attribute: onnx.AttributeProto) -> str:
    if attribute.type == onnx.AttributeProto.GRAPH:
        return f"{attribute.name}=<graph of {len(attribute.g.node)} nodes>"
    if attribute.type == onnx.AttributeProto.TENSOR:
        sizes = [str(size) for size in attribute.t.dims]
        return f"{attribute.name}=<{_type_text(attribute.t.data_type, sizes)}>"
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return f"{attribute.name}={value.decode('utf-8', 'backslashreplace')}"
    return f"{attribute.name}={list(value) if hasattr(value, '__iter__') else value}"


def _operator(node: onnx.NodeProto) -> str:
    return f"{node.domain}.{node.op_type}" if node.domain else node.op_type


def _types(values: Iterable[onnx.ValueInfoProto]) -> dict[str, str]:
    return {value.name: _declared_type(value.type) for value in values}


def _declared_type(type_: onnx.TypeProto) -> str:
    if not type_.HasField("tensor_type"):
        return type_.WhichOneof("value") or "?"
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        return f"{_type_text(tensor.elem_type, [])[:-2]}[...]"
    sizes = [
        str(dim.dim_value)
        if dim.HasField("dim_value")
        else dim.dim_param.replace(" ", "") or "?"
        for dim in tensor.shape.dim
    ]
    return _type_text(tensor.elem_type, sizes)


def _type_text(element_type: int, sizes: list[str]) -> str:
    name = _NAMES.get(element_type)
    if name is None:
        known = onnx.TensorProto.DataType.values()
        name = onnx.TensorProto.DataType.Name(element_type) if element_type in known else "?"
    return f"{name.lower()}[{','.join(sizes)}]"


def _elements(tensor: onnx.TensorProto) -> int:
    count = 1
    for size in tensor.dims:
        count *= size
    return count
