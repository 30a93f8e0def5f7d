"""Columns taken apart, added, scaled and joined again: a product with a small constant matrix.

``concatenate([c - s / 2, c + s / 2], 1)`` of the halves of ``boxes`` is ``boxes @ m + b``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exporters.onnx.fusion.patterns import Constant, Pattern, Result, keeps_digits
from exporters.onnx.fusion.rules import EXACT, Site, Stage, fuses
from ir.ops import elementwise as ew
from ir.ops.linear_algebra import matmul
from ir.ops.shaping import Concatenate, Slice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ir.graph import Graph, Node, Value

    Array = np.ndarray[Any, Any]

_WIDEST = 64
_DEEPEST, _MOST = 48, 256
_FEWEST = 4
"""How many ops a product has to replace at least; it costs about as much as two."""


class Combination(NamedTuple):
    """Rows of ``base @ matrix + shift``.

    Attributes:
        base: An array of rank 2 or more.
        matrix: Numbers by column of the base and of the result.
        shift: Numbers by column of the result.
        nodes: What it was read off.
    """

    base: Value
    matrix: Array
    shift: Array
    nodes: frozenset[Node]

    def then(self, node: Node, matrix: Array, shift: Array) -> Combination:
        """Return other numbers, read off one more node."""
        return Combination(self.base, matrix, shift, self.nodes | {node})


def _columns(value: Value) -> int | None:
    """Return how many columns an array has, if that is known and few."""
    columns = value.type.shape[-1] if value.type.rank > 1 else None
    return columns if isinstance(columns, int) and 0 < columns <= _WIDEST else None


class _Search:
    """What was found out about values; a value that is read twice is looked at once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[Value, Combination | None] = {}
        self._depth = 0

    def combination(self, value: Value) -> Combination | None:
        """Return what a value is of the array that it was computed from."""
        if value not in self._known:
            self._depth += 1
            self._known[value] = self._found(value)
            self._depth -= 1
        return self._known[value]

    def _found(self, value: Value) -> Combination | None:
        node, columns = value.producer, _columns(value)
        if columns is None:
            return None
        if node is not None and self._depth <= _DEEPEST and len(self._known) <= _MOST:
            rule = _RULES.get(node.op) or _RULES.get(type(node.op))
            found = rule(self, node) if rule is not None else None
            if found is not None:
                return found
        return Combination(value, np.eye(columns), np.zeros(columns), frozenset())


def _of_slice(search: _Search, node: Node) -> Combination | None:
    op, (source,) = node.op, node.inputs
    assert isinstance(op, Slice)
    start, columns, taken = op.starts[-1], _columns(source), op.sizes[-1]
    whole = op.sizes[:-1] == source.type.shape[:-1] and all(
        step == 1 for step in op.steps[:-1]
    )
    if (
        columns is None
        or not whole
        or not isinstance(start, int)
        or not isinstance(taken, int)
    ):
        return None
    inner = search.combination(source)
    if inner is None:
        return None
    chosen = start + op.steps[-1] * np.arange(taken)
    return inner.then(node, inner.matrix[:, chosen], inner.shift[chosen])


def _of_concatenate(search: _Search, node: Node) -> Combination | None:
    op = node.op
    assert isinstance(op, Concatenate)
    parts = [search.combination(operand) for operand in node.inputs]
    known = [part for part in parts if part is not None]
    last = node.outputs[0].type.rank - 1
    if len(known) < len(parts) or op.axis != last or len({part.base for part in known}) > 1:
        return None
    return Combination(
        known[0].base,
        np.concatenate([part.matrix for part in known], 1),
        np.concatenate([part.shift for part in known]),
        frozenset((node,)).union(*(part.nodes for part in known)),
    )


def _row(graph: Graph, value: Value, columns: int) -> Array | None:
    """Return a constant as one finite number per column, if it is that."""
    data = value.data
    if data is None or value.producer is not None or value in graph.inputs:
        return None
    if data.size not in (1, columns) or data.shape[-1:] not in ((), (data.size,)):
        return None
    row = np.broadcast_to(data.astype(np.float64).reshape(-1), (columns,))
    return row if np.isfinite(row).all() else None


