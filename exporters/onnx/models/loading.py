"""From an ONNX file to a callable model: functions inlined, large tensors set apart."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import onnx
import onnx.inliner
import onnx.shape_inference

from exporters.errors import ModelError
from exporters.onnx.models.graphs import (
    DEFAULT_DOMAINS,
    all_graphs,
    all_nodes,
    defined_names,
    keep_only,
    needed_nodes,
    rename,
    subgraphs,
)
from exporters.onnx.models.loaded import LoadedModel
from exporters.onnx.models.parts import Parts
from exporters.onnx.models.tensors import DTYPES, array_of, byte_size, dense, with_data
from exporters.onnx.summary import NotOnnxError
from exporters.onnx.weights import EXTERNAL_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np

    Array = np.ndarray[Any, Any]

Source = onnx.ModelProto | bytes | str | os.PathLike[str]


def load_onnx(
    model: onnx.ModelProto | bytes | str | os.PathLike[str],
    *,
    outputs: Sequence[str] | None = None,
    shapes: Mapping[str, Sequence[int | str | None]] | None = None,
    name: str | None = None,
) -> LoadedModel:
    """Load an ONNX model as a function of arrays.

    Called on captured arrays it becomes one node of the graph, and on export part of the file;
    called on others it runs in ONNX Runtime. See ``docs/composing.md``.

    Args:
        model: The path of a file, its bytes, or a model in memory. Weights in external files are
            mapped, not read.
        outputs: The outputs wanted, in this order; any tensor inside the model may be one. All
            of the model's own by default.
        shapes: Sizes of inputs or outputs to believe instead of those the file declares:
            numbers, names, or ``None`` where nothing is known.
        name: What to call the model in messages and in the exported file; by default the file's
            name, or that of its graph.

    Returns:
        A callable that takes the model's inputs, by position or by name.

    Raises:
        NotOnnxError: It is no ONNX model.
        ModelError: A part is missing, an output is unknown, or an input or output is not a
            tensor of a dtype that arrays here may have.
        OSError: The file cannot be read.
    """
    proto, folder, stem = _read(model)
    title = name or stem or proto.graph.name or "model"
    try:
        return LoadedModel(title, _taken_apart(proto, folder, outputs, shapes or {}))
    except ModelError as error:
        raise ModelError(f"{title}: {error}") from None


class _Read(NamedTuple):
    proto: onnx.ModelProto
    folder: Path | None
    stem: str


def _read(model: Source) -> _Read:
    """Return a model of the caller's own, without external data."""
    if isinstance(model, onnx.ModelProto):
        own = onnx.ModelProto()
        own.CopyFrom(model)
        return _Read(own, None, "")
    try:
        if isinstance(model, bytes):
            read = _Read(onnx.load_from_string(model), None, "")
        else:
            path = Path(model)
            proto = onnx.load(os.fspath(path), load_external_data=False)
            read = _Read(proto, path.parent, path.stem)
    except OSError:
        raise
    except Exception as error:  # protobuf's own, whose module has no types
        source = "bytes" if isinstance(model, bytes) else os.fspath(model)
        raise NotOnnxError(f"{source}: no ONNX model: {error}") from None
    if not read.proto.HasField("graph"):
        raise NotOnnxError(f"{read.stem or 'bytes'}: no ONNX model: it has no graph")
    return read


def _taken_apart(
    proto: onnx.ModelProto,
    folder: Path | None,
    outputs: Sequence[str] | None,
    shapes: Mapping[str, Sequence[int | str | None]],
) -> Parts:
    if proto.functions:
        _fill_in_attributes(proto)
        proto = onnx.inliner.inline_local_functions(proto, convert_version=True)
    graph = proto.graph
    for node in all_nodes(graph):
        if node.domain in DEFAULT_DOMAINS:
            node.domain = ""
    for inner in all_graphs(graph):
        _constants_as_initializers(inner)
    _choose_outputs(proto, outputs)
    _declare_shapes(graph, shapes)
    _drop_unused(graph)
    del graph.value_info[:]
    del graph.quantization_annotation[:]
    defaults = _defaults(proto)
    weights = _Lifting(proto, folder).lifted()
    inputs = [value.name for value in graph.input if value.name not in set(weights)]
    for value in graph.input[: len(inputs)]:
        _expect_tensor("input", value)
    _type_outputs(proto)
    for value in graph.output:
        _expect_tensor("output", value)
    return Parts(proto, tuple(inputs), defaults, weights)


