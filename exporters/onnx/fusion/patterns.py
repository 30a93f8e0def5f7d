"""Shapes of expressions to look for in a graph: a small language of patterns over values.

A pattern is matched against a value and looks backward through producers, which are immutable, so
matching never disturbs the graph. Where operands may come in either order every order is tried.
"""

from __future__ import annotations

from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ir.ops import elementwise as ew
from ir.types import FLOATING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ir.graph import Graph, Node, Value
    from ir.ops.base import Op

    OpKey = Op | type[Op]

CONSTANT = "constant"
"""Stands for the op that made a constant."""


def maker_of(value: Value) -> Any:
    """Return the op that made a value; inputs have none."""
    producer = value.producer
    if producer is not None:
        return producer.op
    return None if value.data is None else CONSTANT


Edge: TypeAlias = "tuple[Any, Any]"
"""An op, and an op that made one of its operands."""


def edges_of(graph: Graph) -> set[Edge]:
    """Return which ops read results of which, for ops and their classes."""
    nodes = graph.nodes
    found = {(n.op, maker_of(v)) for n in nodes for v in n.inputs}
    edges: set[Edge] = set()
    for op, maker in found:
        makers = (maker,) if maker is CONSTANT else (maker, type(maker))
        edges.update((reader, made) for reader in (op, type(op)) for made in makers)
    return edges


COMMUTATIVE: frozenset[Any] = frozenset(
    (ew.add, ew.multiply, ew.maximum, ew.minimum, ew.logical_and, ew.logical_or)
)
"""Ops whose two operands may be exchanged."""

LOOKED_AT = 1 << 25
"""Elements of the largest constants whose numbers are read: what is larger are weights, and a
test of theirs would take time and memory beside their export."""


class Found(NamedTuple):
    """What a pattern has bound so far.

    Attributes:
        graph: The graph that is searched; its inputs are not constants, whatever their default.
        values: Bound values by name.
        nodes: Matched nodes, inner ones first.
    """

    graph: Graph
    values: dict[str, Value]
    nodes: tuple[Node, ...]

    def bind(self, name: str | None, value: Value) -> Found | None:
        """Bind a name, or answer ``None`` where it is bound to another value already."""
        if name is None:
            return self
        known = self.values.get(name)
        if known is not None:
            return self if known is value or self._same_constant(known, value) else None
        return self._replace(values={**self.values, name: value})

    def _same_constant(self, a: Value, b: Value) -> bool:
        if a.data is None or b.data is None or a.type != b.type or a.producer or b.producer:
            return False
        if any(value is a or value is b for value in self.graph.inputs):
            return False  # defaults, which the next run may replace
        return a.data.nbytes <= 64 and a.data.tobytes() == b.data.tobytes()


class Pattern:
    """Base: matches any value, and the same one wherever its name comes again."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name

    def matches(self, value: Value, found: Found) -> Iterator[Found]:
        """Iterate over the ways in which the value fits."""
        bound = found.bind(self.name, value)
        if bound is not None:
            yield bound

    def keys(self) -> set[OpKey]:
        """Return ops that have to be in a graph for this to match."""
        return set()

    def makers(self) -> frozenset[Any] | None:
        """Return ops one of which has to have made the value; ``None`` where any may."""
        return None

    def edges(self) -> tuple[frozenset[Edge], ...]:
        """Return edges of which a graph has to have one each, for this to match."""
        return ()


class MadeBy(Pattern):
    """A result of one of some ops, whatever their operands.

    Args:
        name: What to bind it to.
        *ops: The ops, or classes of them.
    """

    def __init__(self, name: str | None, *ops: OpKey) -> None:
        super().__init__(name)
        self._ops = frozenset(ops)

    def makers(self) -> frozenset[Any] | None:
        """Return the ops."""
        return self._ops

    def matches(self, value: Value, found: Found) -> Iterator[Found]:
        """Match results of the ops."""
        node = value.producer
        if node is not None and (node.op in self._ops or type(node.op) in self._ops):
            yield from super().matches(value, found)


class Constant(Pattern):
    """A constant of the graph, not a default of an input.

    Args:
        name: What to bind it to.
        test: What its array has to fulfil.
    """

    def __init__(
        self,
        name: str | None = None,
        test: Callable[[np.ndarray[Any, Any]], bool] | None = None,
    ) -> None:
        super().__init__(name)
        self._test = test

    def makers(self) -> frozenset[Any] | None:
        """Return that nothing made it."""
        return frozenset((CONSTANT,))

    def matches(self, value: Value, found: Found) -> Iterator[Found]:
        """Match constants whose array passes the test."""
        data = value.data
        if data is None or value.producer is not None:
            return
        if any(value is given for given in found.graph.inputs):
            return
        if self._test is None or (data.size <= LOOKED_AT and self._test(data)):
            yield from super().matches(value, found)


class Number(Constant):
    """A constant that holds one finite number, in whatever shape of ones.

    Args:
        number: The number it has to be, to the precision of its dtype if it has many digits;
            any where ``None``.
        name: What to bind it to.
    """

    def __init__(self, number: float | None = None, name: str | None = None) -> None:
        super().__init__(name, self._is_number)
        self._number = number
        self._is_short = number is not None and number == float(np.float16(number))

    def _is_number(self, data: np.ndarray[Any, Any]) -> bool:
        if data.size != 1 or data.dtype.kind not in "fiuV" or not _finite(data):
            return False
        number = float(data.reshape(()))
        if self._number is None or number == self._number:
            return True
        if data.dtype not in FLOATING or self._is_short:
            return False
        # constants of formulas are typed with seven to ten digits
        return abs(number - self._number) <= _ROUNDING[data.dtype.itemsize] * abs(self._number)


_ROUNDING = {2: 1e-3, 4: 2e-7, 8: 1e-9}
"""How far, relatively, a typed constant may be from the formula's, by bytes of its dtype."""


