"""What a rewrite is, and the table of them."""

from __future__ import annotations

import enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exporters.onnx.fusion.patterns import edges_of
from exporters.onnx.fusion.zero_signs import may_be_negative_zero, seen_zero_signs
from exporters.onnx.legality import FLOAT32, FLOAT64
from ir.graph import Node, Value
from ir.types import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exporters.onnx.fusion.patterns import Edge, Found, OpKey, Result
    from exporters.onnx.legality import Legality
    from ir.graph import Graph
    from ir.ops.base import Op
    from ir.types import TensorType


SINGLE = frozenset((FLOAT32,))
EXACT = frozenset((FLOAT32, FLOAT64))
"""Dtypes in which the runtime computes as NumPy does, without rounding in between."""


class Stage(enum.IntEnum):
    """When a rule is tried: larger forms are made of what the smaller ones left."""

    SHAPES = 0
    PARTS = 1
    WHOLES = 2
    FINISH = 3


class Facts:
    """What rewrites ask of a whole graph, found out once and only when asked.

    Args:
        graph: The graph.
        returned_signs: Whether the sign of a returned zero has to stay what it is.
    """

    def __init__(self, graph: Graph, returned_signs: bool) -> None:
        self._graph = graph
        self._returned_signs = returned_signs

    def sign_of_zero_matters(self, operand: Value, result: Value) -> bool:
        """Whether the operand may hold a -0.0 and somebody can see what the result makes of it."""
        return self.shows_zero_signs(result) and may_be_negative_zero(self._graph, operand)

    def shows_zero_signs(self, result: Value) -> bool:
        """Whether somebody can see which zeros of a result are -0.0."""
        return result in self._seen

    @cached_property
    def _seen(self) -> frozenset[Value]:
        return seen_zero_signs(self._graph, self._returned_signs)

    def readers(self, value: Value) -> Sequence[Node]:
        """Return the nodes that read a value, one that reads it twice being there twice."""
        return self._readers.get(value, ())

    def is_output(self, value: Value) -> bool:
        """Whether the graph returns the value."""
        return value in self._outputs

    @cached_property
    def _readers(self) -> Mapping[Value, list[Node]]:
        found: dict[Value, list[Node]] = {}
        for node in self._graph.nodes:
            for operand in node.inputs:
                found.setdefault(operand, []).append(node)
        return found

    @cached_property
    def _outputs(self) -> frozenset[Value]:
        return frozenset(self._graph.outputs)


class Site:
    """Where a pattern was found, with what a rewrite needs to put something else there.

    Attributes:
        graph: The graph that was searched.
        root: The node whose result is replaced.
        values: What the pattern bound, by name.
        legality: Which operators run.
        facts: What there is to know about the graph.
        nodes: The nodes made so far.
    """

    def __init__(self, root: Node, found: Found, legality: Legality, facts: Facts) -> None:
        self.graph = found.graph
        self.root = root
        self.values: Mapping[str, Value] = found.values
        self.legality = legality
        self.facts = facts
        self.nodes: list[Node] = []

    def sign_of_zero_matters(self, *operands: Value) -> bool:
        """Whether a -0.0 of an operand can be told from a 0.0 in what the root gives."""
        result = self.root.outputs[0]
        return any(self.facts.sign_of_zero_matters(operand, result) for operand in operands)

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    @property
    def type(self) -> TensorType:
        """The type that the replacement has to have."""
        return self.root.outputs[0].type

    def keeps_type(self, name: str) -> bool:
        """Whether a bound value has the root's type: no other operand widened it."""
        return self.values[name].type == self.type

    def op(self, name: str) -> Any:
        """Return the op that produced a bound value."""
        node = self.values[name].producer
        assert node is not None
        return node.op

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """Return the array of a bound constant."""
        data = self.values[name].data
        assert data is not None
        return data

    def number(self, name: str) -> float:
        """Return the number that a bound constant of one element holds."""
        return float(self.array(name).reshape(()))

    def apply(self, op: Op, *operands: Value) -> Value:
        """Return the result of a new node at the root's source line."""
        types = op.infer(*(operand.type for operand in operands))
        node = Node(op, operands, types, self.root.location, self.root.scope)
        self.nodes.append(node)
        return node.outputs[0]

    def constant(self, array: np.ndarray[Any, Any], name: str | None = None) -> Value:
        """Return a new constant."""
        array = np.ascontiguousarray(array).reshape(array.shape)
        return Value(type_of(array), name, array)