def _fill_in_attributes(proto: onnx.ModelProto) -> None:
    """Give calls of functions the attributes they leave to their default; inlining drops those."""
    functions = {(f.domain, f.name): f for f in proto.functions}
    nodes = list(all_nodes(proto.graph))
    for function in proto.functions:
        for node in function.node:
            nodes += [node, *(inner for g in subgraphs(node) for inner in all_nodes(g))]
    for node in nodes:
        called = functions.get((node.domain, node.op_type))
        if called is not None:
            given = {attribute.name for attribute in node.attribute}
            node.attribute.extend(a for a in called.attribute_proto if a.name not in given)


def _constants_as_initializers(graph: onnx.GraphProto) -> None:
    """Turn large or sparse Constant nodes, and sparse initializers, into dense initializers."""
    nodes = []
    for node in graph.node:
        tensor = _tensor_of(node)
        if tensor is None:
            nodes.append(node)
        else:
            made = graph.initializer.add()
            made.CopyFrom(tensor)
            made.name = node.output[0]
    if len(nodes) < len(graph.node):
        keep_only(graph.node, nodes)
    for sparse in graph.sparse_initializer:
        graph.initializer.add().CopyFrom(dense(sparse))
    del graph.sparse_initializer[:]


def _tensor_of(node: onnx.NodeProto) -> onnx.TensorProto | None:
    if node.op_type != "Constant" or node.domain or not node.attribute:
        return None
    attribute = node.attribute[0]
    if attribute.type == onnx.AttributeProto.SPARSE_TENSOR:
        return dense(attribute.sparse_tensor)
    if attribute.type == onnx.AttributeProto.TENSOR and _is_weight(attribute.t):
        tensor: onnx.TensorProto = attribute.t
        return tensor
    return None


def _is_weight(tensor: onnx.TensorProto) -> bool:
    """Whether a tensor is set apart; what shape inference reads is smaller."""
    return tensor.data_type in DTYPES and byte_size(tensor) >= EXTERNAL_THRESHOLD


# --- the boundary -------------------------------------------------------------------------


def _choose_outputs(proto: onnx.ModelProto, outputs: Sequence[str] | None) -> None:
    graph = proto.graph
    declared = {value.name: value for value in graph.output}
    if outputs is None:
        return
    if not outputs or len(set(outputs)) != len(outputs):
        raise ModelError(f"outputs must be given and differ: {list(outputs)}")
    known = set(defined_names(graph))
    values = {value.name: value for value in (*graph.value_info, *graph.input)}
    chosen = []
    for name in outputs:
        if name not in declared and name not in known:
            raise ModelError(f"no output {name!r}; outputs are {list(declared)}")
        value = onnx.ValueInfoProto(name=name)
        value.CopyFrom(declared.get(name) or values.get(name) or value)
        if not value.HasField("type"):
            value.type.tensor_type.SetInParent()
        chosen.append(value)
    del graph.output[:]
    graph.output.extend(chosen)


def _type_outputs(proto: onnx.ModelProto) -> None:
    """Find the dtypes of outputs that the file does not declare as such."""
    if all(
        value.type.tensor_type.elem_type or not _is_tensor(value)
        for value in proto.graph.output
    ):
        return
    try:
        inferred = onnx.shape_inference.infer_shapes(proto)
    except Exception as error:  # the runtime's own; without it nothing is known
        raise ModelError(f"types of its outputs cannot be inferred: {error}") from None
    for value, found in zip(proto.graph.output, inferred.graph.output, strict=True):
        value.type.CopyFrom(found.type)


def _is_tensor(value: onnx.ValueInfoProto) -> bool:
    return bool(value.type.WhichOneof("value") == "tensor_type")


