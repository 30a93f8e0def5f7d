"""A model op as the model's own nodes, under names of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.errors import ExportError, ModelError
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.models.graphs import (
    captured_names,
    needed_nodes,
    read_names,
    rename,
    subgraphs,
)
from exporters.onnx.models.kernels import note_kernels
from exporters.onnx.models.op import OnnxModel
from exporters.onnx.models.opsets import at_opset
from exporters.onnx.models.tensors import DTYPES, array_of
from exporters.onnx.term import Term

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnx

    from ir.graph import Node


@lowers(OnnxModel)
def onnx_model(context: Context, *operands: Term) -> tuple[Term, ...]:
    """Write the nodes that the used results need.

    Raises:
        OpsetError: The model has no form in the file's opset.
        ModelError: It is malformed, as the bytes in a JSON document may be.
    """
    op = context.node.op
    assert isinstance(op, OnnxModel)
    try:
        return _inlined(context, op, operands)
    except (KeyError, TypeError, UnicodeDecodeError) as error:
        raise ModelError(f"{op.title}: malformed: {error}") from error
    except ExportError as error:
        raise _located(error, context.node) from error.__cause__


def _located(error: ExportError, node: Node) -> ExportError:
    """Return an error with the user's line; the types of all weights would say nothing."""
    problem, *hints = str(error).splitlines()
    at = [] if node.location is None else [f"  at {node.location}"]
    located = type(error)("\n".join([problem, *at, *hints]))
    located.located = True
    return located


def _inlined(context: Context, op: OnnxModel, operands: tuple[Term, ...]) -> tuple[Term, ...]:
    emitter = context.emitter
    proto = at_opset(op.model, op.title, emitter.opset)
    emitter.embedded.add(op, proto)
    prefix = emitter.prefix
    emitter.prefix = f"{emitter.names.hinted(op.title, prefix)}/"
    inlining = _Inlining(context, proto.graph, operands)
    used = [context.is_used(value) for value in context.node.outputs]
    names = inlining.write(used)
    note_kernels(emitter, proto, inlining.written)
    emitter.prefix = prefix
    return tuple(
        Term(emitter, name, value.type.dtype)
        for name, value in zip(names, context.node.outputs, strict=True)
    )


class _Inlining:
    """Writes one use of a model into the emitter's body."""

    def __init__(
        self, context: Context, graph: onnx.GraphProto, operands: Sequence[Term]
    ) -> None:
        self._emitter = context.emitter
        self._graph = graph
        self.written: list[onnx.NodeProto] = []
        self._names = {
            value.name: term.name for value, term in zip(graph.input, operands, strict=True)
        }

    def write(self, used: Sequence[bool]) -> list[str]:
        """Write the nodes for some of the outputs; return a name for each output."""
        emitter, graph = self._emitter, self._graph
        outputs = [
            value.name for value, is_used in zip(graph.output, used, strict=True) if is_used
        ]
        nodes = [graph.node[position] for position in needed_nodes(graph.node, outputs)]
        read = set(outputs).union(*map(read_names, nodes))
        for tensor in graph.initializer:
            if tensor.name in read:
                self._names[tensor.name] = self._constant(tensor)
        for node in nodes:
            self._names.update((name, emitter.fresh(name)) for name in node.output if name)
        inside = set[str]().union(*(_read_inside(node) for node in nodes))
        for node in nodes:
            self._write(node)
        return [
            self._result(value.name, is_used, value.name in inside)
            for value, is_used in zip(graph.output, used, strict=True)
        ]

    def _write(self, node: onnx.NodeProto) -> None:
        emitter = self._emitter
        made = emitter.body.node.add()
        made.CopyFrom(node)
        made.name = emitter.fresh(node.name or node.op_type)
        rename(made, self._names, emitter.fresh)
        made.doc_string = emitter.location
        self.written.append(node)

    def _constant(self, tensor: onnx.TensorProto) -> str:
        """Return the name of a tensor of the model: an initializer, or a node of exotic dtypes."""
        emitter = self._emitter
        if tensor.data_type in DTYPES:
            return emitter.weight(array_of(tensor, None), f"{emitter.prefix}{tensor.name}")
        name = emitter.fresh(tensor.name)
        emitter.write("Constant", [], [name], {"value": tensor})
        return name

    def _result(self, name: str, is_used: bool, is_read_inside: bool) -> str:
        """Return the name of an output, which whoever reads it may still change."""
        emitter = self._emitter
        if not is_used:
            return emitter.fresh("unused")
        found = self._names[name]
        if not is_read_inside:
            return found
        result = emitter.fresh(name)
        emitter.write("Identity", [found], [result])
        return result


def _read_inside(node: onnx.NodeProto) -> set[str]:
    """Return what the subgraphs of a node read from around it."""
    return set[str]().union(*map(captured_names, subgraphs(node)))
