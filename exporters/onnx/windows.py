"""Reading and writing regular windows: slices with starts, sizes and steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from exporters.onnx.lowering import Context, lowers
from exporters.onnx.shapes import at_least
from exporters.onnx.shaping import count_up
from ir.dims import Dim
from ir.ops import shaping as shp
from ir.shapes import window_excess
from ir.types import INT64

if TYPE_CHECKING:
    from exporters.onnx.term import Term
    from ir.dims import DimLike, Shape

_BEFORE_THE_START = -(2**63)
"""An end that a negative step never reaches; -1 would mean the last element."""


class _Window(NamedTuple):
    """``size`` elements from ``start`` by ``step`` along one axis of ``length``."""

    axis: int
    length: DimLike
    start: DimLike
    size: DimLike
    step: int

    @property
    def is_full(self) -> bool:
        """Whether it is the axis itself."""
        return self.start == 0 and self.size == self.length and self.step == 1


def _windows(
    shape: Shape, starts: Shape, sizes: Shape, steps: tuple[int, ...]
) -> list[_Window]:
    """Return the windows that are not their whole axis."""
    made = map(_Window, range(len(shape)), shape, starts, sizes, steps)
    return [window for window in made if not window.is_full]


@lowers(shp.Slice)
def slice_(context: Context, x: Term) -> Term:
    """ONNX ``Slice`` over the axes that are not taken whole."""
    op = context.node.op
    assert isinstance(op, shp.Slice)
    kept = []
    for window in _windows(context.shape(0), op.starts, op.sizes, op.steps):
        position = _position(window)
        if position is None:
            kept.append(window)
        else:
            index = context.emitter.integers([position])
            x = context.emitter.apply("Gather", x, index, axis=window.axis)
    return _read(context, _inside(context, x, kept), kept)


def _position(window: _Window) -> int | None:
    """Return where a window of one element is, if it is a number and may be outside the axis.

    ``Slice`` would shorten the window in silence; ``Gather`` refuses, as NumPy does.
    """
    if window.size != 1:
        return None
    if window_excess(window.start, 1, window.step, window.length) == 0:
        return None
    for position in (window.start, window.start - window.length):
        if isinstance(position, int):
            return position
    return None


def _inside(context: Context, x: Term, windows: list[_Window]) -> Term:
    """Return ``x`` through nodes that fail where a window reaches past its axis."""
    gap: DimLike = 0
    for window in windows:
        gap = gap + window_excess(window.start, window.size, window.step, window.length)
    if not isinstance(gap, Dim):
        return x
    shape = context.emitter.node("Shape", x, result=INT64)
    return context.sizes.proved(x, gap, shape)


def _read(context: Context, x: Term, windows: list[_Window]) -> Term:
    if not windows:
        return x
    emitter, sizes = context.emitter, context.sizes
    starts = [0 if window.size == 0 else window.start for window in windows]
    steps = [window.step for window in windows]
    return emitter.apply(
        "Slice",
        x,
        sizes.vector(tuple(starts)),
        _ends(context, windows),
        emitter.integers([window.axis for window in windows]),
        *([] if all(step == 1 for step in steps) else [emitter.integers(steps)]),
    )


def _ends(context: Context, windows: list[_Window]) -> Term:
    ends: list[DimLike] = []
    wraps = False
    for window in windows:
        end = 0 if window.size == 0 else window.start + window.size * window.step
        if not isinstance(end, Dim):
            end = end if end >= 0 else _BEFORE_THE_START
        elif window.step < 0 and not at_least(end, 0):
            wraps = True
        ends.append(end)
    vector = context.sizes.vector(tuple(ends))
    return (vector < 0).where(_BEFORE_THE_START, vector) if wraps else vector


@lowers(shp.UpdateSlice)
def update_slice(context: Context, x: Term, update: Term) -> Term:
    """Axis by axis: what lies before, the updated middle, what lies after.

    No scattering: joining runs for every dtype and size, in parallel, in a defined order.
    """
    op = context.node.op
    assert isinstance(op, shp.UpdateSlice)
    windows = _windows(context.shape(0), op.starts, context.shape(1), op.steps)
    return _written(context, _inside(context, x, windows), update, windows)


def _written(context: Context, x: Term, update: Term, windows: list[_Window]) -> Term:
    if not windows:
        return update
    window, *others = windows
    if window.size == 0:
        return x
    if others:
        middle = _read(context, x, [window])
        update = _written(context, middle, update, others)
    if window.step == -1:  # the update backwards, in the same window forwards
        axis, length, start, size, _ = window
        update = _read(context, update, [_Window(axis, size, size - 1, size, -1)])
        window = _Window(axis, length, start - size + 1, size, 1)
    if window.is_full:
        return update
    if window.step == 1:
        return _joined(context, x, update, window)
    return _merged(context, x, update, window)


def _joined(context: Context, x: Term, update: Term, window: _Window) -> Term:
    """Replace a contiguous window."""
    axis, length, start, size, _ = window
    stop = start + size
    before = _Window(axis, length, 0, start, 1)
    after = _Window(axis, length, stop, length - stop, 1)
    parts = [
        *([] if start == 0 else [_read(context, x, [before])]),
        update,
        *([] if stop == length else [_read(context, x, [after])]),
    ]
    if len(parts) == 1:
        return update
    return context.emitter.apply("Concat", *parts, axis=axis)


def _merged(context: Context, x: Term, update: Term, window: _Window) -> Term:
    """Replace a window with gaps: pick elements from operand and update laid end to end."""
    axis, length, start, size, step = window
    emitter, sizes = context.emitter, context.sizes
    position = count_up(context, length)
    offset = position - sizes.scalar(start)
    order = offset / step
    inside = (order * step).equals(offset) & (order >= 0) & (order < sizes.scalar(size))
    source = inside.where(order + sizes.scalar(length), position)
    both = emitter.apply("Concat", x, update, axis=axis)
    return emitter.apply("Gather", both, source, axis=axis)
