"""Ops that hold graphs: calls, branches and loops.

Nested graphs are isolated: what they use from around them comes in as operands, and the numbers of
symbols as the parameter ``dims``, one per free symbol of the graph in its own order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from ir.dims import Dim, substitute
from ir.errors import DTypeError, ShapeError
from ir.graph import Graph
from ir.ops.base import ParameterizedOp, parameterized
from ir.types import BOOL, INT64, TensorType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ir.ops.base import Array

    Dims = tuple[int | Dim, ...]


class NestedOp(ParameterizedOp):
    """Base of ops with graphs among their parameters.

    Attributes:
        results: Result types, in the dimensions of the graph around.
        fresh: Symbols that first appear in ``results``: sizes that depend on data inside.
    """

    results: tuple[TensorType, ...]
    fresh: tuple[int | Dim, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        graphs = [value for value in self.__dict__.values() if isinstance(value, Graph)]
        pure = all(node.op.pure for graph in graphs for node in graph.nodes)
        object.__setattr__(self, "pure", pure)
        object.__setattr__(self, "defines_symbols", bool(self.fresh))

    def bind(self, bindings: Mapping[str, int]) -> Self:
        """Give the nested graphs their numbers; symbols among the results stay."""
        known: dict[str, int | Dim] = dict(bindings)
        return self.with_dims(lambda dim: substitute(dim, known))

    def _matched(
        self, graph: Graph, dims: Dims, operands: tuple[TensorType, ...]
    ) -> dict[str, int | Dim]:
        """Return outer dimensions by inner symbol, after checking operands against inputs."""
        free = graph.free_symbols
        if len(dims) != len(free) or len(operands) != len(graph.inputs):
            raise ShapeError(
                f"{self.name}: {graph.name} takes {len(graph.inputs)} operands and {len(free)} "
                f"sizes, got {len(operands)} and {len(dims)}"
            )
        mapping: dict[str, int | Dim] = {s.name: d for s, d in zip(free, dims, strict=True)}
        for symbol, site in graph.symbols.items():
            for position, value in enumerate(graph.inputs):
                if value is site.value:
                    mapping[symbol.name] = operands[position].shape[site.axis]
        for value, given in zip(graph.inputs, operands, strict=True):
            wanted = mapped_type(value.type, mapping)
            if wanted != given:
                raise DTypeError(
                    f"{self.name}: {graph.name} takes {wanted} for {value.name!r}, got {given}"
                )
        return mapping

    def _agree(self, inner: tuple[TensorType, ...], outer: tuple[TensorType, ...]) -> None:
        """Check declared results against what the nested graph gives, where it says so."""
        for found, declared in zip(inner, outer, strict=True):
            if found.dtype != declared.dtype or found.rank != declared.rank:
                raise DTypeError(f"{self.name}: the graph gives {found}, declared {declared}")


def mapped_type(type: TensorType, mapping: Mapping[str, int | Dim]) -> TensorType:
    """Return a type with its symbols replaced."""
    shape = tuple(
        substitute(dim, mapping) if isinstance(dim, Dim) else dim for dim in type.shape
    )
    return TensorType(type.dtype, shape)


def _run(graph: Graph, dims: Dims, operands: tuple[Array, ...]) -> tuple[Array, ...]:
    from ir.interpreter import run

    arrays = {str(v.name): a for v, a in zip(graph.inputs, operands, strict=True)}
    sizes = {s: int(d) for s, d in zip(graph.free_symbols, dims, strict=True)}  # type: ignore[arg-type]
    return run(graph, arrays, sizes=sizes)


def _output_types(graph: Graph) -> tuple[TensorType, ...]:
    return tuple(value.type for value in graph.outputs)


@parameterized
class Call(NestedOp):
    """Apply a graph as a function: operands are its inputs, results its outputs."""

    name = "call"
    graph: Graph
    results: tuple[TensorType, ...]
    dims: tuple[int | Dim, ...] = ()
    fresh: tuple[int | Dim, ...] = ()

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        self._matched(self.graph, self.dims, operands)
        self._agree(_output_types(self.graph), self.results)
        return self.results

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return _run(self.graph, self.dims, operands)


@parameterized
class If(NestedOp):
    """Run one of two graphs of the same inputs and output types, by a bool[] operand.

    Operands: the condition, then the inputs of both graphs.
    """

    name = "if"
    then_graph: Graph
    else_graph: Graph
    results: tuple[TensorType, ...]
    then_dims: tuple[int | Dim, ...] = ()
    else_dims: tuple[int | Dim, ...] = ()
    fresh: tuple[int | Dim, ...] = ()

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        if not operands or operands[0] != TensorType(BOOL, ()):
            raise DTypeError(f"if: the condition must be bool[], got {operands[:1]}")
        for graph, dims in (
            (self.then_graph, self.then_dims),
            (self.else_graph, self.else_dims),
        ):
            self._matched(graph, dims, operands[1:])
            self._agree(_output_types(graph), self.results)
        return self.results

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        if operands[0]:
            return _run(self.then_graph, self.then_dims, operands[1:])
        return _run(self.else_graph, self.else_dims, operands[1:])


@parameterized
class Loop(NestedOp):
    """Repeat a graph while a condition holds, at most a given number of times.

    Operands: trip limit i64[], first condition bool[], ``carried`` carries, then captures.
    The body takes the trip number i64[], the carries and the captures, and gives the next
    condition, the next carries, and elements that are stacked along a new first axis. Results: the
    last carries, then the stacks.
    """

    name = "loop"
    body: Graph
    carried: int
    results: tuple[TensorType, ...]
    dims: tuple[int | Dim, ...] = ()
    fresh: tuple[int | Dim, ...] = ()

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        if operands[:2] != (TensorType(INT64, ()), TensorType(BOOL, ())):
            raise DTypeError(f"loop: takes i64[] and bool[] first, got {operands[:2]}")
        given = _output_types(self.body)
        if given[:1] != (TensorType(BOOL, ()),):
            raise DTypeError(f"loop: the body's first output must be bool[], got {given[:1]}")
        self._matched(self.body, self.dims, (operands[0], *operands[2:]))
        stacks = tuple(TensorType(t.dtype, (0, *t.shape)) for t in given[1 + self.carried :])
        self._agree((*given[1 : 1 + self.carried], *stacks), self.results)
        return self.results

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        limit, going = int(operands[0]), bool(operands[1])
        carries = list(operands[2 : 2 + self.carried])
        captures = operands[2 + self.carried :]
        stacks: list[list[Array]] = [[] for _ in self.results[self.carried :]]
        trip = 0
        while going and trip < limit:
            number = np.array(trip, np.int64)
            results = _run(self.body, self.dims, (number, *carries, *captures))
            going = bool(results[0])
            carries = list(results[1 : 1 + self.carried])
            for stack, element in zip(stacks, results[1 + self.carried :], strict=True):
                stack.append(element)
            trip += 1
        return (*carries, *map(self._stacked, stacks, self.results[self.carried :]))

    def _stacked(self, elements: list[Array], declared: TensorType) -> Array:
        if elements:
            return np.stack(elements)
        sizes = tuple(dim if isinstance(dim, int) else 0 for dim in declared.shape[1:])
        return np.empty((0, *sizes), declared.dtype)
