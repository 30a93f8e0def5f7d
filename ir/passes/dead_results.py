"""Results of branches, loops and divisions that nobody reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ir.dims import Dim
from ir.graph import Graph, Node
from ir.ops import elementwise as ew
from ir.ops.nested import If, Loop
from ir.passes.dead_code import remove_dead_code
from ir.passes.rewriting import mapped_node, with_inputs, with_nodes
from ir.symbols import symbol_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ir.graph import Value
    from ir.ops.base import Op

    Dims = tuple[int | Dim, ...]


class Slim(NamedTuple):
    """A node without some of its results.

    Attributes:
        op: What it applies now.
        inputs: Operands in the old graph.
        kept: Positions of the results that are left, among the old ones.
    """

    op: Op
    inputs: tuple[Value, ...]
    kept: tuple[int, ...]


def drop_dead_results(graph: Graph) -> Graph:
    """Let branches, loops and ``divmod`` compute only the results that are read.

    Carries of a loop that only serve themselves go too, and operands that nothing needs then.
    """
    if all(len(node.outputs) == 1 for node in graph.nodes):
        return graph
    live: set[Value] = set(graph.outputs)
    slim: dict[Node, Slim] = {}
    for node in reversed(graph.nodes):
        used = tuple(i for i, value in enumerate(node.outputs) if value in live)
        rule = _RULES.get(type(node.op)) or _RULES.get(node.op)
        partly = 0 < len(used) < len(node.outputs) and not node.op.defines_symbols
        found = rule(node, used) if rule is not None and partly else None
        if found is not None:
            slim[node] = found
        live.update(node.inputs if found is None else found.inputs)
    return _rebuilt(graph, slim) if slim else graph


def _rebuilt(graph: Graph, slim: dict[Node, Slim]) -> Graph:
    replacement: dict[Value, Value] = {}
    nodes: list[Node] = []
    for old in graph.nodes:
        made = slim.get(old)
        if made is None:
            nodes.append(mapped_node(old, replacement))
            continue
        types = tuple(old.outputs[position].type for position in made.kept)
        inputs = tuple(replacement.get(value, value) for value in made.inputs)
        node = Node(made.op, inputs, types, old.location, old.scope)
        nodes.append(node)
        for position, value in zip(made.kept, node.outputs, strict=True):
            value.name = old.outputs[position].name
            replacement[old.outputs[position]] = value
    return with_nodes(graph, nodes, replacement)


# --- nested graphs ------------------------------------------------------------------------


def _with_outputs(graph: Graph, positions: Sequence[int]) -> Graph:
    """Return the graph without its other outputs and what only they needed."""
    outputs = tuple(graph.outputs[position] for position in positions)
    fewer = Graph(
        graph.inputs,
        graph.constants,
        graph.nodes,
        outputs,
        tuple(graph.output_names[position] for position in positions),
        symbols=symbol_definitions(graph.inputs, graph.nodes, outputs, nested=True),
        name=graph.name,
        metadata=graph.metadata,
    )
    return drop_dead_results(remove_dead_code(fewer))


def _with_inputs(graph: Graph, positions: Sequence[int]) -> Graph:
    """Return the graph without its other inputs, which nothing reads."""
    return with_inputs(graph, (graph.inputs[position] for position in positions))


def _needed_inputs(graph: Graph) -> set[int]:
    """Return positions of inputs that are read, or whose sizes name a symbol."""
    read = {operand for node in graph.nodes for operand in node.inputs}
    read.update(graph.outputs)
    return {
        position
        for position, value in enumerate(graph.inputs)
        if value in read or any(isinstance(dim, Dim) for dim in value.type.shape)
    }


def _dims(before: Graph, dims: Dims, after: Graph) -> Dims:
    """Return the sizes that are still asked for."""
    given = dict(zip(before.free_symbols, dims, strict=True))
    return tuple(given[symbol] for symbol in after.free_symbols)


def _slim_if(node: Node, used: tuple[int, ...]) -> Slim:
    op = node.op
    assert isinstance(op, If)
    then, other = _with_outputs(op.then_graph, used), _with_outputs(op.else_graph, used)
    needed = sorted(_needed_inputs(then) | _needed_inputs(other))
    then, other = _with_inputs(then, needed), _with_inputs(other, needed)
    results = tuple(op.results[position] for position in used)
    made = If(
        then,
        other,
        results,
        _dims(op.then_graph, op.then_dims, then),
        _dims(op.else_graph, op.else_dims, other),
    )
    condition, *operands = node.inputs
    return Slim(made, (condition, *(operands[position] for position in needed)), used)


def _slim_loop(node: Node, used: tuple[int, ...]) -> Slim | None:
    op = node.op
    assert isinstance(op, Loop)
    stacks = [position for position in used if position >= op.carried]
    carries = {position for position in used if position < op.carried}
    while True:  # a carry is needed if what is needed reads it
        kept = [0, *(1 + position for position in (*sorted(carries), *stacks))]
        body = _with_outputs(op.body, kept)
        needed = _needed_inputs(body)
        more = {position - 1 for position in needed if 1 <= position <= op.carried}
        if more <= carries:
            break
        carries |= more
    ordered = sorted(carries)
    if len(ordered) + len(stacks) == len(node.outputs):
        return None
    captures = [position for position in sorted(needed) if position > op.carried]
    body = _with_inputs(body, [0, *(1 + position for position in ordered), *captures])
    results = tuple(op.results[position] for position in (*ordered, *stacks))
    made = Loop(body, len(ordered), results, _dims(op.body, op.dims, body))
    limit, going, *operands = node.inputs
    first = [operands[position] for position in ordered]
    inputs = (limit, going, *first, *(operands[position - 1] for position in captures))
    return Slim(made, inputs, (*ordered, *stacks))


def _slim_divmod(node: Node, used: tuple[int, ...]) -> Slim:
    op = ew.floor_divide if used == (0,) else ew.remainder
    return Slim(op, node.inputs, used)


_RULES: dict[Op | type[Op], Callable[[Node, tuple[int, ...]], Slim | None]] = {
    If: _slim_if,
    Loop: _slim_loop,
    ew.divmod_: _slim_divmod,
}
