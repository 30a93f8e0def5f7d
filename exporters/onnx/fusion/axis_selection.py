"""Reading an array at constant positions: as slices where evenly spaced, in the cheaper order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.fusion.index_arithmetic import index_grid
from exporters.onnx.fusion.paths import is_lone
from exporters.onnx.fusion.patterns import Constant, Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from ir.ops import interned
from ir.ops import shaping as shp
from ir.ops.indexing import GatherND, Take
from ir.shapes import product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ir.graph import Graph, Node, Value

    Array = np.ndarray[Any, Any]

_LARGEST = 1 << 24
_DEEPEST = 4


def _is_line(positions: Array) -> bool:
    return positions.ndim == 1 and positions.size > 0


POSITIONS = Constant("positions", _is_line)


@fuses(Result(Take, Pattern("x"), POSITIONS), stage=Stage.SHAPES)
def take_is_slice(site: Site) -> Value | None:
    """A gather at evenly spaced positions is a slice."""
    x, axis = site["x"], site.root.op.parameters["axis"]
    grid = index_grid(site["positions"], site.graph)
    length = x.type.shape[axis]
    if grid is None or not isinstance(length, int) or not grid.is_inside(length):
        return None
    counters = grid.axes[0]
    if len(counters) > 1 or any(counter.stride == 0 for counter in counters):
        return None
    starts, sizes, steps = [0] * x.type.rank, list(x.type.shape), [1] * x.type.rank
    starts[axis], sizes[axis] = grid.start, site.type.shape[axis]
    if counters:
        steps[axis] = counters[0].stride
    return site.apply(interned(shp.Slice, tuple(starts), tuple(sizes), tuple(steps)), x)


@fuses(
    Result(Take, Result(Take, Pattern("x"), Constant("inner"), name="taken"), POSITIONS),
    stage=Stage.SHAPES,
)
def take_of_take(site: Site) -> Value | None:
    """A gather from a gather along the same axis is one gather."""
    outer, inner = site.root.op, site.array("inner")
    positions = site.array("positions")
    if outer != site.op("taken") or inner.ndim != 1:
        return None
    if not (positions.max() < inner.size and positions.min() >= -inner.size):
        return None
    return site.apply(outer, site["x"], site.constant(inner[positions]))


# --- cropped, then taken from -------------------------------------------------------------


def _takes_before(site: Site, value: Value, axis: int) -> list[Node]:
    """Return gathers along other axes, in lines, that made a value, the last first."""
    found: list[Node] = []
    while len(found) < _DEEPEST and is_lone(site, value):
        node = value.producer
        if node is None or not isinstance(node.op, Take) or node.op.axis == axis:
            break
        if node.inputs[1].type.rank != 1:
            break
        found.append(node)
        value = node.inputs[0]
    return found


@fuses(Result(Take, Pattern("x"), POSITIONS), stage=Stage.SHAPES)
def take_of_slice(site: Site) -> Value | None:
    """A gather from a slice takes from the whole axis instead."""
    axis, positions = site.root.op.parameters["axis"], site.array("positions")
    takes = _takes_before(site, site["x"], axis)
    source = takes[-1].inputs[0] if takes else site["x"]
    node = source.producer
    if node is None or not isinstance(node.op, shp.Slice) or not is_lone(site, source):
        return None
    op, x = node.op, node.inputs[0]
    start, size, step, length = (
        op.starts[axis],
        op.sizes[axis],
        op.steps[axis],
        x.type.shape[axis],
    )
    if not (isinstance(start, int) and isinstance(size, int) and isinstance(length, int)):
        return None
    if (start, size, step) == (0, length, 1):
        return None
    if not (positions.max() < size and positions.min() >= -size):
        return None
    places = start + np.where(positions < 0, positions + size, positions) * step
    starts, sizes, steps = list(op.starts), list(op.sizes), list(op.steps)
    starts[axis], sizes[axis], steps[axis] = 0, length, 1
    value = x
    if tuple(sizes) != x.type.shape or any(starts) or any(other != 1 for other in steps):
        value = site.apply(
            interned(shp.Slice, tuple(starts), tuple(sizes), tuple(steps)), value
        )
    for take in reversed(takes):
        value = site.apply(take.op, value, take.inputs[1])
    return site.apply(site.root.op, value, site.constant(places))


# --- two axes -----------------------------------------------------------------------------


def _known(value: Value, graph: Graph, depth: int = _DEEPEST) -> Array | None:
    """Return positions that were only reshaped and repeated since they were a constant."""
    if not isinstance(size := product(value.type.shape), int) or size > _LARGEST:
        return None
    node = value.producer
    if node is None:
        return None if value in graph.inputs else value.data
    if not depth or not isinstance(node.op, (shp.Reshape, shp.BroadcastTo)):
        return None
    inner = _known(node.inputs[0], graph, depth - 1)
    return None if inner is None else node.op.evaluate(inner)[0]


def _columns(coordinates: Value, graph: Graph) -> list[Array] | None:
    """Return constant positions along each of the leading axes."""
    node = coordinates.producer
    if node is not None and node.op == shp.Concatenate(coordinates.type.rank - 1):
        parts = [_known(part, graph) for part in node.inputs]
        found = [part[..., 0] for part in parts if part is not None and part.shape[-1] == 1]
        return found if len(found) == len(parts) else None
    whole = _known(coordinates, graph)
    return None if whole is None else list(np.moveaxis(whole, -1, 0))


def _line_along(column: Array, axis: int) -> Array | None:
    """Return positions that differ along one axis only, as a line."""
    first: Any = tuple(slice(None) if a == axis else slice(1) for a in range(column.ndim))
    line = column[first]
    return line.reshape(-1) if (column == line).all() else None


@fuses(Result(GatherND, Pattern("x"), Pattern("coordinates")), stage=Stage.SHAPES)
def take_of_each_axis(site: Site) -> Value | None:
    """A gather at the crossings of constant rows and columns takes the rows, then the columns."""
    columns = _columns(site["coordinates"], site.graph)
    if columns is None or len(columns) != columns[0].ndim or not columns[0].size:
        return None
    value = site["x"]
    for axis, column in enumerate(columns):
        line = _line_along(column, axis)
        if line is None:
            return None
        value = site.apply(interned(Take, axis), value, site.constant(line.astype(np.int64)))
    return value


@fuses(Result(shp.Transpose, Pattern("x")), stage=Stage.SHAPES)
def transpose_before_takes(site: Site) -> Value | None:
    """A transpose after gathers is done before them where it meets another."""
    takes = _takes_before(site, site["x"], -1)
    source = takes[-1].inputs[0] if takes else site["x"]
    node = source.producer
    if not takes or node is None or not isinstance(node.op, shp.Transpose):
        return None
    axes: tuple[int, ...] = site.root.op.parameters["axes"]
    value = site.apply(site.root.op, source)
    for take in reversed(takes):
        axis = axes.index(take.op.parameters["axis"])
        value = site.apply(interned(Take, axis), value, take.inputs[1])
    return value


_BLOCK, _BYTE = 2.5, 0.1
"""Nanoseconds that a gather takes for each block it copies, and for each byte (measured)."""


def _cost(shape: Sequence[int], itemsize: int, *takes: tuple[int, int]) -> float:
    """Return about how long gathers take, each given as its axis and number of positions."""
    sizes, cost = list(shape), 0.0
    for axis, count in takes:
        sizes[axis] = count
        inner = int(np.prod(sizes[axis + 1 :]))
        blocks = int(np.prod(sizes[: axis + 1]))
        cost += blocks * (_BLOCK + inner * itemsize * _BYTE)
    return cost


@fuses(
    Result(Take, Result(Take, Pattern("x"), Pattern("inner"), name="taken"), Pattern("outer")),
    stage=Stage.FINISH,
)
def cheaper_take_first(site: Site) -> Value | None:
    """Of two gathers along different axes the one goes first with which less is copied."""
    first, second = site.op("taken").axis, site.root.op.parameters["axis"]
    inner, outer, x = site["inner"], site["outer"], site["x"]
    shape = [dim for dim in x.type.shape if isinstance(dim, int)]
    lines = inner.type.rank == outer.type.rank == 1
    if first == second or not lines or len(shape) != x.type.rank:
        return None
    before, after = inner.type.shape[0], outer.type.shape[0]
    if not (isinstance(before, int) and isinstance(after, int)):
        return None
    one, other, size = (first, before), (second, after), x.type.dtype.itemsize
    if _cost(shape, size, other, one) > 0.9 * _cost(shape, size, one, other):
        return None
    taken = site.apply(site.root.op, x, outer)
    return site.apply(interned(Take, first), taken, inner)
