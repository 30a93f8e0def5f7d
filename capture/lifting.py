"""Lifting a recorded body out of the columns as a graph of its own."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from capture.errors import LeakedTensorError
from capture.location import locate, source_line
from ir.builder import GraphBuilder
from ir.dims import Dim, substitute
from ir.passes import simplify

if TYPE_CHECKING:
    from collections.abc import Iterable

    from capture.recorder import Recorder
    from capture.regions import Region
    from ir.graph import Graph
    from ir.ops import Op

_INLINE_CONSTANT = 1024
"""Constants up to this many bytes are copied into bodies; larger ones are operands."""


class Lifted:
    """A nested graph with what it needs from around it.

    Attributes:
        graph: The graph; its inputs are the given ones, then the captures.
        captures: Value indices of further operands.
        dims: Outer dimensions of its free symbols.
    """

    def __init__(self, graph: Graph, captures: list[int]) -> None:
        self.graph = graph
        self.captures = captures
        self.dims = tuple(Dim(s.name, min=s.min, max=s.max) for s in graph.free_symbols)


def lift_out(
    region: Region,
    inputs: list[tuple[str, int]],
    outputs: list[int],
    name: str,
    captures: Iterable[int] = (),
) -> Lifted:
    """Return the body of a region as a graph.

    Args:
        region: What was recorded.
        inputs: Names and value indices of the given inputs.
        outputs: Value indices of the outputs.
        name: The graph's name; made unique in the graph around.
        captures: Values that must be captured first, in this order (for branches that share
            their operands).

    Raises:
        LeakedTensorError: The body uses a value that exists only inside another one.
    """
    builder = region.recorder.builder
    live = _live_in(region, outputs)
    sub = GraphBuilder()
    mapping = {index: sub.add_value(builder.types[index], label) for label, index in inputs}
    named = list(inputs)
    captured: list[int] = []

    def capture(index: int) -> None:
        label = f"captured_{len(captured)}"
        captured.append(index)
        mapping[index] = sub.add_value(builder.types[index], label)
        named.append((label, index))

    def enter(index: int) -> int:
        if index not in mapping:
            data = builder.data.get(index) if builder.producers[index] < 0 else None
            if data is not None and data.nbytes <= _INLINE_CONSTANT:
                hint = builder.names.get(index)
                mapping[index] = sub.add_value(builder.types[index], hint, data)
            else:
                capture(index)
        return mapping[index]

    for index in captures:
        if index not in mapping:
            capture(index)
    local: dict[Dim, Dim] = {}
    for node in live:
        scope = builder.scope_of(node).removeprefix(region.scope).removeprefix("/")
        if scope != sub.scope:
            sub.enter_scope(scope)
        first = builder.firsts[node]
        operands = tuple([enter(index) for index in builder.operands[node]])
        op = _with_local_symbols(builder, node, local)
        made = sub.append(op, operands, builder.codes[node], builder.lastis[node])
        offset = 0
        while (
            first + offset < len(builder.types) and builder.producers[first + offset] == node
        ):
            mapping[first + offset] = made + offset
            offset += 1
    results = [(f"output_{i}", enter(index)) for i, index in enumerate(outputs)]
    graph = sub.finish(
        [(label, mapping[index]) for label, index in named], results, name=name, nested=True
    )
    return Lifted(region.recorder.unique_graph(simplify(graph)), captured)


def _with_local_symbols(builder: GraphBuilder, node: int, local: dict[Dim, Dim]) -> Op:
    """Return a node's op with the body's own symbols numbered from zero.

    Two recordings of one body then give equal graphs, which are kept once.
    """
    op = builder.ops[node]
    if op.defines_symbols:
        for symbol in op.symbols:
            if builder.definers.get(symbol) == node:
                outer = Dim(symbol.name, min=symbol.min, max=symbol.max)
                local[outer] = Dim(f"local{len(local)}", min=symbol.min, max=symbol.max)
    if not local or not op.symbols:
        return op
    names: dict[str, int | Dim] = {str(outer): inner for outer, inner in local.items()}
    return op.with_dims(lambda dim: substitute(dim, names))


def _live_in(region: Region, outputs: list[int]) -> list[int]:
    builder = region.recorder.builder
    live: set[int] = set()
    stack = [builder.producers[index] for index in outputs]
    while stack:
        node = stack.pop()
        if node < region.start or node in live:
            continue
        live.add(node)
        stack.extend(builder.producers[index] for index in builder.operands[node])
        op = builder.ops[node]
        stack.extend(builder.definers[s] for s in op.symbols if s in builder.definers)
    ordered = sorted(live)
    for other in region.inner:
        if bisect_left(ordered, other.start) < bisect_left(ordered, other.end):
            raise _leak(region.recorder, other, ordered)
    return ordered


def check_leaks(recorder: Recorder, outputs: list[int]) -> None:
    """Raise where the graph needs a value that exists only inside a body.

    Raises:
        LeakedTensorError: It does; names the body.
    """
    if not recorder.sealed:
        return
    live = recorder.builder.live_nodes(outputs)
    for region in recorder.sealed:
        if live.find(1, region.start, region.end) >= 0:
            used = {node for node, flag in enumerate(live) if flag}
            raise _leak(recorder, region, used)


def _leak(recorder: Recorder, region: Region, live: Iterable[int]) -> LeakedTensorError:
    builder = recorder.builder
    at = ""
    for node in sorted(live):
        outside = not region.start <= node < region.end
        producers = [builder.producers[index] for index in builder.operands[node]]
        if outside and any(region.start <= p < region.end for p in producers):
            at = source_line(locate(builder.codes[node], builder.lastis[node]))
            break
    return leak_error(region.label, region.where, at)


def leak_error(label: str, where: str, at: str) -> LeakedTensorError:
    """Return the error for a tensor that left the body it was made in."""
    used = f"\n{at}" if at else ""
    return LeakedTensorError(
        f"a tensor made inside {label} is used outside it, where it has no value{used}\n"
        f"  {label} is recorded here:{where}\n  ways out: let the function return it, and use what "
        "the operator returns; or write it into an array made before, array[...] = value"
    )


_HARMLESS = frozenset(
    [
        "absolute",
        "add",
        "cast",
        "dim_value",
        "equal",
        "greater",
        "greater_equal",
        "isfinite",
        "isinf",
        "isnan",
        "less",
        "less_equal",
        "logical_and",
        "logical_not",
        "logical_or",
        "maximum",
        "minimum",
        "multiply",
        "negative",
        "not_equal",
        "reshape",
        "subtract",
    ]
)


def cannot_fail(recorder: Recorder, start: int) -> bool:
    """Whether everything recorded since a node may as well run where it is not needed."""
    return all(op.name in _HARMLESS for op in recorder.builder.ops[start:])
