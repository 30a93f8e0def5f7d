"""From a finished graph to an ONNX model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import onnx
import onnx.helper

from exporters.errors import ExportError
from exporters.onnx import weights
from exporters.onnx.element_types import ELEMENT_TYPES
from exporters.onnx.emitter import FUNCTION_DOMAIN, Emitter
from exporters.onnx.kernels import MINIMAL_RUNTIME, oldest_runtime
from exporters.onnx.naming import Namer, declared_names
from exporters.onnx.requirements import CONSTRAINTS, constraints_text
from exporters.onnx.writer import GraphWriter
from ir.builder import collector_paused
from ir.dims import Dim
from ir.graph import DOC
from ir.metadata import unwritable
from ir.passes import without_unread_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from exporters.onnx.legality import Optimize, Target
    from ir.graph import Graph, Value

PRODUCER = "graph-capture"
VERSION = "0.1.0"
"""Written down rather than asked of the installation, on which the bytes must not depend."""


class Options(NamedTuple):
    """How to write a model; the parameters of :func:`to_onnx`."""

    opset: int = 20
    target: Target = "onnxruntime"
    optimize: Optimize = 1
    metadata: Mapping[str, str] | None = None
    doc_strings: bool = True
    keep_unused_inputs: bool = True

    def declared(self, graph: Graph) -> Graph:
        """Return the graph with the inputs that are to be declared."""
        return graph if self.keep_unused_inputs else without_unread_inputs(graph)


def to_onnx(
    graph: Graph,
    *,
    opset: int = 20,
    target: Target = "onnxruntime",
    optimize: Optimize = 1,
    metadata: Mapping[str, str] | None = None,
    doc_strings: bool = True,
    keep_unused_inputs: bool = True,
) -> onnx.ModelProto:
    """Return the graph as an ONNX model with its weights inside.

    Args:
        graph: A finished graph with at least one output.
        opset: The ONNX operator-set version, 17 or later.
        target: ``"onnxruntime"`` detours through dtypes that its CPU kernels have, exactly;
            ``"standard"`` writes the plain form that the ONNX specification allows.
        optimize: How far to fuse ops into larger operators: 0 not at all, 1 where every value
            stays what it was, 2 to what an expert would write by hand, where NaN, infinities, the
            sign of zero and the digits of extreme numbers may change.
        metadata: Entries for the model's ``metadata_props``, over those of the graph.
        doc_strings: Whether nodes carry the user's source line.
        keep_unused_inputs: Whether the model declares inputs that nothing reads.

    Returns:
        A model that is the same, byte for byte, for the same graph and options.

    Raises:
        ExportError: An op has no exact form for its types, the opset is out of range, or the
            weights do not fit one message.
    """
    options = Options(opset, target, optimize, metadata, doc_strings, keep_unused_inputs)
    model, constants = lower(options.declared(graph), options)
    weights.add_inline(model, constants)
    return model


def lower(
    graph: Graph, options: Options
) -> tuple[onnx.ModelProto, dict[str, np.ndarray[Any, Any]]]:
    """Return the model without its initializers, and their arrays by name."""
    opset = options.opset
    if not graph.outputs:
        raise ExportError(f"{graph.name}: a graph without outputs cannot be an ONNX model")
    model = onnx.ModelProto()
    namer = Namer(declared_names(graph))
    emitter = Emitter(model.graph, namer, options.target, opset, options.optimize)
    model.producer_name, model.producer_version = PRODUCER, VERSION
    imported = model.opset_import.add()
    imported.version = opset
    model.ir_version = onnx.helper.find_min_ir_version_for([imported])
    with collector_paused():
        _write_graph(emitter, graph, options.doc_strings)
    for function in emitter.functions:
        model.functions.append(function)
    if emitter.functions:
        local = model.opset_import.add()
        local.domain, local.version = FUNCTION_DOMAIN, 1
    embedded = emitter.embedded
    for domain, version in embedded.domains.items():
        model.opset_import.add(domain=domain, version=version)
    model.ir_version = max(model.ir_version, embedded.ir_version)
    if embedded.doc_string:
        model.doc_string = embedded.doc_string
    _write_properties(model, emitter, graph, options)
    return model, emitter.constants


def _write_properties(
    model: onnx.ModelProto, emitter: Emitter, graph: Graph, options: Options
) -> None:
    """Write the free texts, those given with the export over those of the graph."""
    problem = unwritable(options.metadata or {})
    if problem is not None:
        raise ExportError(f"metadata {problem}; write str(value) or json.dumps(value)")
    embedded = emitter.embedded
    properties = {**embedded.metadata, **graph.metadata, **(options.metadata or {})}
    for value in (*model.graph.input, *model.graph.output):
        value.doc_string = properties.pop(f"{DOC}{value.name}", "")
    properties.pop(MINIMAL_RUNTIME, None)  # of a file that this was read from
    properties.pop(CONSTRAINTS, None)
    asked = constraints_text(graph)
    if asked:
        properties[CONSTRAINTS] = asked
    oldest = oldest_runtime(emitter.kernels, options.opset)
    if oldest is not None and not embedded.unprobed:  # else nobody knows
        properties[MINIMAL_RUNTIME] = oldest
    for key, text in sorted(properties.items()):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, text


def _write_graph(emitter: Emitter, graph: Graph, doc_strings: bool) -> None:
    """Write the boundary, the nodes, and what ties them together."""
    body = emitter.body
    body.name = graph.name or "graph"
    for value in graph.inputs:
        _declare(body.input.add(), str(value.name), value)
        if value.data is not None:
            emitter.constants[str(value.name)] = value.data
    for name, value in zip(graph.output_names, graph.outputs, strict=True):
        _declare(body.output.add(), name, value)
    inputs = [str(value.name) for value in graph.inputs]
    writer = GraphWriter(emitter, graph, inputs, doc_strings=doc_strings)
    fused = writer.graph
    writer.write(_output_names(fused))
    emitter.location = emitter.prefix = ""
    for name, value in zip(fused.output_names, fused.outputs, strict=True):
        if writer.names[value] != name:
            emitter.write("Identity", [writer.names[value]], [name])
            emitter.kernels.add(("Identity", value.type.dtype))


def _output_names(graph: Graph) -> dict[Value, str]:
    """Name computed outputs as declared; a second name of one value needs an Identity."""
    wanted: dict[Value, str] = {}
    inputs = {str(value.name): value for value in graph.inputs}
    for name, value in zip(graph.output_names, graph.outputs, strict=True):
        if inputs.get(name, value) is not value:
            raise ExportError(
                f"{graph.name}: {name!r} names both an input and a different output, "
                "which one ONNX graph cannot tell apart"
            )
        if value.producer is not None:
            wanted.setdefault(value, name)
    return wanted


def _declare(proto: onnx.ValueInfoProto, name: str, value: Value) -> None:
    proto.name = name
    tensor = proto.type.tensor_type
    tensor.elem_type = ELEMENT_TYPES[value.type.dtype]
    tensor.shape.SetInParent()
    for dim in value.type.shape:
        axis = tensor.shape.dim.add()
        if isinstance(dim, Dim):
            axis.dim_param = str(dim)
        else:
            axis.dim_value = dim
