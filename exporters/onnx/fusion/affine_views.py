"""Which element of an array each element of another is: movements of data as arithmetic.

Slices, transposes, reshapes, stacked slices and gathers at constant, evenly spaced positions all
move element ``start + sum(index * stride)`` of a base array, axis by axis. However windows were
cut out (``sliding_window_view``, fancy indices, stacked shifted slices), they look the same here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exporters.onnx.fusion.index_arithmetic import (
    aligned,
    coordinate_grids,
    index_grid,
    radix,
)
from ir.dims import Dim
from ir.ops import indexing as idx
from ir.ops import shaping as shp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exporters.onnx.fusion.index_arithmetic import IndexGrid
    from ir.dims import DimLike, Shape
    from ir.graph import Graph, Node, Value


class Atom(NamedTuple):
    """A counter: ``size`` steps, each moving by ``strides`` along the base's axes."""

    size: DimLike
    strides: tuple[int, ...]


Group = tuple[Atom, ...]
"""The counters that make up one axis of a result, the slowest first; none for an axis of 1."""


class AffineView(NamedTuple):
    """A value as elements of a base array.

    Attributes:
        base: The array that is read.
        starts: Where the first element is, per axis of the base.
        groups: The counters of each axis of the value.
    """

    base: Value
    starts: tuple[int, ...]
    groups: tuple[Group, ...]

    @property
    def atoms(self) -> Group:
        """All counters, the slowest first."""
        return tuple(atom for group in self.groups for atom in group)


def whole(value: Value) -> AffineView:
    """Return a value as all elements of itself."""
    rank = value.type.rank
    groups = tuple(
        () if dim == 1 else (Atom(dim, tuple(int(a == axis) for a in range(rank))),)
        for axis, dim in enumerate(value.type.shape)
    )
    return AffineView(value, (0,) * rank, groups)


_DEEPEST = 24
"""How many movements are followed at most."""


def affine_view(value: Value, graph: Graph, depth: int = _DEEPEST) -> AffineView:
    """Return a value as elements of the furthest array that it can be followed to."""
    node = value.producer
    step = None if node is None else _STEPS.get(type(node.op))
    if node is None or step is None or not depth or 0 in value.type.shape:
        return whole(value)
    return step(node, graph, depth - 1) or whole(value)


def _only(group: Group) -> Atom | None:
    return group[0] if len(group) == 1 else None


def _scaled(strides: tuple[int, ...], factor: int) -> tuple[int, ...]:
    return tuple(stride * factor for stride in strides)


def _moved(starts: tuple[int, ...], strides: tuple[int, ...], by: int) -> tuple[int, ...]:
    return tuple(start + stride * by for start, stride in zip(starts, strides, strict=True))


def _transposed(node: Node, graph: Graph, depth: int) -> AffineView | None:
    view = affine_view(node.inputs[0], graph, depth)
    axes: tuple[int, ...] = node.op.parameters["axes"]
    return view._replace(groups=tuple(view.groups[axis] for axis in axes))


def _sliced(node: Node, graph: Graph, depth: int) -> AffineView | None:
    op, shape = node.op, node.inputs[0].type.shape
    assert isinstance(op, shp.Slice)
    view = affine_view(node.inputs[0], graph, depth)
    starts, groups = view.starts, list(view.groups)
    for axis, (start, size, step) in enumerate(
        zip(op.starts, op.sizes, op.steps, strict=True)
    ):
        if (start, size, step) == (0, shape[axis], 1):
            continue
        atom = _only(groups[axis])
        if atom is None or not isinstance(start, int):
            return None
        starts = _moved(starts, atom.strides, start)
        groups[axis] = () if size == 1 else (Atom(size, _scaled(atom.strides, step)),)
    return view._replace(starts=starts, groups=tuple(groups))


def _reshaped(node: Node, graph: Graph, depth: int) -> AffineView | None:
    view = affine_view(node.inputs[0], graph, depth)
    groups = regrouped(view.atoms, node.outputs[0].type.shape)
    return None if groups is None else view._replace(groups=groups)


def rearranged(path: Sequence[Node]) -> tuple[Group, ...] | None:
    """Return what reshapes and transposes, the first one first, make of the axes they are given.

    Args:
        path: The nodes, each reading the one before.
    """
    if any(0 in node.outputs[0].type.shape for node in path):
        return None
    groups: tuple[Group, ...] | None = whole(path[0].inputs[0]).groups
    for node in path:
        if groups is None:
            return None
        if isinstance(node.op, shp.Transpose):
            groups = tuple(groups[axis] for axis in node.op.axes)
        else:
            atoms = tuple(atom for group in groups for atom in group)
            groups = regrouped(atoms, node.outputs[0].type.shape)
    return groups


