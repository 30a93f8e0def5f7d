"""What each mode of ``numpy.pad`` puts before and after an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.coerce import cast, lift
from capture.errors import UnsupportedError
from capture.functions.positions import counting, filled, gathered, scalar, window
from capture.location import here
from capture.tensor import Tensor
from ir.dims import Dim, dim_max, dim_min, prove_le
from ir.ops import interned
from ir.ops.shaping import BroadcastTo
from ir.types import BOOL, INTEGER

if TYPE_CHECKING:
    from ir.dims import DimLike

STATISTICS = {"maximum": np.max, "mean": np.mean, "median": np.median, "minimum": np.min}
EXTREMES = frozenset(("maximum", "minimum"))


class AxisPadding(NamedTuple):
    """One axis to pad: how many elements go before and after it."""

    x: Tensor
    axis: int
    before: DimLike
    after: DimLike

    @property
    def size(self) -> DimLike:
        """The axis as it is."""
        return self.x._type.shape[self.axis]

    def run(self, start: DimLike, size: DimLike) -> Any:
        """Return the positions ``start``, ``start + 1`` …: numbers where they are known."""
        if isinstance(start, Dim) or isinstance(size, Dim):
            recorder = self.x._recorder
            return counting(recorder, size) + scalar(recorder, start)
        return np.arange(start, start + size)

    def number(self, dim: DimLike) -> Any:
        """Return a size as a number or a captured scalar."""
        return scalar(self.x._recorder, dim) if isinstance(dim, Dim) else dim

    def positions(self) -> Any:
        """Return the positions of the padded axis, counted from the first element."""
        return self.run(-self.before, self.before + self.size + self.after)

    def take(self, positions: Any) -> Tensor:
        """Return elements; the lookup fails at run time in an axis that turns out empty."""
        return gathered(self.x, positions, self.axis)

    def first(self) -> Tensor:
        """Return the first element, in an axis of 1."""
        return self.take(np.array([0]))

    def last(self) -> Tensor:
        """Return the last element, in an axis of 1."""
        if isinstance(self.size, Dim):
            return self.take(self.run(self.size - 1, 1))
        return window(self.x, self.axis, self.size - 1, 1)

    def along(self, values: Any) -> Any:
        """Return a vector shaped to broadcast along the axis."""
        return values.reshape((-1,) + (1,) * (self.x.ndim - self.axis - 1))

    def joined(self, before: Any, after: Any) -> Tensor:
        """Return the axis between two blocks, cast to its dtype."""
        x = self.x
        blocks = [cast(lift(x._recorder, block), x.dtype) for block in (before, x, after)]
        made: Tensor = np.concatenate(blocks, self.axis)  # type: ignore[assignment]
        return made


def edge(padding: AxisPadding) -> Tensor:
    """Repeat the first and the last element."""
    last = padding.number(padding.size - 1)
    return padding.take(np.minimum(np.maximum(padding.positions(), 0), last))


def wrap(padding: AxisPadding) -> Tensor:
    """Continue with the other end."""
    return padding.take(padding.positions() % padding.number(dim_max(padding.size, 1)))


class _Mirror(NamedTuple):
    """Where positions land in an axis between two mirrors.

    Attributes:
        source: Positions in the axis.
        flipped: Whether the last mirror passed was the far one.
        rounds: How often both mirrors were passed.
    """

    source: Any
    flipped: Any
    rounds: Any


def _mirrored(padding: AxisPadding, positions: Any, includes_edge: bool) -> _Mirror:
    size = padding.size
    period = 2 * size if includes_edge else dim_max(2 * size - 2, 1)
    length = padding.number(dim_max(period, 1))
    offset, rounds = positions % length, positions // length
    back = length - 1 - offset if includes_edge else length - offset
    flipped = offset >= padding.number(size)
    source = np.where(flipped, back, offset)
    return _Mirror(source, flipped, rounds)


def reflect(padding: AxisPadding, includes_edge: bool) -> Tensor:
    """Go back and forth through the axis."""
    return padding.take(_mirrored(padding, padding.positions(), includes_edge).source)


def reflect_odd(padding: AxisPadding, includes_edge: bool) -> Tensor:
    """Go back and forth, each time turned around the value at the edge."""
    if padding.size == 1:
        return edge(padding)
    if padding.x.dtype == BOOL:
        _require_one_mirror(padding, includes_edge)
    one = 0 if includes_edge else 1
    to_front = padding.run(one, padding.before)[::-1]
    first = _doubled(padding.first())
    before = first - _beyond(padding, to_front, includes_edge)
    after = _beyond(padding, padding.run(padding.size, padding.after), includes_edge)
    return padding.joined(before, after)


def _doubled(edge_value: Any) -> Any:
    return 2 * edge_value


def _require_one_mirror(padding: AxisPadding, includes_edge: bool) -> None:
    room = padding.size if includes_edge else padding.size - 1
    if not all(prove_le(width, room) for width in (padding.before, padding.after)):
        raise UnsupportedError(
            f"pad: reflect_type='odd' of bools more than once through an axis of "
            f"{padding.size} is not captured{here(3)}\n  ways out: pad x.astype(np.int64)"
        )


def _beyond(padding: AxisPadding, positions: Any, includes_edge: bool) -> Any:
    """Return the odd continuation at positions from 0 upwards."""
    mirror = _mirrored(padding, positions, includes_edge)
    core = padding.take(mirror.source)
    wide = core.astype(np.int64) if core.dtype == BOOL else core
    last = _doubled(padding.last())
    if isinstance(padding.size, Dim):
        single = scalar(core._recorder, padding.size) <= 1
        flipped, rounds = mirror.flipped & ~single, np.where(single, 0, mirror.rounds)
    else:
        flipped, rounds = mirror.flipped, mirror.rounds
    turned = np.where(padding.along(flipped), last - wide, wide)
    if not isinstance(rounds, Tensor) and not rounds.any():
        return turned
    step = last - _doubled(padding.first())
    times = padding.along(rounds.astype(core.dtype))
    return turned + np.where(padding.along(rounds == 0), np.zeros(1, core.dtype), step * times)


def linear_ramp(padding: AxisPadding, ends: tuple[Any, Any]) -> Tensor:
    """Run from the end values to the edges in equal steps."""
    before = _ramp(padding, ends[0], padding.first(), padding.before)
    after = _ramp(padding, ends[1], padding.last(), padding.after)
    return padding.joined(before, np.flip(after, padding.axis))


def _ramp(padding: AxisPadding, end: Any, edge_value: Tensor, width: DimLike) -> Any:
    """Return ``numpy.linspace`` towards the edge, with its own roundings.

    NumPy scales by the step, or divides first where some step is zero. It adds to the end what
    is subtracted here: runtimes drop an addition of 0.0, which would let -0.0 through.
    """
    gap = end - edge_value.astype(np.float64)
    count = padding.number(width)
    number = padding.along(padding.run(0, width)).astype(np.float64)
    if width == 0:
        return number * gap
    steps = gap / count
    ramp = end - np.where(np.any(steps == 0), number / count * gap, number * steps)
    return np.floor(ramp) if padding.x.dtype in INTEGER else ramp


def statistic(padding: AxisPadding, function: Any, lengths: tuple[Any, Any]) -> Tensor:
    """Repeat a statistic of the elements nearest to each end."""
    size = padding.size
    before, after = (size if n is None else dim_min(n, size) for n in lengths)
    near_start = _summary(padding, function, 0, before)
    near_end = near_start if before == size == after else None
    if near_end is None:
        near_end = _summary(padding, function, size - after, after)
    return padding.joined(
        _repeated(padding, near_start, padding.before),
        _repeated(padding, near_end, padding.after),
    )


def _summary(padding: AxisPadding, function: Any, start: DimLike, size: DimLike) -> Tensor:
    chunk = window(padding.x, padding.axis, start, size)
    found = function(chunk, axis=padding.axis, keepdims=True)
    rounded = np.round(found) if padding.x.dtype in INTEGER else found
    return cast(rounded, padding.x.dtype)


def _repeated(padding: AxisPadding, value: Tensor, width: DimLike) -> Tensor:
    """Repeat an axis of 1; fails at run time where the padded axis turns out empty."""
    size, axis = padding.size, padding.axis
    recorder = padding.x._recorder
    made: Tensor
    if prove_le(1, size):
        shape = (*value._type.shape[:axis], width, *value._type.shape[axis + 1 :])
        made = recorder.apply(interned(BroadcastTo, shape), value)
        return made
    outside = scalar(recorder, dim_min(size - 1, 0)) * 2
    return gathered(value, filled(recorder, 0, (width,)) + outside, axis)
