"""Evenly spaced positions: index arrays as a start and counters."""

from __future__ import annotations

from itertools import accumulate, pairwise
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ir.dims import Dim, prove_lt
from ir.ops import elementwise as ew
from ir.ops import shaping as shp

if TYPE_CHECKING:
    from ir.dims import DimLike
    from ir.graph import Graph, Value

_LARGEST = 1 << 24
"""Index arrays of more elements are not looked into."""


class Counter(NamedTuple):
    """``size`` positions, ``stride`` apart."""

    size: DimLike
    stride: int


class IndexGrid(NamedTuple):
    """Positions ``start + sum(index * stride)`` for the axes of an index array.

    Attributes:
        start: The first position.
        axes: The counters of each axis, the slowest first; none for an axis of 1.
    """

    start: int
    axes: tuple[tuple[Counter, ...], ...]

    def is_inside(self, length: DimLike) -> bool:
        """Whether all positions lie on an axis, none counted from its end."""
        low, high = self.start, self.start + 1
        reach: DimLike = high
        for counter in (counter for axis in self.axes for counter in axis):
            span = (counter.size - 1) * counter.stride
            if isinstance(span, Dim):
                reach = reach + span
            else:
                low, reach = low + min(span, 0), reach + max(span, 0)
        return low >= 0 and (reach == length or prove_lt(reach, length + 1) is True)


def radix(places: np.ndarray[Any, Any]) -> list[tuple[int, np.ndarray[Any, Any]]] | None:
    """Return the counters, slowest first, that run through rows of integers in their order.

    Args:
        places: ``(count, width)``; the first row is where the counters start.
    """
    counters: list[tuple[int, np.ndarray[Any, Any]]] = []
    places = places - places[0]
    while len(places) > 1:
        stride = places[1]
        run = 1
        while run < len(places) and (places[run] == stride * run).all():
            run += 1
        if len(places) % run or run == 1:
            return None
        blocks = places.reshape(-1, run, places.shape[1])
        if not (blocks == blocks[:, :1] + places[:run]).all():
            return None
        counters.append((run, stride))
        places = blocks[:, 0]
    return counters[::-1]


def constant_grid(coordinates: np.ndarray[Any, Any]) -> tuple[IndexGrid, ...] | None:
    """Return one grid per column of coordinates, all counting alike."""
    *sizes, width = coordinates.shape
    if not 0 < coordinates.size <= _LARGEST:
        return None
    origin = coordinates.reshape(-1, width)[0]
    axes: list[list[tuple[int, np.ndarray[Any, Any]]]] = []
    whole = origin.reshape((1,) * len(sizes) + (width,))
    for axis, size in enumerate(sizes):
        line = np.moveaxis(coordinates, axis, 0).reshape(size, -1, width)[:, 0]
        counters = radix(line)
        if counters is None:
            return None
        axes.append(counters)
        shape = [1] * len(sizes) + [width]
        shape[axis] = size
        whole = whole + (line - origin).reshape(shape)
    if not (whole == coordinates).all():
        return None
    return tuple(
        IndexGrid(
            int(origin[column]),
            tuple(
                tuple(Counter(size, int(stride[column])) for size, stride in counters)
                for counters in axes
            ),
        )
        for column in range(width)
    )


def index_grid(value: Value, graph: Graph, depth: int = 6) -> IndexGrid | None:
    """Return positions that are a constant, ``arange`` of a size, or sums of these."""
    node = value.producer
    if node is None:
        if value.data is None or value in graph.inputs:
            return None
        grids = constant_grid(value.data[..., None])
        return None if grids is None else grids[0]
    if isinstance(node.op, shp.Iota):
        return IndexGrid(0, ((Counter(node.op.size, 1),),))
    if not depth:
        return None
    if isinstance(node.op, shp.Reshape):
        return _with_axes_of_one(value, index_grid(node.inputs[0], graph, depth - 1))
    if isinstance(node.op, shp.BroadcastTo):
        return _repeated(value, index_grid(node.inputs[0], graph, depth - 1))
    if node.op is ew.add:
        first, second = (index_grid(operand, graph, depth - 1) for operand in node.inputs)
        return None if first is None or second is None else _sum(first, second)
    return None


def _with_axes_of_one(value: Value, grid: IndexGrid | None) -> IndexGrid | None:
    if grid is None:
        return None
    counting = [axis for axis in grid.axes if axis]
    shape = [dim for dim in value.type.shape if dim != 1]
    if len(shape) != len(counting):
        return None
    rest = iter(counting)
    return IndexGrid(
        grid.start, tuple(() if dim == 1 else next(rest) for dim in value.type.shape)
    )


def _repeated(value: Value, grid: IndexGrid | None) -> IndexGrid | None:
    if grid is None:
        return None
    shape = value.type.shape
    axes = ((),) * (len(shape) - len(grid.axes)) + grid.axes
    return grid._replace(
        axes=tuple(
            (Counter(dim, 0),) if not axis and dim != 1 else axis
            for axis, dim in zip(axes, shape, strict=True)
        )
    )


def coordinate_grids(value: Value, graph: Graph) -> tuple[IndexGrid, ...] | None:
    """Return one grid per column of coordinates, which are a constant or joined columns."""
    node = value.producer
    if node is None:
        known = value.data is not None and value not in graph.inputs
        return constant_grid(value.data) if known and value.data is not None else None
    if node.op != shp.Concatenate(value.type.rank - 1):
        return None
    grids = []
    for part in node.inputs:
        grid = index_grid(part, graph) if part.type.shape[-1] == 1 else None
        if grid is None:
            return None
        grids.append(grid._replace(axes=grid.axes[:-1]))
    return tuple(grids)


def aligned(lines: list[tuple[Counter, ...]]) -> list[tuple[Counter, ...]] | None:
    """Return several ways to count through as many positions, with the same sizes in each."""
    sizes = [[counter.size for counter in line] for line in lines]
    if all(other == sizes[0] for other in sizes):
        return lines
    ends = [_ends(line) for line in lines]
    steps = sorted({end for line in ends for end in line})
    if any(b % a for a, b in pairwise(steps)) or any(len(line) == 1 for line in ends):
        return None
    return [_split(line, steps) for line in lines]


def _ends(line: tuple[Counter, ...]) -> list[int]:
    """Return after how many positions each counter has run through, the fastest first."""
    sizes = [counter.size for counter in reversed(line) if isinstance(counter.size, int)]
    return [1, *accumulate(sizes, mul)] if len(sizes) == len(line) else [1]


def _split(line: tuple[Counter, ...], steps: list[int]) -> tuple[Counter, ...]:
    made = []
    for (start, stop), counter in zip(pairwise(_ends(line)), reversed(line), strict=True):
        inside = [step for step in steps if start <= step <= stop]
        made += [Counter(b // a, counter.stride * (a // start)) for a, b in pairwise(inside)]
    return tuple(reversed(made))


def _sum(first: IndexGrid, second: IndexGrid) -> IndexGrid | None:
    rank = max(len(first.axes), len(second.axes))
    one, other = (((),) * (rank - len(grid.axes)) + grid.axes for grid in (first, second))
    if any(a and b for a, b in zip(one, other, strict=True)):
        return None
    axes = tuple(a or b for a, b in zip(one, other, strict=True))
    return IndexGrid(first.start + second.start, axes)