def regrouped(atoms: Group, shape: Shape) -> tuple[Group, ...] | None:
    """Return counters as the axes of a shape, splitting those that span two of them."""
    rest, groups = list(atoms), []
    for dim in shape:
        group: list[Atom] = []
        size: DimLike = 1
        while size != dim:
            if not rest:
                return None
            atom = rest.pop(0)
            if size * atom.size == dim:
                group.append(atom)
                break
            if isinstance(dim, Dim) or isinstance(atom.size, Dim) or isinstance(size, Dim):
                group.append(atom)
                size = size * atom.size
                continue
            wanted, over = divmod(dim, size)
            if not wanted:
                return None  # an axis of no elements is no part of a counter
            if atom.size <= wanted:
                group.append(atom)
                size = size * atom.size
                continue
            inner, uneven = divmod(atom.size, wanted)
            if over or uneven:
                return None
            group.append(Atom(wanted, _scaled(atom.strides, inner)))
            rest.insert(0, Atom(inner, atom.strides))
            break
        groups.append(joined(group))
    return None if rest else tuple(groups)


def joined(group: Sequence[Atom]) -> Group:
    """Return counters with those joined that count on where the next one ends."""
    made: list[Atom] = []
    for atom in reversed(group):
        inner = made[-1] if made else None
        if (
            inner is not None
            and isinstance(inner.size, int)
            and atom.strides == _scaled(inner.strides, inner.size)
        ):
            made[-1] = Atom(atom.size * inner.size, inner.strides)
        else:
            made.append(atom)
    return tuple(reversed(made))


def _gathered(
    view: AffineView, axes: Sequence[int], grids: Sequence[IndexGrid]
) -> tuple[tuple[int, ...], list[Group]] | None:
    """Return starts and counters of reading several axes at positions counted together."""
    starts, groups = view.starts, [list[Atom]() for _ in grids[0].axes]
    for axis, grid in zip(axes, grids, strict=True):
        atom = _only(view.groups[axis])
        size = 1 if atom is None else atom.size
        if (atom is None and view.groups[axis]) or not grid.is_inside(size):
            return None
        if atom is not None:
            starts = _moved(starts, atom.strides, grid.start)
    for position, group in enumerate(groups):
        counters = aligned([grid.axes[position] for grid in grids])
        if counters is None:
            return None
        for place, (size, _) in enumerate(counters[0]):
            strides: tuple[int, ...] = (0,) * len(view.starts)
            for axis, other in zip(axes, counters, strict=True):
                atom = _only(view.groups[axis])
                if atom is not None:
                    strides = _moved(strides, atom.strides, other[place].stride)
            group.append(Atom(size, strides))
    return starts, [tuple(group) for group in groups]


def _taken(node: Node, graph: Graph, depth: int) -> AffineView | None:
    axis: int = node.op.parameters["axis"]
    grid = index_grid(node.inputs[1], graph)
    if grid is None:
        return None
    view = affine_view(node.inputs[0], graph, depth)
    found = _gathered(view, [axis], [grid])
    if found is None:
        return None
    starts, made = found
    groups = (*view.groups[:axis], *made, *view.groups[axis + 1 :])
    return view._replace(starts=starts, groups=groups)


def _gathered_together(node: Node, graph: Graph, depth: int) -> AffineView | None:
    grids = coordinate_grids(node.inputs[1], graph)
    view = affine_view(node.inputs[0], graph, depth)
    found = None if grids is None else _gathered(view, range(len(grids)), grids)
    if found is None or grids is None:
        return None
    starts, made = found
    return view._replace(starts=starts, groups=(*made, *view.groups[len(grids) :]))


def _stacked(node: Node, graph: Graph, depth: int) -> AffineView | None:
    axis: int = node.op.parameters["axis"]
    first, *others = (affine_view(part, graph, depth) for part in node.inputs)
    same = all(v.base is first.base and v.groups == first.groups for v in others)
    if not others or not same:
        return None
    places: Any = np.array([first.starts, *(view.starts for view in others)])
    counters = radix(places)
    if counters is None:
        return None
    made = tuple(Atom(size, tuple(map(int, strides))) for size, strides in counters)
    group = joined((*made, *first.groups[axis]))
    return first._replace(groups=(*first.groups[:axis], group, *first.groups[axis + 1 :]))


_STEPS: dict[type, Callable[[Node, Graph, int], AffineView | None]] = {
    shp.Transpose: _transposed,
    shp.Slice: _sliced,
    shp.Reshape: _reshaped,
    shp.Concatenate: _stacked,
    idx.Take: _taken,
    idx.GatherND: _gathered_together,
}
