"""Arrays laid out as convolutions and pooling want them, and their results laid out back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.shapes import at_least
from ir.dims import prove_lt
from ir.ops import interned
from ir.ops.shaping import Pad, Reshape, Slice, Transpose
from ir.shapes import product

if TYPE_CHECKING:
    from exporters.onnx.fusion.contractions import Layout, Window
    from exporters.onnx.fusion.rules import Site
    from ir.dims import DimLike, Shape
    from ir.graph import Value


def shaped(site: Site, x: Value, shape: Shape) -> Value:
    """Return ``x`` in another shape."""
    return x if x.type.shape == shape else site.apply(interned(Reshape, shape), x)


def turned(site: Site, x: Value, axes: tuple[int, ...]) -> Value:
    """Return ``x`` with its axes in another order."""
    if axes == tuple(range(len(axes))):
        return x
    return site.apply(interned(Transpose, axes), x)


def arranged(
    site: Site, base: Value, layout: Layout, fill: float = 0.0
) -> tuple[Value, tuple[int, ...]] | None:
    """Return the array as ``(batch, channels, *spatial)`` and the padding around it.

    Args:
        site: Where nodes go.
        base: The array that the windows are of.
        layout: What happens along its axes.
        fill: What may be padded with instead of a ``Pad`` before.
    """
    axes = (*layout.batch, *layout.group, *layout.channels, *layout.spatial)
    x = _cut(site, base, layout)
    pads = (0,) * (2 * len(layout.spatial))
    if x is base:
        x, pads = _without_pad(site, base, layout, fill)
    x = turned(site, x, axes)
    outer = len(layout.batch)
    inner = outer + len(layout.group) + len(layout.channels)
    shape = x.type.shape
    return (
        shaped(
            site,
            x,
            (product(shape[:outer]), product(shape[outer:inner]), *shape[inner:]),
        ),
        pads,
    )


def _cut(site: Site, base: Value, layout: Layout) -> Value:
    """Return the part of the base that is read."""
    starts, sizes, steps = [], [], []
    for axis, (window, dim) in enumerate(zip(layout.windows, base.type.shape, strict=True)):
        if axis in layout.spatial:
            size, step = _extent(window, dim), 1
        elif axis in layout.channels:
            size, step = window.size, window.dilation
        else:
            size, step = window.number, window.stride
        starts.append(window.start)
        sizes.append(size)
        steps.append(step)
    whole = not any(starts) and tuple(sizes) == base.type.shape
    if whole:
        return base
    return site.apply(interned(Slice, tuple(starts), tuple(sizes), tuple(steps)), base)


def _extent(window: Window, dim: DimLike) -> DimLike:
    """Return how much of an axis to give: all of it where the rest makes no further window."""
    rest = dim - window.extent
    if not window.start and (rest == 0 or prove_lt(rest, window.stride) is True):
        return dim
    return window.extent


def _without_pad(
    site: Site, base: Value, layout: Layout, fill: float
) -> tuple[Value, tuple[int, ...]]:
    """Return what a ``Pad`` of the spatial axes was given, and its widths."""
    nothing = base, (0,) * (2 * len(layout.spatial))
    node = base.producer
    if node is None or not isinstance(node.op, Pad):
        return nothing
    op, value = node.op, node.inputs[1]
    if value.producer is not None or value.data is None or value in site.graph.inputs:
        return nothing
    if not _is(value.data, fill):
        return nothing
    shape = node.inputs[0].type.shape
    if not all(at_least(shape[axis], 1) for axis in layout.spatial):
        return nothing  # the runtime takes no windows of padding alone
    if any(
        width
        for widths in (op.before, op.after)
        for axis, width in enumerate(widths)
        if axis not in layout.spatial
    ):
        return nothing
    pads = [widths[axis] for widths in (op.before, op.after) for axis in layout.spatial]
    known = tuple(width for width in pads if isinstance(width, int))
    return (node.inputs[0], known) if len(known) == len(pads) else nothing


def _is(data: np.ndarray[Any, Any], fill: float) -> bool:
    return bool(data == fill) and not (fill == 0 and np.signbit(data))


def settled(site: Site, result: Value, layout: Layout, shape: Shape | None = None) -> Value:
    """Return the result of a convolution with its axes in order, in the root's shape or another."""
    split = shaped(site, result, layout.made)
    wanted = site.type.shape if shape is None else shape
    return shaped(site, turned(site, split, layout.order), wanted)
