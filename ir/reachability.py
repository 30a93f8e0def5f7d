"""What feeds a value, what depends on it, and the part of a graph between values."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ir.dims import Dim, as_symbol
from ir.errors import InvalidGraphError
from ir.graph import Graph, Value
from ir.passes.rewriting import mapped_node
from ir.printer import value_names
from ir.symbols import symbol_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ir.dims import Symbol
    from ir.graph import Node

ValueLike: TypeAlias = "Value | str"
"""A value of a graph, the name of an output, or what the printer calls a value (``%3``, ``x``)."""


def find_value(graph: Graph, wanted: ValueLike) -> Value:
    """Return the value that is meant.

    Raises:
        InvalidGraphError: The graph has no such value.
    """
    if isinstance(wanted, Value):
        if any(value is wanted for value in graph.values()):
            return wanted
        raise InvalidGraphError(f"{wanted!r} is no value of {graph.name}")
    if wanted in graph.output_names:
        return graph.outputs[graph.output_names.index(wanted)]
    name = wanted.removeprefix("%")
    for value, text in value_names(graph).items():
        if text == name:
            return value
    raise InvalidGraphError(f"{graph.name}: no value is called {wanted!r}")


def ancestors(graph: Graph, *wanted: ValueLike) -> tuple[Value, ...]:
    """Return every value that feeds the given ones, in graph order, without them.

    A value whose size is asked for counts as feeding too: it defines the symbol.
    """
    ends = [find_value(graph, value) for value in wanted]
    found: set[Value] = set()
    stack = list(ends)
    while stack:
        for source in _sources(graph, stack.pop()):
            if source not in found:
                found.add(source)
                stack.append(source)
    return tuple(value for value in graph.values() if value in found and value not in ends)


def descendants(graph: Graph, *wanted: ValueLike) -> tuple[Value, ...]:
    """Return every value that depends on the given ones, in graph order, without them."""
    starts = {find_value(graph, value) for value in wanted}
    reached = set(starts)
    for node in graph.nodes:
        if any(source in reached for source in _read_by(graph, node)):
            reached.update(node.outputs)
    return tuple(value for value in graph.values() if value in reached and value not in starts)


def subgraph(
    graph: Graph,
    inputs: Sequence[ValueLike] | None,
    outputs: Sequence[ValueLike],
    name: str | None = None,
) -> Graph:
    """Return the part of a graph that computes ``outputs`` from ``inputs``, as a graph.

    Args:
        graph: The whole.
        inputs: Where to cut; the graph's own inputs, as far as needed, when ``None``. A constant
            becomes an input with its data as default.
        outputs: What to compute.
        name: The new graph's name; the old one when left out.

    Raises:
        InvalidGraphError: A value is unknown, the outputs need an input that is not listed, or a
            size that no listed input has on an axis of its own.
    """
    ends = [find_value(graph, value) for value in outputs]
    cut = None if inputs is None else [find_value(graph, value) for value in inputs]
    needed = _needed(graph, ends, set(cut or ()))
    if cut is None:
        cut = [value for value in graph.inputs if value in needed]
    for value in graph.inputs:
        if value in needed and value not in cut:
            raise InvalidGraphError(
                f"{graph.name}: the outputs need input {value.name!r}, which is not listed"
            )
    names = value_names(graph)
    replacement: dict[Value, Value] = {}
    for value, title in zip(cut, _unique(_title(value, names) for value in cut), strict=True):
        replacement[value] = Value(value.type, title, value.data)
    constants = tuple(v for v in graph.constants if v in needed and v not in replacement)
    given = dict(replacement)
    nodes = []
    for node in graph.nodes:
        if any(value in needed and value not in given for value in node.outputs):
            nodes.append(mapped_node(node, replacement))
            replacement.update(given)  # a cut result of a node that others still need
    made = tuple(replacement[value] for value in cut)
    results = tuple(replacement.get(value, value) for value in ends)
    declared = dict(zip(graph.outputs, graph.output_names, strict=True))
    titles = [
        title
        if isinstance(title, str) and title in graph.output_names
        else declared.get(value)
        for title, value in zip(outputs, ends, strict=True)
    ]
    return Graph(
        made,
        constants,
        tuple(nodes),
        results,
        tuple(
            _unique(
                _title(v, names) if t is None else t for t, v in zip(titles, ends, strict=True)
            )
        ),
        symbols=symbol_definitions(made, nodes, results, nested=bool(graph.free_symbols)),
        name=graph.name if name is None else name,
        metadata=graph.metadata,
    )


def _needed(graph: Graph, ends: list[Value], cut: set[Value]) -> set[Value]:
    """Return what the ends need, the cut values among it; sizes of cut values are known."""
    given: set[Symbol] = set()
    for value in cut:
        symbols = (as_symbol(dim) for dim in value.type.shape if isinstance(dim, Dim))
        given.update(symbol for symbol in symbols if symbol is not None)
    needed = set(ends)
    stack = list(ends)
    while stack:
        value = stack.pop()
        if value in cut:
            continue
        for source in _sources(graph, value, given):
            if source not in needed:
                needed.add(source)
                stack.append(source)
    return needed


def _sources(graph: Graph, value: Value, given: Iterable[Symbol] = ()) -> Iterator[Value]:
    """Iterate over the operands behind a value and the values that define its op's symbols."""
    if value.producer is not None:
        yield from _read_by(graph, value.producer, given)


def _read_by(graph: Graph, node: Node, given: Iterable[Symbol] = ()) -> Iterator[Value]:
    yield from node.inputs
    for symbol in node.op.symbols:
        site = graph.symbols.get(symbol)
        if site is not None and symbol not in given and site.value.producer is not node:
            yield site.value


def _title(value: Value, names: dict[Value, str]) -> str:
    """Return what a value is called as an input or output: a bare number is no name."""
    return names[value] if value.name is not None else f"v{names[value]}"


def _unique(names: Iterable[str]) -> list[str]:
    made: list[str] = []
    for name in names:
        unique, number = name, 1
        while unique in made:
            number += 1
            unique = f"{name}_{number}"
        made.append(unique)
    return made
