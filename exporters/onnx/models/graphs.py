"""Names and nodes of ONNX graphs, subgraphs included: who reads what, who needs whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnx

from exporters.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

DEFAULT_DOMAINS = frozenset(("", "ai.onnx"))
"""Two spellings of ONNX's own operators."""


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """Iterate over the graphs among a node's attributes."""
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        elif attribute.type == onnx.AttributeProto.GRAPHS:
            yield from attribute.graphs


def all_graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """Iterate over a graph and all its subgraphs, outer ones first."""
    yield graph
    for node in graph.node:
        for inner in subgraphs(node):
            yield from all_graphs(inner)


def all_nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """Iterate over the nodes of a graph and of all its subgraphs."""
    for inner in all_graphs(graph):
        yield from inner.node


def keep_only(field: Any, kept: Iterable[Any]) -> None:
    """Leave only some of the messages of a repeated field, in the order given."""
    own = []
    for message in kept:
        copy = type(message)()
        copy.CopyFrom(message)
        own.append(copy)
    del field[:]
    field.extend(own)


def defined_names(graph: onnx.GraphProto) -> Iterator[str]:
    """Iterate over the names that a graph itself defines."""
    for value in graph.input:
        yield value.name
    for tensor in graph.initializer:
        yield tensor.name
    for sparse in graph.sparse_initializer:
        yield sparse.values.name
    for node in graph.node:
        yield from filter(None, node.output)


def read_names(node: onnx.NodeProto) -> set[str]:
    """Return the names that a node takes from its graph, also inside its subgraphs."""
    names = set(filter(None, node.input))
    for inner in subgraphs(node):
        names |= captured_names(inner)
    return names


def captured_names(graph: onnx.GraphProto) -> set[str]:
    """Return the names that a subgraph takes from around it."""
    names = {output.name for output in graph.output}
    for node in graph.node:
        names |= read_names(node)
    return names - set(defined_names(graph))


def needed_nodes(nodes: Sequence[onnx.NodeProto], outputs: Iterable[str]) -> list[int]:
    """Return the positions of the nodes that compute some names, in an order that runs.

    Files of some tools list nodes before their operands; where the given order runs it is kept.

    Raises:
        ModelError: The nodes form a circle.
    """
    producers = {name: k for k, node in enumerate(nodes) for name in node.output if name}
    reads = [
        sorted({producers[name] for name in read_names(node) if name in producers})
        for node in nodes
    ]
    needed: set[int] = set()
    stack = [producers[name] for name in outputs if name in producers]
    while stack:
        position = stack.pop()
        if position not in needed:
            needed.add(position)
            stack.extend(reads[position])
    return _in_order(sorted(needed), reads)


def _in_order(positions: Iterable[int], reads: Sequence[Sequence[int]]) -> list[int]:
    ordered: dict[int, None] = {}
    open_: set[int] = set()
    stack = sorted(positions, reverse=True)
    while stack:
        position = stack[-1]
        missing = [k for k in reads[position] if k not in ordered]
        if not missing:
            ordered.setdefault(stack.pop())
        elif position in open_:
            raise ModelError("its nodes need one another in a circle")
        else:
            open_.add(position)
            stack.extend(reversed(missing))
    return list(ordered)


def rename(
    node: onnx.NodeProto, names: Mapping[str, str], fresh: Callable[[str], str]
) -> None:
    """Rename what a node reads and gives, also inside its subgraphs.

    Args:
        node: Changed in place.
        names: New names by old, for everything that its graph defines.
        fresh: Makes a name for what subgraphs define.
    """
    for fields in (node.input, node.output):
        for position, name in enumerate(fields):
            if name:
                fields[position] = names.get(name, name)
    for inner in subgraphs(node):
        _rename_graph(inner, names, fresh)


def _rename_graph(
    graph: onnx.GraphProto, outer: Mapping[str, str], fresh: Callable[[str], str]
) -> None:
    names = dict(outer)
    names.update({name: fresh(name) for name in dict.fromkeys(defined_names(graph))})
    for value in (*graph.input, *graph.output):
        value.name = names.get(value.name, value.name)
    for tensor in graph.initializer:
        tensor.name = names[tensor.name]
    for sparse in graph.sparse_initializer:
        sparse.values.name = names[sparse.values.name]
    del graph.value_info[:]
    del graph.quantization_annotation[:]
    for node in graph.node:
        if node.name:
            node.name = fresh(node.name)
        rename(node, names, fresh)