def _declare_shapes(
    graph: onnx.GraphProto, shapes: Mapping[str, Sequence[int | str | None]]
) -> None:
    values = {value.name: value for value in (*graph.input, *graph.output)}
    for name, shape in shapes.items():
        if name not in values:
            raise ModelError(f"shapes: no input or output {name!r}; there are {list(values)}")
        tensor = values[name].type.tensor_type
        tensor.ClearField("shape")
        tensor.shape.SetInParent()
        for size in shape:
            axis = tensor.shape.dim.add()
            if isinstance(size, int):
                axis.dim_value = size
            elif size is not None:
                axis.dim_param = size


def _expect_tensor(kind: str, value: onnx.ValueInfoProto) -> None:
    """Raise unless a value is a tensor of a dtype that captured values may have."""
    found = value.type.WhichOneof("value")
    if found == "tensor_type":
        number = value.type.tensor_type.elem_type
        if number in DTYPES:
            return
        found = f"a tensor of {onnx.TensorProto.DataType.Name(number).lower()}"
    else:
        found = f"no tensor but a {(found or 'value without a type').removesuffix('_type')}"
    hint = "\n  ways out: load_onnx(…, outputs=[…]) with the tensors wanted, also inner ones"
    raise ModelError(f"{kind} {value.name!r} is {found}" + (hint if kind == "output" else ""))


def _drop_unused(graph: onnx.GraphProto) -> None:
    """Keep the nodes that the outputs need, in an order that runs, and what they read."""
    needed = needed_nodes(graph.node, [value.name for value in graph.output])
    keep_only(graph.node, [graph.node[position] for position in needed])
    used = {value.name for value in graph.output}
    for node in all_nodes(graph):
        used.update(node.input)
    for inner in all_graphs(graph):
        used.update(value.name for value in inner.output)
    unused = {tensor.name for tensor in graph.initializer} - used
    if unused:
        keep_only(graph.initializer, [t for t in graph.initializer if t.name not in unused])
        keep_only(graph.input, [value for value in graph.input if value.name not in unused])


def _defaults(proto: onnx.ModelProto) -> tuple[str, ...]:
    """Return the inputs that have a default, which need not be given; they stop being inputs.

    Before version 4 of the format every initializer had to be listed as an input.
    """
    graph = proto.graph
    given = {tensor.name for tensor in graph.initializer}
    optional = tuple(value.name for value in graph.input if value.name in given)
    keep_only(graph.input, [value for value in graph.input if value.name not in given])
    if proto.ir_version >= 4:
        return optional
    proto.ir_version = 4
    return ()


# --- weights ------------------------------------------------------------------------------


class _Lifting:
    """Turns large initializers, those of subgraphs too, into inputs of the model."""

    def __init__(self, proto: onnx.ModelProto, folder: Path | None) -> None:
        self._graph = proto.graph
        self._folder = folder
        self._taken = {
            name for inner in all_graphs(proto.graph) for name in defined_names(inner)
        }
        self._weights: dict[str, Array] = {}

    def lifted(self) -> dict[str, Array]:
        """Return the arrays by name, after making the model's inputs of them."""
        for inner in list(all_graphs(self._graph)):
            self._lift(inner)
        return self._weights

    def _lift(self, graph: onnx.GraphProto) -> None:
        kept: list[onnx.TensorProto] = []
        moved: dict[str, str] = {}
        given = {value.name for value in graph.output} if graph is not self._graph else ()
        for tensor in graph.initializer:
            if not _is_weight(tensor) or tensor.name in given:  # a subgraph gives only its own
                kept.append(with_data(tensor, self._folder))
                continue
            name = tensor.name
            if graph is not self._graph:
                moved[tensor.name] = name = self._fresh(name)
            self._weights[name] = array_of(tensor, self._folder)
            value = self._graph.input.add(name=name)
            value.type.tensor_type.elem_type = tensor.data_type
            for size in tensor.dims:
                value.type.tensor_type.shape.dim.add().dim_value = size
        keep_only(graph.initializer, kept)
        if moved:
            _rename_reads(graph, moved, self._fresh)

    def _fresh(self, name: str) -> str:
        number, found = 1, name
        while found in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found


def _rename_reads(
    graph: onnx.GraphProto, names: Mapping[str, str], fresh: Callable[[str], str]
) -> None:
    for node in graph.node:
        rename(node, names, fresh)
    for value in graph.output:
        value.name = names.get(value.name, value.name)