class Rule(NamedTuple):
    """A rewrite of what a pattern finds.

    Attributes:
        name: The function's name.
        about: What it does and when, in a line.
        pattern: What to look for; its outermost op is the one replaced.
        rewrite: Returns the value that takes the root's place, or ``None`` to leave it.
        level: 1 where every value stays what it was, NaN and infinities included; 2 where that
            holds for ordinary numbers.
        stage: When it is tried.
        dtypes: Those of the root that it is for; ``None`` for all.
        kernels: Operators that have to run in the root's dtype.
        since: The first opset that has them.
        needs: Ops that have to be in the graph.
        edges: Edges of which one each has to be in it.
        shared: Whether inner results may have other uses, which then keep them.
    """

    name: str
    about: str
    pattern: Result
    rewrite: Callable[[Site], Value | None]
    level: int
    stage: Stage
    dtypes: frozenset[np.dtype[Any]] | None
    kernels: tuple[str, ...]
    since: int
    needs: frozenset[OpKey]
    edges: tuple[frozenset[Edge], ...]
    shared: bool


RULES: dict[Stage, list[Rule]] = {stage: [] for stage in Stage}


def fuses(
    *patterns: Result,
    level: int = 1,
    stage: Stage = Stage.PARTS,
    dtypes: frozenset[np.dtype[Any]] | None = None,
    kernels: tuple[str, ...] = (),
    since: int = 17,
    needs: tuple[OpKey, ...] = (),
    shared: bool = False,
) -> Callable[[Callable[[Site], Value | None]], Callable[[Site], Value | None]]:
    """Declare a function as the rewrite of one or more patterns.

    Args:
        *patterns: What to look for, tried in this order.
        level: The lowest ``optimize`` that asks for it.
        stage: When it is tried.
        dtypes: Those of the root that it is for; all where ``None``.
        kernels: Operators that have to run in the root's dtype.
        since: The first opset that has them.
        needs: Ops that have to be somewhere in the graph, beside those of the pattern.
        shared: Whether inner results may have uses outside the pattern.
    """

    def register(rewrite: Callable[[Site], Value | None]) -> Callable[[Site], Value | None]:
        about = (rewrite.__doc__ or "").strip().partition("\n")[0]
        for pattern in patterns:
            rule = Rule(
                rewrite.__name__,
                about,
                pattern,
                rewrite,
                level,
                stage,
                dtypes,
                kernels,
                since,
                frozenset((*pattern.keys(), *needs)),
                pattern.edges(),
                shared,
            )
            RULES[stage].append(rule)
        return rewrite

    return register


class Census(NamedTuple):
    """Which ops a graph has, and their classes, and which of them read which."""

    ops: set[Any]
    edges: set[Edge]


def census(graph: Graph) -> Census:
    """Return what rules are chosen by."""
    ops: set[Any] = {node.op for node in graph.nodes}
    return Census(ops | {type(op) for op in ops}, edges_of(graph))


def active_rules(stage: Stage, found: Census, level: int, legality: Legality) -> list[Rule]:
    """Return the rules of a stage that could find something in a graph."""
    return [
        rule
        for rule in RULES[stage]
        if rule.level <= level
        and rule.since <= legality.opset
        and rule.needs <= found.ops
        and not any(edges.isdisjoint(found.edges) for edges in rule.edges)
    ]
