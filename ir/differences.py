"""What changed from one graph to another, for people."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ir.equality import arrays_identical
from ir.nesting import nested_graphs
from ir.printer import data_text, node_text, value_names

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from ir.graph import Graph, Node, Value


class Difference(NamedTuple):
    """One difference.

    Attributes:
        kind: ``"interface"``, ``"constant"``, ``"removed"``, ``"added"``, ``"changed"`` (op,
            parameters or types), ``"rewired"`` (other operands) or ``"metadata"``.
        before: What the first graph has, as text.
        after: What the second has.
    """

    kind: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        lines = [] if self.before is None else [f"- {self.before}"]
        lines += [] if self.after is None else [f"+ {self.after}"]
        return "\n".join(lines)


class GraphDiff:
    """The differences between two graphs; true when there are any.

    Locations and the names of inner values do not count.

    Attributes:
        before: The first graph.
        after: The second.
        differences: In the order of the graphs' text.
        nested: Differences inside nested graphs of nodes that are otherwise alike.
        unchanged: Number of nodes that are the same.
    """

    def __init__(self, before: Graph, after: Graph) -> None:
        self.before = before
        self.after = after
        self.nested: list[GraphDiff] = []
        pairing = _Pairing(before, after)
        self.differences = (
            *_interface(before, after),
            *_metadata(before, after),
            *pairing.constants(),
            *pairing.nodes(self.nested),
            *pairing.outputs(),
        )
        self.unchanged = pairing.unchanged

    def __bool__(self) -> bool:
        return len(self) > 0

    def __len__(self) -> int:
        return len(self.differences) + sum(map(len, self.nested))

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __str__(self) -> str:
        name = self.before.name
        if self.after.name != name:
            name = f"{name} -> {self.after.name}"
        same = f"{_counted(self.unchanged, 'node')} the same"
        if not self:
            return f"{name}: no differences, {same}"
        lines = [f"{name}: {_counted(len(self), 'difference')}, {same}"]
        lines += map(str, self.differences)
        for inner in self.nested:
            lines += [f"  {line}" for line in str(inner).splitlines()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<GraphDiff {self.before.name!r}: {_counted(len(self), 'difference')}>"


def _interface(a: Graph, b: Graph) -> Iterator[Difference]:
    """Compare the declarations of inputs and outputs, by name."""
    for what, before, after in (
        ("input", _declared(a.inputs), _declared(b.inputs)),
        (
            "output",
            dict(zip(a.output_names, a.outputs, strict=True)),
            dict(zip(b.output_names, b.outputs, strict=True)),
        ),
    ):
        for name in {**before, **after}:
            texts = [
                f"{what} {name}: {side[name].type}" if name in side else None
                for side in (before, after)
            ]
            if texts[0] != texts[1]:
                yield Difference("interface", texts[0], texts[1])
        shared = [
            [name for name in side if name in before and name in after]
            for side in (before, after)
        ]
        if shared[0] != shared[1]:
            orders = [f"order of {what}s: {', '.join(names)}" for names in shared]
            yield Difference("interface", orders[0], orders[1])
    for name, value in _declared(a.inputs).items():
        twin = _declared(b.inputs).get(name)
        if twin is not None and not arrays_identical(value.data, twin.data):
            yield Difference(
                "interface",
                f"default of {name}: {_data(value)}",
                f"default of {name}: {_data(twin)}",
            )


def _metadata(a: Graph, b: Graph) -> Iterator[Difference]:
    for key in {**a.metadata, **b.metadata}:
        before, after = a.metadata.get(key), b.metadata.get(key)
        if before != after:
            yield Difference(
                "metadata",
                None if before is None else f"metadata {key}: {before}",
                None if after is None else f"metadata {key}: {after}",
            )


class _Pairing:
    """Which nodes and constants of two graphs stand for each other."""

    def __init__(self, a: Graph, b: Graph) -> None:
        self._a, self._b = a, b
        self._names = (value_names(a), value_names(b))
        self._twin: dict[Value, Value] = {}
        self.unchanged = 0
        others = _declared(b.inputs)
        for name, value in _declared(a.inputs).items():
            if name in others:
                self._twin[value] = others[name]
        for x, y in zip(a.inputs, b.inputs, strict=False):
            if x.type == y.type and x not in self._twin and y not in self._twin.values():
                self._twin[x] = y  # only its name changed
        self._steps = _aligned(a.nodes, b.nodes)
        for m, n in self._steps:
            if m is not None and n is not None:
                self._twin.update(zip(m.outputs, n.outputs, strict=False))
                for x, y in zip(m.inputs, n.inputs, strict=False):
                    if _is_constant(x) and _is_constant(y) and x.type == y.type:
                        self._twin.setdefault(x, y)

    def constants(self) -> Iterator[Difference]:
        """Compare the data of constants that the same operands of twin nodes read."""
        for value in self._a.constants:
            twin = self._twin.get(value)
            if twin is not None and not arrays_identical(value.data, twin.data):
                names = [
                    f"constant %{n[v]}"
                    for n, v in zip(self._names, (value, twin), strict=True)
                ]
                yield Difference(
                    "constant",
                    f"{names[0]} : {value.type} = {_data(value)}",
                    f"{names[1]} : {twin.type} = {_data(twin)}  ({_distance(value, twin)})",
                )

    def nodes(self, nested: list[GraphDiff]) -> Iterator[Difference]:
        """Compare nodes; twins that differ only inside their graphs go to ``nested``."""
        for m, n in self._steps:
            before = None if m is None else self._text(m, 0)
            after = None if n is None else self._text(n, 1)
            if m is None or n is None:
                yield Difference("added" if m is None else "removed", before, after)
            elif m.op != n.op and _only_inside(m, n):
                pairs = zip(nested_graphs(m.op), nested_graphs(n.op), strict=True)
                found = [GraphDiff(x, y) for x, y in pairs]
                nested += [diff for diff in found if diff]
                self.unchanged += not any(found)
            elif _label(m) != _label(n):
                yield Difference("changed", before, after)
            elif not all(map(self._same, m.inputs, n.inputs)):
                yield Difference("rewired", before, after)
            else:
                self.unchanged += 1

    def outputs(self) -> Iterator[Difference]:
        """Compare what is returned under the same name."""
        others = dict(zip(self._b.output_names, self._b.outputs, strict=True))
        for name, value in zip(self._a.output_names, self._a.outputs, strict=True):
            other = others.get(name)
            if other is not None and other.type == value.type and not self._same(value, other):
                yield Difference(
                    "rewired",
                    f"return {name}=%{self._names[0][value]}",
                    f"return {name}=%{self._names[1][other]}",
                )

    def _same(self, x: Value, y: Value) -> bool:
        if self._twin.get(x) is y:
            return True
        return _is_constant(x) and _is_constant(y) and arrays_identical(x.data, y.data)

    def _text(self, node: Node, side: int) -> str:
        at = "" if node.location is None else f"  # {node.location}"
        return f"{node_text(node, self._names[side])}{at}"


def _aligned(a: Sequence[Node], b: Sequence[Node]) -> list[tuple[Node | None, Node | None]]:
    """Pair nodes in order: those alike, and between them those of the same op."""
    x, y = [_label(node) for node in a], [_label(node) for node in b]
    # trimmed first: matching long sequences of few labels takes quadratic time
    head = _common(x, y)
    tail = _common(x[head:][::-1], y[head:][::-1])
    steps: list[tuple[Node | None, Node | None]] = list(zip(a[:head], b[:head], strict=True))
    a_middle, b_middle = a[head : len(a) - tail], b[head : len(b) - tail]
    matcher = difflib.SequenceMatcher(
        None, x[head : len(x) - tail], y[head : len(y) - tail], autojunk=len(a) > 1000
    )
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            steps += zip(a_middle[i:j], b_middle[k:m], strict=True)
        else:
            steps += _paired(a_middle[i:j], b_middle[k:m])
    return steps + list(zip(a[len(a) - tail :], b[len(b) - tail :], strict=True))


def _paired(
    removed: Sequence[Node], added: Sequence[Node]
) -> list[tuple[Node | None, Node | None]]:
    steps: list[tuple[Node | None, Node | None]] = []
    rest = list(added)
    for node in removed:
        index = next(
            (i for i, other in enumerate(rest) if other.op.name == node.op.name), None
        )
        if index is None:
            steps.append((node, None))
        else:
            steps += [(None, other) for other in rest[:index]]
            steps.append((node, rest[index]))
            del rest[: index + 1]
    return steps + [(None, other) for other in rest]


def _label(node: Node) -> Hashable:
    types = tuple(value.type for value in (*node.inputs, *node.outputs))
    return (node.op, types)


def _common(x: Sequence[Hashable], y: Sequence[Hashable]) -> int:
    return next(
        (i for i, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), min(len(x), len(y))
    )


def _only_inside(m: Node, n: Node) -> bool:
    """Whether two nodes differ in nothing but the contents of their graphs."""
    a, b = m.op.parameters, n.op.parameters
    graphs = [len(nested_graphs(node.op)) for node in (m, n)]
    if type(m.op) is not type(n.op) or not graphs[0] or graphs[0] != graphs[1]:
        return False
    inside = [key for key, value in a.items() if any(value is g for g in nested_graphs(m.op))]
    types = [[value.type for value in (*node.inputs, *node.outputs)] for node in (m, n)]
    return types[0] == types[1] and all(a[key] == b[key] for key in a if key not in inside)


def _declared(inputs: Sequence[Value]) -> dict[str, Value]:
    return {str(value.name): value for value in inputs}


def _is_constant(value: Value) -> bool:
    return value.producer is None and value.data is not None


def _data(value: Value) -> str:
    return "none" if value.data is None else data_text(value)


def _distance(a: Value, b: Value) -> str:
    x, y = (np.ascontiguousarray(value.data).reshape(-1) for value in (a, b))
    bytes_differ = x.view(np.uint8) != y.view(np.uint8)
    count = np.count_nonzero(bytes_differ.reshape(x.size, -1).any(axis=1))
    with np.errstate(all="ignore"):
        gaps = np.abs(x.astype(np.float64) - y.astype(np.float64))
    most = gaps[~np.isnan(gaps)].max(initial=0.0)
    return f"{count:,} of {x.size:,} elements differ, by {most:.3g} at most"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
