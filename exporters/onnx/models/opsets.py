"""Bringing a model to the opset of the file it becomes part of."""

from __future__ import annotations

from functools import lru_cache

import onnx
import onnx.checker
import onnx.defs
import onnx.version_converter

from exporters.errors import OpsetError
from exporters.onnx.models import corrections
from exporters.onnx.models.graphs import all_graphs, all_nodes, keep_only
from exporters.onnx.models.signature import parsed
from exporters.onnx.models.tensors import DTYPES


@lru_cache(maxsize=32)
def at_opset(model: bytes, title: str, opset: int) -> onnx.ModelProto:
    """Return a model whose own ONNX operators are those of an opset; nobody may change it.

    Raises:
        OpsetError: An operator has no form in that opset.
    """
    proto = parsed(model)
    version = own_opset(proto)
    if version in (0, opset) or all(
        _is_same(node, version, opset) for node in all_nodes(proto.graph) if not node.domain
    ):
        return proto
    try:
        return _converted(proto, opset)
    except Exception as error:  # the converter's and the checker's own
        better = (
            f"export with opset={version}" if version > opset else "convert the model itself"
        )
        raise OpsetError(
            f"{title}: the model is of opset {version} and has no form in opset {opset}: "
            f"{_reason(error)}\n  hint: {better}"
        ) from error


def own_opset(proto: onnx.ModelProto) -> int:
    """Return the version of ONNX's own operators in a model; 0 if it has none."""
    return max(
        (o.version for o in proto.opset_import if o.domain in ("", "ai.onnx")), default=0
    )


def imported(proto: onnx.ModelProto) -> dict[str, int]:
    """Return the versions of the other domains that a model's nodes are from."""
    used = {node.domain for node in all_nodes(proto.graph) if node.domain}
    return {o.domain: o.version for o in proto.opset_import if o.domain in used}


def same_in_domain(proto: onnx.ModelProto, domain: str, version: int, other: int) -> bool:
    """Whether every node of a domain means the same in two versions of it."""
    return version == other or all(
        _is_same(node, version, other)
        for node in all_nodes(proto.graph)
        if node.domain == domain
    )


def _is_same(node: onnx.NodeProto, version: int, other: int) -> bool:
    """Whether an operator has one definition in two versions; unknown ones have not."""
    try:
        found = [
            onnx.defs.get_schema(node.op_type, number, node.domain).since_version
            for number in (version, other)
        ]
    except onnx.defs.SchemaError:
        return False
    return found[0] == found[1]


def _converted(proto: onnx.ModelProto, opset: int) -> onnx.ModelProto:
    """Convert with ONNX's converter, which knows neither newer dtypes nor their tensors."""
    apart = onnx.ModelProto()
    apart.CopyFrom(proto)
    graph = apart.graph
    exotic = [t for t in graph.initializer if t.data_type not in DTYPES]
    keep_only(graph.initializer, [t for t in graph.initializer if t.data_type in DTYPES])
    for tensor in exotic:
        value = graph.input.add(name=tensor.name)
        value.type.tensor_type.elem_type = tensor.data_type
        for size in tensor.dims:
            value.type.tensor_type.shape.dim.add().dim_value = size
    inputs = [value.name for value in proto.graph.input]
    corrections.prepare(apart, own_opset(proto), opset)
    made = onnx.version_converter.convert_version(apart, opset)
    corrections.finish(made, own_opset(proto))
    by_name = {value.name: value for value in made.graph.input}
    keep_only(made.graph.input, [by_name[name] for name in inputs])
    made.graph.initializer.extend(exotic)
    made.ir_version = max(made.ir_version, proto.ir_version)
    for inner in all_graphs(made.graph):
        del inner.value_info[:]
    _check(made)
    return made


def _check(proto: onnx.ModelProto) -> None:
    """Run ONNX's checker, which wants shapes of outputs even where nobody knows them."""
    complete = onnx.ModelProto()
    complete.CopyFrom(proto)
    for value in complete.graph.output:
        value.type.tensor_type.shape.SetInParent()
    onnx.checker.check_model(complete)


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text.rpartition("failed: ")[2][:200] or type(error).__name__
