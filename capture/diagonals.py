"""Views along diagonals: one result axis walks several axes of the parent together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ir.ops import interned
from ir.ops.indexing import GatherND, ScatterND
from ir.ops.shaping import BroadcastTo, Concatenate, Iota, Reshape, Transpose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture.recorder import Recorder
    from capture.views import Shadow
    from ir.dims import Shape


class DiagonalStep:
    """Axes in another order, repeated ones walked together.

    Args:
        groups: For each result axis, the axes of the parent that it walks; every axis of the
            parent is in exactly one group.
        parent_shape: The parent's shape; axes of one group have one size.
        writeable: Whether NumPy lets the view be written.
    """

    __slots__ = ("back", "groups", "joint", "lead", "order", "sizes", "writeable")

    def __init__(
        self, groups: tuple[tuple[int, ...], ...], parent_shape: Shape, writeable: bool = True
    ) -> None:
        self.groups = groups
        self.writeable = writeable
        joint = [i for i, group in enumerate(groups) if len(group) > 1]
        single = [i for i, group in enumerate(groups) if len(group) == 1]
        self.joint = [groups[i] for i in joint]
        self.sizes = tuple(parent_shape[group[0]] for group in self.joint)
        lead = [axis for group in self.joint for axis in group]
        self.lead = (*lead, *(groups[i][0] for i in single))
        self.order = _inverse([*joint, *single])
        self.back = _inverse(self.lead)

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Bring the walked axes to the front and gather equal positions."""
        moved = _permuted(recorder, parent, self.lead)
        gathered = recorder.append(interned(GatherND), (moved, self._positions(recorder)))
        return _permuted(recorder, gathered, self.order)

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Scatter the elements to where they were gathered from."""
        moved = _permuted(recorder, parent, self.lead)
        update = _permuted(recorder, value, _inverse(self.order))
        operands = (moved, self._positions(recorder), update)
        written = recorder.append(interned(ScatterND, "set"), operands)
        return _permuted(recorder, written, self.back)

    def shadow(self, parent: Shadow) -> Shadow:
        """Walk the shadow with NumPy's own view."""
        labels = [0] * parent.ndim
        for label, group in enumerate(self.groups):
            for axis in group:
                labels[axis] = label
        walked: Shadow = np.einsum(parent, labels, list(range(len(self.groups))))
        return walked

    def _positions(self, recorder: Recorder) -> int:
        """Return coordinates into the leading axes: one column per walked axis."""
        columns = []
        for place, (group, size) in enumerate(zip(self.joint, self.sizes, strict=True)):
            spread = tuple(size if i == place else 1 for i in range(len(self.sizes)))
            column = recorder.append(interned(Iota, size), ())
            if len(spread) > 1:
                column = recorder.append(interned(Reshape, spread), (column,))
                column = recorder.append(interned(BroadcastTo, self.sizes), (column,))
            column = recorder.append(interned(Reshape, (*self.sizes, 1)), (column,))
            columns += [column] * len(group)
        return recorder.append(interned(Concatenate, len(self.sizes)), tuple(columns))


def _inverse(order: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _permuted(recorder: Recorder, value: int, order: tuple[int, ...]) -> int:
    if order == tuple(range(len(order))):
        return value
    return recorder.append(interned(Transpose, order), (value,))
