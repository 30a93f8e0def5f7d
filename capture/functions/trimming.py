"""``numpy.trim_zeros``: a view whose size is known only when the graph runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.access import make_view
from capture.advanced_indexing import nonzero
from capture.coerce import cast
from capture.errors import UnsupportedError
from capture.functions.arguments import as_tensor
from capture.functions.registry import implements
from capture.location import here
from capture.tensor import Tensor
from capture.views import concrete_shape
from ir.errors import AxisError
from ir.ops import interned
from ir.ops.indexing import ScatterND, Take
from ir.ops.shaping import Reshape, Transpose
from ir.shapes import normalize_axis
from ir.types import BOOL

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from capture.views import Shadow
    from ir.dims import Shape


class TakeStep:
    """A view of the elements at computed positions along one axis."""

    __slots__ = ("axis", "indices", "shape")
    writeable = True

    def __init__(self, axis: int, indices: Tensor, shape: Shape) -> None:
        self.axis = axis
        self.indices = indices
        self.shape = shape

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Look the positions up."""
        return recorder.append(interned(Take, self.axis), (parent, self.indices._read()))

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Scatter into the positions, with their axis in front."""
        rank, axis = len(self.shape), self.axis
        inward = (axis, *(i for i in range(rank) if i != axis))
        outward = tuple(sorted(range(rank), key=inward.__getitem__))
        column = interned(Reshape, (self.shape[axis], 1))
        rows = recorder.append(column, (self.indices._read(),))
        moved = [recorder.append(interned(Transpose, inward), (v,)) for v in (parent, value)]
        written = recorder.append(interned(ScatterND, "set"), (moved[0], rows, moved[1]))
        return recorder.append(interned(Transpose, outward), (written,))

    def shadow(self, parent: Shadow) -> Shadow:
        """Keep the strides: a run of the axis has its parent's."""
        shape = concrete_shape(self.shape)
        return np.lib.stride_tricks.as_strided(parent, shape, parent.strides)


@implements(np.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """``numpy.trim_zeros`` of an array; the sizes that are left are fresh symbols."""
    if isinstance(filt, list | tuple):
        raise UnsupportedError(
            f"trim_zeros: the length of the trimmed {type(filt).__name__} would be known only "
            f"when the graph runs{here()}\n  ways out: trim np.stack(values), an array"
        )
    x = as_tensor("trim_zeros", filt)
    sides = trim.lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {sides!r}")
    result = x
    for at in _axes(axis, x.ndim):
        result = _trimmed(result, x, at, sides)
    return result


def _axes(axis: Any, rank: int) -> list[int]:
    if axis is None:
        return list(range(rank))
    listed = list(axis) if isinstance(axis, list | tuple) else [axis]
    try:
        axes = [normalize_axis(int(item), rank) for item in listed]
    except AxisError as error:
        raise AxisError(f"axis: {error}") from None
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis in `axis` argument")
    return axes


def _trimmed(view: Tensor, whole: Tensor, axis: int, sides: str) -> Tensor:
    """Trim one axis of a view by what the whole array holds."""
    others = tuple(i for i in range(whole.ndim) if i != axis)
    filled = np.any(cast(whole, BOOL), axis=others).astype(np.int64)
    kept: Any = True
    if "f" in sides:
        kept = np.cumsum(filled) > 0
    if "b" in sides:
        kept = (np.cumsum(filled[::-1]) > 0)[::-1] & kept
    positions = nonzero(kept)[:, 0]
    shape = list(view._type.shape)
    shape[axis] = positions._type.shape[0]
    step = TakeStep(axis, positions, tuple(shape))
    return make_view(view, step, tuple(shape))
