"""How much work a graph is: counts that stay symbolic where sizes are."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, NamedTuple

from ir.dims import Dim, dim_max, dim_min, substitute
from ir.ops.elementwise import add, maximum, minimum, multiply, subtract
from ir.ops.indexing import (
    ArgSort,
    CountUp,
    GatherND,
    NonZero,
    ScatterND,
    Sort,
    Take,
    TakeAlongAxis,
)
from ir.ops.linear_algebra import MatMul
from ir.ops.nested import Call, If, Loop
from ir.ops.reduction import ArgReduction, Reduction, RunningReduction
from ir.ops.shaping import (
    BroadcastTo,
    Concatenate,
    DimValue,
    Iota,
    Pad,
    Reshape,
    Slice,
    Transpose,
    UpdateSlice,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ir.dims import DimLike
    from ir.graph import Graph, Node, Value
    from ir.ops.base import Op
    from ir.types import TensorType

_MOVES = (
    *(BroadcastTo, Concatenate, DimValue, Iota, Pad, Reshape, Slice, Transpose, UpdateSlice),
    *(CountUp, GatherND, NonZero, ScatterND, Take, TakeAlongAxis),
)
"""Ops that move elements and compute none."""

_READS_ALL = (ArgReduction, ArgSort, Reduction, RunningReduction, Sort)
"""Ops whose work is one operation per operand element."""

_ARITHMETIC: dict[Op, Callable[..., DimLike]] = {
    add: operator.add,
    subtract: operator.sub,
    multiply: operator.mul,
    maximum: dim_max,
    minimum: dim_min,
}
"""What ops on 0-d integers are on sizes."""

_UNLIMITED = 2**31
"""A trip limit beyond this only says that a loop ends by its condition."""


class Cost(NamedTuple):
    """What running something once takes.

    Attributes:
        flops: Arithmetic operations: one per element of a result, whatever the function; one per
            operand element in reductions and sorts; a multiplication and an addition per step of
            a matrix product; none where elements only move.
        bytes: Bytes of all operands read and all results written.
    """

    flops: DimLike
    bytes: DimLike


class GraphCost(NamedTuple):
    """The work of a graph. Counts are dims where sizes are symbolic.

    Attributes:
        flops: Arithmetic operations, see :class:`Cost`.
        bytes: Bytes read and written by the nodes.
        parameters: Elements of all constants, nested graphs included.
        by_op: Cost by op name, nested graphs included, in order of first appearance.
        trips: Symbols that stand for the trip counts of loops ended by their condition.
    """

    flops: DimLike
    bytes: DimLike
    parameters: int
    by_op: dict[str, Cost]
    trips: tuple[str, ...]

    def at(self, **sizes: int) -> GraphCost:
        """Return the cost with symbols replaced by numbers."""

        def number(count: DimLike) -> DimLike:
            return substitute(count, sizes) if isinstance(count, Dim) else count

        return self._replace(
            flops=number(self.flops),
            bytes=number(self.bytes),
            by_op={name: Cost(*map(number, cost)) for name, cost in self.by_op.items()},
            trips=tuple(name for name in self.trips if name not in sizes),
        )

    def __str__(self) -> str:
        rows = [("total", Cost(self.flops, self.bytes)), *self.by_op.items()]
        texts = [(name, _text(cost.flops), _text(cost.bytes)) for name, cost in rows]
        widths = [max(len(row[column]) for row in texts) for column in range(2)]
        lines = [
            f"{name:<{widths[0]}}  {flops:>{widths[1]}} flops  {size} bytes"
            for name, flops, size in texts
        ]
        return "\n".join([*lines, f"{self.parameters:,} parameters"])


def graph_cost(graph: Graph) -> GraphCost:
    """Count the work of a graph.

    A call counts as its graph, an ``if`` as the larger count of each branch, a loop as its body
    times its trip limit; where a condition ends it, a symbol ``trips`` stands for the number.
    """
    from ir.nesting import all_graphs

    counter = _Counter(graph)
    by_op = counter.by_op(graph)
    return GraphCost(
        _sum(cost.flops for cost in by_op.values()),
        _sum(cost.bytes for cost in by_op.values()),
        sum(
            value.data.size
            for g in all_graphs(graph)
            for value in g.constants
            if value.data is not None
        ),
        by_op,
        tuple(counter.trips),
    )


def node_cost(node: Node) -> Cost:
    """Return the cost of one node; nested graphs count as in :func:`graph_cost`."""
    if isinstance(node.op, Call | If | Loop):
        costs = _Counter(None).nested(node).values()
        return Cost(_sum(c.flops for c in costs), _sum(c.bytes for c in costs))
    operands = [value.type for value in node.inputs]
    results = [value.type for value in node.outputs]
    traffic = _sum(map(type_bytes, (*operands, *results)))
    return Cost(_flops(node, operands, results), traffic)


def elements(type: TensorType) -> DimLike:
    """Return how many elements an array of this type has."""
    count: DimLike = 1
    for dim in type.shape:
        count = count * dim
    return count


def type_bytes(type: TensorType) -> DimLike:
    """Return how many bytes an array of this type has."""
    return elements(type) * type.dtype.itemsize


def inner_sizes(
    graph: Graph, dims: tuple[DimLike, ...], operands: Iterable[Value]
) -> dict[str, DimLike]:
    """Return what the symbols of a nested graph are outside, for its sizes and operands."""
    sizes = {symbol.name: dim for symbol, dim in zip(graph.free_symbols, dims, strict=True)}
    given = dict(zip(graph.inputs, operands, strict=True))
    for symbol, site in graph.symbols.items():
        if site.value in given:
            sizes[symbol.name] = given[site.value].type.shape[site.axis]
    return sizes


def nested_calls(node: Node) -> Iterator[tuple[Graph, dict[str, DimLike]]]:
    """Iterate over the graphs that a node runs, each with its sizes in outer terms."""
    op, inputs = node.op, node.inputs
    if isinstance(op, Call):
        yield op.graph, inner_sizes(op.graph, op.dims, inputs)
    elif isinstance(op, If):
        yield op.then_graph, inner_sizes(op.then_graph, op.then_dims, inputs[1:])
        yield op.else_graph, inner_sizes(op.else_graph, op.else_dims, inputs[1:])
    elif isinstance(op, Loop):
        yield op.body, inner_sizes(op.body, op.dims, (inputs[0], *inputs[2:]))


def outer_count(count: DimLike, sizes: Mapping[str, DimLike]) -> DimLike:
    """Return a count of a nested graph in the symbols around it."""
    return substitute(count, sizes) if isinstance(count, Dim) else count


def known_number(value: Value) -> DimLike | None:
    """Return what a 0-d integer is, where it is computed from constants and sizes alone."""
    node = value.producer
    if node is None:
        return None if value.data is None else int(value.data)
    if isinstance(node.op, DimValue):
        return node.op.dim
    combine = _ARITHMETIC.get(node.op)
    numbers = [known_number(operand) for operand in node.inputs] if combine else []
    if combine is None or None in numbers:
        return None
    return combine(*numbers)


def _flops(node: Node, operands: list[TensorType], results: list[TensorType]) -> DimLike:
    op = node.op
    if isinstance(op, _MOVES):
        return 0
    if isinstance(op, MatMul):
        return 2 * elements(results[0]) * operands[0].shape[-1]
    if isinstance(op, _READS_ALL):
        return elements(operands[0])
    own = op.flops(tuple(operands))
    return _sum(map(elements, results)) if own is None else own


class _Counter:
    """Counts by op name; remembers the symbols it makes for unknown trip counts."""

    def __init__(self, graph: Graph | None) -> None:
        self.trips: list[str] = []
        self._known: dict[int, dict[str, Cost]] = {}
        self._taken = {symbol.name for symbol in graph.symbols} if graph is not None else set()

    def by_op(self, graph: Graph) -> dict[str, Cost]:
        counts: dict[str, Cost] = {}
        for node in graph.nodes:
            if isinstance(node.op, Call | If | Loop):
                _add(counts, self.nested(node))
            else:
                _add(counts, {node.op.name: node_cost(node)})
        return counts

    def nested(self, node: Node) -> dict[str, Cost]:
        counts = []
        for graph, sizes in nested_calls(node):
            inner = self._known.get(id(graph))
            if inner is None:  # calls of calls multiply
                inner = self._known[id(graph)] = self.by_op(graph)
            counts.append(
                {
                    name: Cost(outer_count(cost.flops, sizes), outer_count(cost.bytes, sizes))
                    for name, cost in inner.items()
                }
            )
        if isinstance(node.op, If):
            return _larger(*counts)
        if isinstance(node.op, Loop):
            trips = self._trip_count(node)
            return {n: Cost(c.flops * trips, c.bytes * trips) for n, c in counts[0].items()}
        return counts[0]

    def _trip_count(self, node: Node) -> DimLike:
        limit = known_number(node.inputs[0])
        if limit is not None and (isinstance(limit, Dim) or limit < _UNLIMITED):
            return dim_max(0, limit)
        name, number = "trips", 1
        while name in self._taken:
            number += 1
            name = f"trips_{number}"
        self._taken.add(name)
        self.trips.append(name)
        return Dim(name)


def _add(counts: dict[str, Cost], more: dict[str, Cost]) -> None:
    for name, cost in more.items():
        known = counts.get(name, Cost(0, 0))
        counts[name] = Cost(known.flops + cost.flops, known.bytes + cost.bytes)


def _larger(a: dict[str, Cost], b: dict[str, Cost]) -> dict[str, Cost]:
    none = Cost(0, 0)
    pairs = {name: (a.get(name, none), b.get(name, none)) for name in {**a, **b}}
    return {
        name: Cost(dim_max(x.flops, y.flops), dim_max(x.bytes, y.bytes))
        for name, (x, y) in pairs.items()
    }


def _sum(counts: Iterable[DimLike]) -> DimLike:
    total: DimLike = 0
    for count in counts:
        total = total + count
    return total


def _text(count: DimLike) -> str:
    return f"{count:,}" if isinstance(count, int) else str(count)
