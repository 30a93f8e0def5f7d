"""Equality of graphs whatever the order of their nodes and the names of their values.

Vertices get colours that say what they compute and what is done with it, until colours tell no
more apart. Vertices that still share a colour are interchangeable or need a guess; a wrong guess
is taken back.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from ir.nesting import nested_graphs

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ir.graph import Graph, Node, Value
    from ir.ops.base import Op

    Colours: TypeAlias = list[int]
    Known: TypeAlias = dict[tuple[int, int], bool]


def is_isomorphic(a: Graph, b: Graph) -> bool:
    """Whether two graphs are the same but for node order, names, locations and metadata.

    Inputs and outputs count by position and type, constants bitwise wherever they are, symbols by
    name, nested graphs by the same rule.
    """
    return _isomorphic(a, b, {})


def _isomorphic(a: Graph, b: Graph, known: Known) -> bool:
    if a is b:
        return True
    if (id(a), id(b)) not in known:
        known[id(a), id(b)] = _compared(a, b, known)
    return known[id(a), id(b)]


def _compared(a: Graph, b: Graph, known: Known) -> bool:
    left, right = _Net(a, known), _Net(b, known)
    if len(left.labels) != len(right.labels) or len(a.outputs) != len(b.outputs):
        return False
    ids: dict[Hashable, int] = {}
    start = [ids.setdefault(label, len(ids)) for label in left.labels]
    other = [ids.setdefault(label, len(ids)) for label in right.labels]
    return _match(left, right, start, other)


def _match(left: _Net, right: _Net, a: Colours, b: Colours) -> bool:
    stack = [(a, b)]
    while stack:
        a, b = _refined(left, right, *stack.pop())
        counts = Counter(a)
        if counts != Counter(b):
            continue
        shared = [colour for colour, count in counts.items() if count > 1]
        if not shared:
            if _agree(left, right, a, b):
                return True
            continue
        colour = min(shared, key=lambda c: counts[c])
        fresh = max(counts) + 1
        chosen = list(a)
        chosen[a.index(colour)] = fresh
        for vertex in [v for v, c in enumerate(b) if c == colour]:
            guess = list(b)
            guess[vertex] = fresh
            stack.append((chosen, guess))
    return False


def _refined(left: _Net, right: _Net, a: Colours, b: Colours) -> tuple[Colours, Colours]:
    """Colour by operands in order, then by readers, until nothing new is told apart."""
    number = 0
    while True:
        ids: dict[Hashable, int] = {}
        a, b = left.forward(a, ids), right.forward(b, ids)
        ids = {}
        a, b = left.backward(a, ids), right.backward(b, ids)
        found = len(set(a))
        if found == number or found != len(set(b)):
            return a, b
        number = found


def _agree(left: _Net, right: _Net, a: Colours, b: Colours) -> bool:
    twin = {colour: vertex for vertex, colour in enumerate(b)}
    for vertex, colour in enumerate(a):
        mapped = [(twin[a[source]], index) for source, index in left.operands[vertex]]
        if mapped != right.operands[twin[colour]]:
            return False
    outputs = [(twin[a[source]], index) for source, index in left.outputs]
    return outputs == right.outputs


class _Net:
    """A graph as numbered vertices: inputs, used constants and nodes, in an order of use.

    Attributes:
        labels: What each vertex is by itself.
        operands: The vertex and result index behind each operand.
        outputs: The same behind each output.
    """

    def __init__(self, graph: Graph, known: Known) -> None:
        self.labels: list[Hashable] = []
        self.operands: list[list[tuple[int, int]]] = []
        where: dict[Value, tuple[int, int]] = {}
        for position, value in enumerate(graph.inputs):
            where[value] = (self._add(("input", position, value.type, _bits(value)), []), 0)
        for value in graph.constants:
            where[value] = (self._add(("constant", value.type, _bits(value)), []), 0)
        for node in graph.nodes:
            vertex = self._add(
                _node_label(node, known), [where[operand] for operand in node.inputs]
            )
            for index, value in enumerate(node.outputs):
                where[value] = (vertex, index)
        self.outputs = [where[value] for value in graph.outputs]
        self._readers: list[list[tuple[int, int, int]]] = [[] for _ in self.labels]
        for reader, operands in enumerate(self.operands):
            for position, (source, index) in enumerate(operands):
                self._readers[source].append((reader, position, index))
        self._returned: list[list[tuple[int, int]]] = [[] for _ in self.labels]
        for position, (source, index) in enumerate(self.outputs):
            self._returned[source].append((position, index))

    def _add(self, label: Hashable, operands: list[tuple[int, int]]) -> int:
        self.labels.append(label)
        self.operands.append(operands)
        return len(self.labels) - 1

    def forward(self, colours: Colours, ids: dict[Hashable, int]) -> Colours:
        """Return colours told apart by those of the operands, which come first."""
        made: Colours = []
        for vertex, colour in enumerate(colours):
            key = (colour, tuple([(made[s], i) for s, i in self.operands[vertex]]))
            made.append(ids.setdefault(key, len(ids)))
        return made

    def backward(self, colours: Colours, ids: dict[Hashable, int]) -> Colours:
        """Return colours told apart by those of the readers, which come later."""
        made: Colours = [0] * len(colours)
        for vertex in range(len(colours) - 1, -1, -1):
            read = sorted([(made[r], p, i) for r, p, i in self._readers[vertex]])
            key = (colours[vertex], tuple(read), tuple(self._returned[vertex]))
            made[vertex] = ids.setdefault(key, len(ids))
        return made


def _bits(value: Value) -> bytes | None:
    return None if value.data is None else value.data.tobytes()


def _node_label(node: Node, known: Known) -> Hashable:
    types = tuple(value.type for value in node.outputs)
    if not nested_graphs(node.op):
        return (node.op, types)
    return (_NestedLabel(node.op, known), types)


class _NestedLabel:
    """An op with nested graphs, equal when those are isomorphic."""

    def __init__(self, op: Op, known: Known) -> None:
        self._op = op
        self._known = known
        self._graphs = nested_graphs(op)
        self._rest: dict[str, Any] = {
            name: value
            for name, value in op.parameters.items()
            if not any(value is graph for graph in self._graphs)
        }

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _NestedLabel)
            and type(self._op) is type(other._op)
            and self._rest == other._rest
            and all(
                _isomorphic(a, b, self._known)
                for a, b in zip(self._graphs, other._graphs, strict=True)
            )
        )

    def __hash__(self) -> int:
        return hash((type(self._op), tuple(len(graph.nodes) for graph in self._graphs)))