def _finite(data: np.ndarray[Any, Any]) -> bool:
    return bool(np.isfinite(data.astype(np.float64)).all())


def keeps_digits(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> bool:
    """Whether numbers are neither too large for a dtype nor so small that digits go."""
    sizes, limits = np.abs(array[array != 0]), np.finfo(dtype)
    return bool(((sizes >= limits.tiny) & (sizes <= limits.max)).all())


class Result(Pattern):
    """The result of an op on operands that match in turn.

    Args:
        key: The op itself, or the class of a parameterised one.
        operands: A pattern for each operand; none for operands of any kind and number.
        name: What to bind the result to.
        test: What the node has to fulfil.
    """

    def __init__(
        self,
        key: OpKey,
        *operands: Pattern,
        name: str | None = None,
        test: Callable[[Node], bool] | None = None,
    ) -> None:
        super().__init__(name)
        self.key = key
        self.operands = operands
        self.test = test

    def keys(self) -> set[OpKey]:
        """Return this op and those of its operands."""
        return {self.key}.union(*(operand.keys() for operand in self.operands))

    def makers(self) -> frozenset[Any] | None:
        """Return the op."""
        return frozenset((self.key,))

    @cached_property
    def wants(self) -> tuple[frozenset[Any], ...]:
        """What has to be among the makers of the operands, to rule most nodes out at a glance."""
        wanted = (operand.makers() for operand in self.operands)
        return tuple(ops for ops in wanted if ops is not None)

    def edges(self) -> tuple[frozenset[Edge], ...]:
        """Return the edges to the operands and those behind them."""
        here = (frozenset((self.key, maker) for maker in ops) for ops in self.wants)
        return (*here, *(edge for operand in self.operands for edge in operand.edges()))

    def matches(self, value: Value, found: Found) -> Iterator[Found]:
        """Match results of the op, trying both orders where they mean the same."""
        node = value.producer
        if node is None or (node.op is not self.key and type(node.op) is not self.key):
            return
        if self.test is not None and not self.test(node):
            return
        bound = found.bind(self.name, value)
        if bound is None:
            return
        if not self.operands:
            yield bound._replace(nodes=(*bound.nodes, node))
            return
        if len(self.operands) != len(node.inputs):
            return
        orders = permutations(node.inputs) if self.key in COMMUTATIVE else (node.inputs,)
        for order in orders:
            for inner in self._operands_match(order, bound, 0):
                yield inner._replace(nodes=(*inner.nodes, node))

    def _operands_match(
        self, values: tuple[Value, ...], found: Found, position: int
    ) -> Iterator[Found]:
        if position == len(values):
            yield found
            return
        for inner in self.operands[position].matches(values[position], found):
            yield from self._operands_match(values, inner, position + 1)


class Either(Pattern):
    """One of several patterns, the first that fits first."""

    def __init__(self, *choices: Pattern) -> None:
        super().__init__()
        self.choices = choices

    def keys(self) -> set[OpKey]:
        """Return what all choices need."""
        needed = [choice.keys() for choice in self.choices]
        return set.intersection(*needed)

    def makers(self) -> frozenset[Any] | None:
        """Return those of all choices."""
        made = [choice.makers() for choice in self.choices]
        known = [ops for ops in made if ops is not None]
        return frozenset().union(*known) if len(known) == len(made) else None

    def matches(self, value: Value, found: Found) -> Iterator[Found]:
        """Match what one of the choices does."""
        for choice in self.choices:
            yield from choice.matches(value, found)


def squared(value: Pattern) -> Either:
    """Return the ways in which a square is written."""
    return Either(
        Result(ew.square, value),
        Result(ew.multiply, value, value),
        Result(ew.power, value, Number(2)),
    )
