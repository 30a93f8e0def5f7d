"""Definition sites: where each symbol of a graph gets its number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import Dim, as_symbol, symbols_of
from ir.errors import EvaluationError, InvalidGraphError
from ir.graph import Definition
from ir.shapes import shape_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ir.dims import Shape, Symbol
    from ir.graph import Graph, Node, Value
    from ir.types import TensorType


def _sites(values: Iterable[Value]) -> Iterator[tuple[Symbol, Definition]]:
    for value in values:
        for axis, dim in enumerate(value.type.shape):
            if isinstance(dim, Dim):
                symbol = as_symbol(dim)
                if symbol is not None:
                    yield symbol, Definition(value, axis)


def _mentioned(type: TensorType) -> Iterator[Symbol]:
    for dim in type.shape:
        if isinstance(dim, Dim):
            yield from symbols_of(dim)


def symbol_definitions(
    inputs: Iterable[Value],
    nodes: Iterable[Node],
    outputs: Iterable[Value],
    *,
    nested: bool = False,
) -> dict[Symbol, Definition]:
    """Return the definition site of every symbol that the graph mentions.

    Args:
        inputs: The graph's inputs.
        nodes: Its nodes.
        outputs: Its outputs.
        nested: Whether symbols may come from the graph around this one.

    Raises:
        InvalidGraphError: A symbol stands alone on no axis of an input or defining node.
    """
    inputs, nodes = tuple(inputs), tuple(nodes)
    definitions: dict[Symbol, Definition] = {}
    for symbol, site in _sites(inputs):
        definitions.setdefault(symbol, site)
    for node in _with_symbols(nodes):
        if node.op.defines_symbols:
            for symbol, site in _sites(node.outputs):
                definitions.setdefault(symbol, site)
    for symbol, where in _mentions(inputs, nodes, outputs).items():
        if symbol not in definitions and not nested:
            raise InvalidGraphError(
                f"symbol {symbol.name!r} is used by {where!r} but no input or node has an axis "
                f"of exactly {symbol.name!r} to take its number from"
            )
    return definitions


def _mentions(
    inputs: tuple[Value, ...], nodes: tuple[Node, ...], outputs: Iterable[Value]
) -> dict[Symbol, object]:
    """Return every symbol mentioned, with something that mentions it."""
    mentioned: dict[Symbol, object] = {}
    for value in (*inputs, *outputs):
        mentioned.update(dict.fromkeys(_mentioned(value.type), value))
    for node in _with_symbols(nodes):
        mentioned.update(dict.fromkeys(node.op.symbols, node))
    return mentioned


def free_symbols(graph: Graph) -> tuple[Symbol, ...]:
    """Return the symbols that a graph mentions but does not define, sorted by name."""
    mentioned = _mentions(graph.inputs, graph.nodes, graph.outputs)
    return tuple(sorted(s for s in mentioned if s not in graph.symbols))


def _with_symbols(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the nodes that mention or define symbols; most graphs repeat a few ops that do not."""
    ops = {id(node.op): node.op for node in nodes}
    if not any(op.symbols or op.defines_symbols for op in ops.values()):
        return ()
    return tuple(node for node in nodes if node.op.symbols or node.op.defines_symbols)


def match_shape(
    name: str, shape: Shape, concrete: tuple[int, ...], bindings: dict[Symbol, int]
) -> None:
    """Check a concrete shape against a symbolic one, binding symbols met alone on an axis.

    Raises:
        EvaluationError: Rank or size differ, or a number is outside its symbol's bounds.
    """
    if len(shape) != len(concrete):
        raise EvaluationError(f"{name}: shape {concrete} does not fit {shape_text(shape)}")
    for axis, (dim, size) in enumerate(zip(shape, concrete, strict=True)):
        if not isinstance(dim, Dim):
            if dim != size:
                raise EvaluationError(
                    f"{name}: shape {concrete} does not fit {shape_text(shape)}: "
                    f"axis {axis} is {size}, expected {dim}"
                )
            continue
        symbol = as_symbol(dim)
        if symbol is None:
            continue
        if bindings.setdefault(symbol, size) != size:
            raise EvaluationError(
                f"{name}: shape {concrete} does not fit {shape_text(shape)}: axis {axis} is "
                f"{size}, but {symbol.name} is {bindings[symbol]} already"
            )
        if size < symbol.min or (symbol.max is not None and size > symbol.max):
            upper = "" if symbol.max is None else f" <= {symbol.max}"
            raise EvaluationError(
                f"{name}: {symbol.name} is {size}, outside {symbol.min} <= {symbol.name}{upper}"
            )