def _of_arithmetic(search: _Search, node: Node) -> Combination | None:
    """Read a sum, a difference, a product or a quotient; the result is as wide as an operand."""
    result = node.outputs[0]
    columns = _columns(result)
    if columns is None:
        return None
    rows = [_row(search.graph, operand, columns) for operand in node.inputs]
    arrays = [v for v, row in zip(node.inputs, rows, strict=True) if row is None]
    if any(array.type != result.type for array in arrays):
        return None
    inner = [search.combination(array) for array in arrays]
    found = [part for part in inner if part is not None]
    if len(found) < len(inner) or not found or len({part.base for part in found}) > 1:
        return None
    if len(found) == 2:
        return _of_two(node, *found)
    constant = next(row for row in rows if row is not None)
    return _with_constant(node, found[0], constant, first=rows[0] is None)


def _of_two(node: Node, a: Combination, b: Combination) -> Combination | None:
    if node.op not in (ew.add, ew.subtract):
        return None
    sign = 1 if node.op is ew.add else -1
    nodes = a.nodes | b.nodes | {node}
    return Combination(a.base, a.matrix + sign * b.matrix, a.shift + sign * b.shift, nodes)


def _with_constant(
    node: Node, part: Combination, constant: Array, *, first: bool
) -> Combination | None:
    op = node.op
    if op is ew.add:
        return part.then(node, part.matrix, part.shift + constant)
    if op is ew.subtract:
        if first:
            return part.then(node, part.matrix, part.shift - constant)
        return part.then(node, -part.matrix, constant - part.shift)
    if op is ew.divide and (not first or not constant.all()):
        return None
    scale = 1 / constant if op is ew.divide else constant
    return part.then(node, part.matrix * scale, part.shift * scale)


_RULES: dict[Any, Callable[[_Search, Node], Combination | None]] = {
    Slice: _of_slice,
    Concatenate: _of_concatenate,
    **dict.fromkeys((ew.add, ew.subtract, ew.multiply, ew.divide), _of_arithmetic),
}


def _leaves_nothing(site: Site, found: Combination) -> bool:
    """Whether nothing else reads what was computed on the way."""
    return all(
        reader in found.nodes
        for node in found.nodes
        if node is not site.root
        for reader in _readers(site, node)
    )


def _readers(site: Site, node: Node) -> Iterator[Node | None]:
    (result,) = node.outputs
    yield from site.facts.readers(result)
    if site.facts.is_output(result):
        yield None


@fuses(
    Result(Concatenate, name="joined"),
    level=2,
    stage=Stage.WHOLES,
    dtypes=EXACT,
    kernels=("MatMul",),
    needs=(Slice,),
)
def recombined_columns(site: Site) -> Value | None:
    """Columns added to one another, scaled and joined are a product with a constant matrix."""
    found = _Search(site.graph).combination(site["joined"])
    if found is None or len(found.nodes) < _FEWEST or not _leaves_nothing(site, found):
        return None
    dtype = site.type.dtype
    if not (keeps_digits(found.matrix, dtype) and keeps_digits(found.shift, dtype)):
        return None
    result = site.apply(matmul, found.base, site.constant(found.matrix.astype(dtype)))
    if found.shift.any():
        result = site.apply(ew.add, result, site.constant(found.shift.astype(dtype)))
    return result if result.type == site.type else None


@fuses(
    Result(ew.multiply, Result(matmul, Pattern("x"), Constant("weights")), Constant("row")),
    level=2,
    stage=Stage.FINISH,
    dtypes=EXACT,
)
def scaled_product(site: Site) -> Value | None:
    """The columns of a product times numbers are a product with scaled weights."""
    weights, row = (
        site.array("weights"),
        _row(site.graph, site["row"], site.array("weights").shape[-1]),
    )
    if row is None or weights.ndim != 2 or site["row"].type.rank > site.type.rank:
        return None
    scaled = weights.astype(np.float64) * row
    if not keeps_digits(scaled, site.type.dtype):
        return None
    return site.apply(matmul, site["x"], site.constant(scaled.astype(site.type.dtype)))
