"""Ops that hold graphs: branches and loops as subgraphs, calls as model-local functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnx

from exporters.onnx.element_types import ELEMENT_TYPES
from exporters.onnx.emitter import FUNCTION_DOMAIN
from exporters.onnx.legality import INT64
from exporters.onnx.loops import Body, declare
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.term import Term
from exporters.onnx.weights import EXTERNAL_THRESHOLD
from ir.dims import symbols_of
from ir.ops import nested

if TYPE_CHECKING:
    import numpy as np

    from exporters.onnx.emitter import Emitter
    from ir.dims import Shape
    from ir.graph import Graph


def _sizes(context: Context, dims: Shape) -> list[Term]:
    """Return the numbers that free symbols take, written before the subgraph they go into."""
    return [context.sizes.dim(dim) for dim in dims]


# --- branches -----------------------------------------------------------------------------


@lowers(nested.If)
def if_(context: Context, condition: Term, *operands: Term) -> tuple[Term, ...]:
    """ONNX ``If``; its branches name the operands directly."""
    op, emitter = context.node.op, context.emitter
    assert isinstance(op, nested.If)
    branches = {
        "then_branch": _branch(context, op.then_graph, operands, op.then_dims),
        "else_branch": _branch(context, op.else_graph, operands, op.else_dims),
    }
    dtypes = [type.dtype for type in op.results]
    return emitter.nodes("If", condition, results=dtypes, **branches)


def _branch(
    context: Context, graph: Graph, operands: tuple[Term, ...], dims: Shape
) -> onnx.GraphProto:
    emitter = context.emitter
    sizes = _sizes(context, dims)
    body = onnx.GraphProto(name=emitter.names.fresh("branch"))
    with emitter.inside(body):
        for result in context.inline(graph, operands, sizes):
            # an output of its own name: the result may be an operand, or come twice
            declare(body.output.add(), emitter.node("Identity", result), scalar=False)
    return body


# --- loops --------------------------------------------------------------------------------


@lowers(nested.Loop)
def loop(context: Context, limit: Term, going: Term, *operands: Term) -> tuple[Term, ...]:
    """ONNX ``Loop``; stacks get their other axes back, which no trip at all leaves unknown."""
    op, emitter = context.node.op, context.emitter
    assert isinstance(op, nested.Loop)
    carries, captures = operands[: op.carried], operands[op.carried :]
    sizes = _sizes(context, op.dims)
    body = Body(emitter, carries)
    with emitter.inside(body.proto):
        inner = (body.index, *body.carried, *captures)
        body.finish(context.inline(op.body, inner, sizes))
    dtypes = [type.dtype for type in op.results]
    results = emitter.nodes("Loop", limit, going, *carries, results=dtypes, body=body.proto)
    stacks = zip(results[op.carried :], op.results[op.carried :], strict=True)
    return (*results[: op.carried], *(_stack(context, s, t.shape) for s, t in stacks))


def _stack(context: Context, stack: Term, shape: Shape) -> Term:
    op, emitter = context.node.op, context.emitter
    assert isinstance(op, nested.Loop)
    fresh = set(symbols_of(op.fresh))
    if fresh & set(symbols_of(shape[1:])):
        return stack  # sizes found inside the body; of no trip there is nothing to find
    count = emitter.node("Shape", stack, result=INT64, start=0, end=1)
    target = emitter.node("Concat", count, context.sizes.vector(shape[1:]), axis=0)
    return emitter.apply("Reshape", stack, target, allowzero=1)


# --- calls --------------------------------------------------------------------------------


@lowers(nested.Call)
def call(context: Context, *operands: Term) -> tuple[Term, ...]:
    """A node of a model-local function: operands, then sizes, then the function's weights."""
    op, emitter = context.node.op, context.emitter
    assert isinstance(op, nested.Call)
    sizes = _sizes(context, op.dims)
    function, arrays = _function(context, op.graph)
    weights = [emitter.weight(array, f"{function.name}_weight") for array in arrays]
    results = [Term(emitter, emitter.fresh(function.name), type.dtype) for type in op.results]
    names = [term.name for term in (*operands, *sizes)]
    outputs = [term.name for term in results]
    emitter.write(function.name, [*names, *weights], outputs, domain=FUNCTION_DOMAIN)
    return tuple(results)


def _function(
    context: Context, graph: Graph
) -> tuple[onnx.FunctionProto, list[np.ndarray[Any, Any]]]:
    """Return the function of a graph, written at its first call."""
    emitter = context.emitter
    for known, function, arrays in emitter.calls:
        if known is graph or known == graph:
            return function, arrays
    names = emitter.names
    body = onnx.GraphProto()
    operands = [
        Term(emitter, names.hinted(str(value.name)), value.type.dtype)
        for value in graph.inputs
    ]
    sizes = [Term(emitter, names.hinted(symbol.name), INT64) for symbol in graph.free_symbols]
    prefix, emitter.prefix = emitter.prefix, ""
    with emitter.isolated(body) as constants:
        outputs = [
            emitter.node("Identity", result)
            for result in context.inline(graph, operands, sizes)
        ]
    emitter.prefix = prefix
    function = onnx.FunctionProto(
        domain=FUNCTION_DOMAIN, name=names.hinted(graph.name or "function")
    )
    function.input.extend(term.name for term in (*operands, *sizes))
    arrays = []
    for name, array in constants.items():
        if array.nbytes < EXTERNAL_THRESHOLD:
            _add_constant(function, name, array)
        else:
            function.input.append(name)
            arrays.append(array)
    function.node.extend(body.node)
    function.output.extend(term.name for term in outputs)
    _import_opsets(function, emitter)
    emitter.functions.append(function)
    emitter.calls.append((graph, function, arrays))
    return function, arrays


def _add_constant(
    function: onnx.FunctionProto, name: str, array: np.ndarray[Any, Any]
) -> None:
    """Write a small constant as a node: functions hold no initializers."""
    node = function.node.add(op_type="Constant")
    node.output.append(name)
    attribute = node.attribute.add(name="value", type=onnx.AttributeProto.TENSOR)
    attribute.t.data_type = ELEMENT_TYPES[array.dtype]
    attribute.t.dims.extend(array.shape)
    attribute.t.raw_data = array.tobytes()


def _import_opsets(function: onnx.FunctionProto, emitter: Emitter) -> None:
    versions = {"": emitter.opset, FUNCTION_DOMAIN: 1, **emitter.embedded.domains}
    used = {node.domain for node in _all_nodes(function.node)}
    for domain, version in versions.items():
        if domain in used or not domain:
            function.opset_import.add(domain=domain, version=version)


def _all_nodes(nodes: Any) -> list[onnx.NodeProto]:
    """Return nodes and those of their subgraphs."""
    found = list(nodes)
    for node in found:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found.extend(attribute.g.node)
    return found
