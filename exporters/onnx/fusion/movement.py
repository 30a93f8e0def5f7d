"""Movements of data that undo, repeat or continue one another, collapsed into one or none."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from exporters.onnx.fusion.affine_views import joined, rearranged, whole
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from exporters.onnx.shapes import at_least
from ir.ops import shaping as shp
from ir.ops.base import interned
from ir.ops.elementwise import Cast
from ir.shapes import window_excess
from ir.types import BOOL, FLOATING, INTEGER

if TYPE_CHECKING:
    import numpy as np

    from exporters.onnx.fusion.affine_views import Group
    from ir.dims import Shape
    from ir.graph import Node, Value

X = Pattern("x")
_LONGEST_PATH = 6


def _is_whole(op: shp.Slice, shape: Shape) -> bool:
    return (
        op.sizes == shape
        and all(start == 0 for start in op.starts)
        and all(step == 1 for step in op.steps)
    )


def _keeps_type(node: Node) -> bool:
    return len(node.inputs) == 1 and node.inputs[0].type == node.outputs[0].type


_MOVEMENTS = (
    *(shp.Reshape, shp.Transpose, shp.Slice),
    *(shp.BroadcastTo, Cast, shp.Concatenate),
)


@fuses(
    *(Result(kind, X, test=_keeps_type) for kind in _MOVEMENTS),
    stage=Stage.SHAPES,
)
def nothing_moved(site: Site) -> Value | None:
    """A movement or cast that changes nothing is its operand."""
    x, op = site["x"], site.root.op
    if isinstance(op, shp.Transpose) and op.axes != tuple(range(len(op.axes))):
        return None
    if isinstance(op, shp.Slice) and not _is_whole(op, x.type.shape):
        return None
    return x


@fuses(
    Result(shp.Reshape, Result(shp.Reshape, X)),
    stage=Stage.SHAPES,
    shared=True,
)
def reshape_of_reshape(site: Site) -> Value | None:
    """A reshape of a reshape is one reshape, or none."""
    x = site["x"]
    return x if x.type == site.type else site.apply(site.root.op, x)


def _without_ones(axes: tuple[int, ...], shape: Shape) -> list[int]:
    return [axis for axis in axes if shape[axis] != 1]


def _has_ones(node: Node) -> bool:
    return 1 in node.inputs[0].type.shape


@fuses(Result(shp.Transpose, X, test=_has_ones), stage=Stage.SHAPES)
def transpose_of_ones(site: Site) -> Value | None:
    """A transpose that only moves axes of size 1 is a reshape."""
    x, axes = site["x"], site.root.op.parameters["axes"]
    moving = _without_ones(axes, x.type.shape)
    if any(a > b for a, b in pairwise(moving)):
        return None
    return site.apply(interned(shp.Reshape, site.type.shape), x)


@fuses(
    Result(shp.Transpose, Result(shp.Transpose, X, name="inner")),
    stage=Stage.SHAPES,
    shared=True,
)
def transpose_of_transpose(site: Site) -> Value | None:
    """A transpose of a transpose is one transpose, or none."""
    inner = site.op("inner").axes
    axes = tuple(inner[axis] for axis in site.root.op.parameters["axes"])
    if axes == tuple(range(len(axes))):
        return site["x"]
    return site.apply(interned(shp.Transpose, axes), site["x"])


_REARRANGING = (shp.Reshape, shp.Transpose)


def _continues(node: Node) -> bool:
    before = node.inputs[0].producer
    return before is not None and isinstance(before.op, _REARRANGING)


@fuses(
    *(Result(kind, X, test=_continues) for kind in _REARRANGING),
    stage=Stage.SHAPES,
)
def reshapes_and_transposes(site: Site) -> Value | None:
    """Reshapes and transposes that only regroup the axes, all in all, are one reshape or none."""
    path = [site.root]
    while len(path) < _LONGEST_PATH and _continues(path[-1]):
        before = path[-1].inputs[0].producer
        assert before is not None
        path.append(before)
    for length in range(len(path), 1, -1):
        part = path[:length][::-1]
        base, groups = part[0].inputs[0], rearranged(part)
        if groups is not None and _flat(groups) == _flat(whole(base).groups):
            if base.type == site.type:
                return base
            return site.apply(interned(shp.Reshape, site.type.shape), base)
    return None


def _flat(groups: tuple[Group, ...]) -> Group:
    return joined([atom for group in groups for atom in group])


def _is_inside(op: shp.Slice, shape: Shape) -> bool:
    windows = zip(op.starts, op.sizes, op.steps, shape, strict=True)
    return all(window_excess(*window) == 0 for window in windows)


@fuses(
    Result(shp.Slice, Result(shp.Slice, X, name="inner")),
    stage=Stage.SHAPES,
    shared=True,
)
def slice_of_slice(site: Site) -> Value | None:
    """A slice of a slice is one slice."""
    inner, outer = site.op("inner"), site.root.op
    assert isinstance(outer, shp.Slice)
    starts = tuple(
        a + b * step
        for a, b, step in zip(inner.starts, outer.starts, inner.steps, strict=True)
    )
    steps = tuple(a * b for a, b in zip(inner.steps, outer.steps, strict=True))
    if not (_is_inside(inner, site["x"].type.shape) and _is_inside(outer, inner.sizes)):
        return None  # it may have to fail
    backwards = (size for size, step in zip(outer.sizes, inner.steps, strict=True) if step < 0)
    if not all(at_least(size, 1) for size in backwards):
        return None  # nothing, taken from behind the first element
    return site.apply(interned(shp.Slice, starts, outer.sizes, steps), site["x"])


@fuses(Result(shp.Concatenate), stage=Stage.SHAPES)
def concatenate_of_concatenate(site: Site) -> Value | None:
    """Arrays joined and then joined with others along the same axis are joined at once."""
    op, parts = site.root.op, site.root.inputs
    assert isinstance(op, shp.Concatenate)
    flat: list[Value] = []
    for part in parts:
        inner = part.producer
        if (
            inner is not None
            and inner.op == op
            and len(site.facts.readers(part)) == 1
            and not site.facts.is_output(part)
        ):
            flat.extend(inner.inputs)
        else:
            flat.append(part)
    return site.apply(op, *flat) if len(flat) > len(parts) else None


@fuses(
    Result(shp.Pad, Result(shp.Pad, X, Pattern("fill"), name="inner"), Pattern("fill")),
    stage=Stage.SHAPES,
)
def pad_of_pad(site: Site) -> Value | None:
    """Padding what was padded with the same value is padding once."""
    inner, outer = site.op("inner"), site.root.op
    assert isinstance(outer, shp.Pad)
    before = tuple(a + b for a, b in zip(inner.before, outer.before, strict=True))
    after = tuple(a + b for a, b in zip(inner.after, outer.after, strict=True))
    made = site.apply(interned(shp.Pad, before, after), site["x"], site["fill"])
    return made if made.type == site.type else None


_DIGITS = {2: 11, 4: 24, 8: 53}
"""Bits of integers that floats hold exactly, by bytes."""


def holds(wide: np.dtype[Any], narrow: np.dtype[Any]) -> bool:
    """Whether every value of one dtype is one of another, too."""
    if wide == narrow or (narrow == BOOL and wide in FLOATING | INTEGER):
        return True
    if narrow in INTEGER and wide in INTEGER:
        grows = wide.itemsize > narrow.itemsize
        return grows and (wide.kind == "i" or narrow.kind == "u")
    if wide not in FLOATING or wide.kind != "f":
        return False
    if narrow in INTEGER:
        bits = narrow.itemsize * 8 - (narrow.kind == "i")
        return bits <= _DIGITS[wide.itemsize]
    return narrow in FLOATING and wide.itemsize > narrow.itemsize


@fuses(
    Result(Cast, Result(Cast, X, name="inner")),
    stage=Stage.SHAPES,
    shared=True,
)
def cast_of_cast(site: Site) -> Value | None:
    """A cast of a cast that lost nothing is one cast, or none."""
    x, target = site["x"], site.type.dtype
    source, between = x.type.dtype, site["inner"].type.dtype
    if not holds(between, source):
        return None
    if target == source:
        return x
    through_floats = between in FLOATING and target not in FLOATING
    if through_floats and not (source not in FLOATING and holds(target, source)):
        return None  # out of range, floats and integers convert differently
    return site.apply(site.root.op, x)
