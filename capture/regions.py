"""Recording a body that becomes a nested graph.

A body is recorded into the same columns as everything else, and then lifted out as a graph of its
own; the nodes left behind are dead and vanish at finish. So closures, constants, views and writes
work inside bodies as they do outside: what a body reads from around it becomes an operand, and
what it writes around it becomes a result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.tensor import Tensor
from capture.views import Owned, write
from ir.builder import GraphBuilder
from ir.dims import Dim, as_symbol, substitute
from ir.passes import simplify
from ir.types import TensorType

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from ir.graph import Graph
    from ir.ops import Op

_INLINE_CONSTANT = 1024
"""Constants up to this many bytes are copied into bodies; larger ones are operands."""


class Region:
    """A body being recorded; a context manager.

    Attributes:
        start: Index of the first node of the body.
        written: Owners of storage from outside that the body wrote, with their value before.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.start = len(recorder.builder.ops)
        self.first_value = len(recorder.builder.types)
        self.written: dict[int, tuple[Tensor, int]] = {}

    def __enter__(self) -> Region:
        self.recorder.regions.append(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.recorder.regions.pop()
        if self.recorder.regions:  # a write around both bodies is the outer one's too
            for owner, before in self.written.values():
                self.recorder.regions[-1].note(owner, before)

    def note(self, owner: Tensor, before: int) -> None:
        """Remember that the body is about to write storage from outside it."""
        if before < self.first_value:
            self.written.setdefault(id(owner), (owner, before))

    def placeholder(self, like: TensorType, scalar: bool = False) -> Tensor:
        """Return a tensor that stands for an operand inside the body."""
        index = self.recorder.builder.add_value(like)
        self.first_value = max(self.first_value, index + 1)
        state = None if scalar or like.shape else Owned()
        return Tensor(self.recorder, index, like, state)

    def restore(self) -> dict[int, tuple[Tensor, int]]:
        """Undo the writes around the body; return the owners with the values it left."""
        left = {key: (owner, owner._value) for key, (owner, _) in self.written.items()}
        for owner, before in self.written.values():
            owner._value = before
        return left


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
    captures: list[int] | None = None,
) -> Lifted:
    """Return the body of a region as a graph.

    Args:
        region: What was recorded.
        inputs: Names and value indices of the given inputs.
        outputs: Value indices of the outputs.
        name: The graph's name; made unique in the graph around.
        captures: Values that must be captured first, in this order (for branches that share
            their operands).
    """
    builder = region.recorder.builder
    live = _live_in(region, outputs)
    sub = GraphBuilder()
    mapping = {index: sub.add_value(builder.types[index], label) for label, index in inputs}
    named = list(inputs)
    captured: list[int] = []

    def enter(index: int) -> int:
        if index in mapping:
            return mapping[index]
        type_, data = builder.types[index], None
        if builder.producers[index] < 0:
            data = builder.data.get(index)
        if data is not None and data.nbytes <= _INLINE_CONSTANT:
            mapping[index] = sub.add_value(type_, builder.names.get(index), data)
        else:
            label = f"captured_{len(captured)}"
            captured.append(index)
            mapping[index] = sub.add_value(type_, label)
            named.append((label, index))
        return mapping[index]

    for index in captures or ():
        if index not in mapping:
            label = f"captured_{len(captured)}"
            captured.append(index)
            mapping[index] = sub.add_value(builder.types[index], label)
            named.append((label, index))
    local: dict[Dim, Dim] = {}
    for node in live:
        first = builder.firsts[node]
        operands = tuple([enter(index) for index in builder.operands[node]])
        op = _with_local_symbols(builder, node, local)
        made = sub.append(op, operands, builder.codes[node], builder.lastis[node])
        offset = 0
        while first + offset < len(builder.types) and builder.producers[first + offset] == node:
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
    return sorted(live)


def fresh_dims(recorder: Recorder, types: tuple[TensorType, ...], region: Region) -> tuple[Dim, ...]:
    """Return the symbols among result types that the body itself defines."""
    found: dict[Dim, None] = {}
    for type_ in types:
        for dim in type_.shape:
            if isinstance(dim, Dim):
                symbol = as_symbol(dim)
                if symbol is not None and recorder.builder.definers.get(symbol, -1) >= region.start:
                    found[dim] = None
    return tuple(found)


def record_nested(recorder: Recorder, op: Op, operands: tuple[int, ...]) -> list[int]:
    """Record a nested op and return the indices of its results."""
    first = recorder.append(op, operands)
    count = len(recorder.builder.types) - first
    return list(range(first, first + count))


def write_back(left: dict[int, tuple[Tensor, int]], values: list[int]) -> None:
    """Give storage around a body the values that the nested op returned for it."""
    for (owner, _), value in zip(left.values(), values, strict=True):
        write(owner, value)


def result_tensor(recorder: Recorder, index: int, like: Any) -> Tensor:
    """Return a result as a scalar or array, as ``like`` was inside the body."""
    type_ = recorder.builder.types[index]
    scalar = type(like) is Tensor and like.is_scalar
    return Tensor(recorder, index, type_, None if scalar or type_.shape else Owned())
