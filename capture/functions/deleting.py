"""Arrays with parts taken out: delete."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.advanced_indexing import nonzero
from capture.coerce import cast, lift
from capture.errors import UnsupportedError
from capture.functions.arguments import as_array, single_axis
from capture.functions.joining import concatenate, fortran_layout
from capture.functions.positions import (
    checked,
    counting,
    filled,
    gathered,
    is_single,
    known_value,
    position_in,
    scalar,
    window,
)
from capture.functions.registry import implements
from capture.functions.shaping import reshaped
from capture.indexing import slice_window
from capture.location import here
from capture.symbolic import as_dim, dim_of
from capture.tensor import Tensor
from ir.dims import Dim, dim_max, dim_min, prove_eq, prove_le
from ir.ops import interned
from ir.ops.indexing import ScatterND
from ir.types import BOOL, INT64, INTEGER

if TYPE_CHECKING:
    from ir.dims import DimLike
    from ir.types import TensorType


class EditedAxis(NamedTuple):
    """The axis that a call edits, and the array as it was given."""

    x: Tensor
    axis: int
    given: Tensor

    @property
    def size(self) -> DimLike:
        """Its length."""
        return self.x._type.shape[self.axis]

    def part(self, start: DimLike, size: DimLike) -> Tensor:
        """Return a run of the axis."""
        return window(self.x, self.axis, start, size)

    def join(self, *parts: Tensor) -> Tensor:
        """Return runs and new elements in a row, in storage of their own."""
        present = [part for part in parts if part._type.shape[self.axis] != 0]
        return self.fresh(concatenate(present or parts[:1], self.axis))

    def fresh(self, result: Tensor) -> Tensor:
        """Return a result laid out as NumPy lays out what it edits."""
        kind: TensorType = result._type
        layout = fortran_layout([self.given], kind.shape)
        return Tensor(result._recorder, result._read(), kind, layout)

    def whole(self, positions: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return a vector shaped as this axis, so that NumPy's errors name it."""
        return positions.reshape((1,) * self.axis + (-1,))


def edited_axis(operation: str, arr: Any, axis: Any, *others: Any) -> EditedAxis:
    """Return the axis to edit: the given one, or that of all elements."""
    given = as_array(operation, arr, *others)
    if axis is not None:
        return EditedAxis(given, single_axis(axis, given.ndim), given)
    flat = given if given.ndim == 1 else given.ravel()
    return EditedAxis(flat, 0, given)


@implements(np.delete)
def delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    """``numpy.delete``: captured positions and masks give a size that is a fresh symbol."""
    target = edited_axis("delete", arr, axis, obj)
    recorder, size = target.x._recorder, target.size
    if isinstance(obj, slice):
        if isinstance(size, Dim) or _is_symbolic(obj):
            return _without_slice(target, obj)
    else:
        obj = known_value(recorder, obj)
    if type(obj) is Tensor:
        return _without_captured(target, obj)
    if as_dim(obj) is not None or isinstance(size, Dim):
        return _from_symbolic(target, obj)
    kept = np.delete(target.whole(np.arange(size)), obj, target.axis).ravel()
    return _keeping(target, kept)


def _is_symbolic(item: slice) -> bool:
    return any(as_dim(end) is not None for end in (item.start, item.stop, item.step))


def _keeping(target: EditedAxis, kept: np.ndarray[Any, Any]) -> Tensor:
    """Keep known positions: as one or two runs, or by lookup."""
    breaks = np.flatnonzero(np.diff(kept) != 1) + 1
    if len(breaks) > 1:
        return target.fresh(gathered(target.x, kept, target.axis))
    runs = [run for run in np.split(kept, breaks) if run.size]
    parts = [target.part(int(run[0]), run.size) for run in runs]
    return target.join(*parts or [target.part(0, 0)])


def _without_slice(target: EditedAxis, item: slice) -> Tensor:
    """Take a slice out of an axis of any size."""
    size = target.size
    start, count, step = slice_window(item, size)
    if step < 0:
        first = start + (count - 1) * step
        start = first if prove_le(1, count) else dim_max(dim_min(first, size), 0)
    step = abs(step)
    if step == 1:
        stop = start + count
        return target.join(target.part(0, start), target.part(stop, size - stop))
    recorder = target.x._recorder
    place = counting(recorder, size - count)
    # of each group of step elements from start on, one goes
    after = place - scalar(recorder, start)
    gone = np.minimum(after // (step - 1) + 1, scalar(recorder, count))
    source = place + np.where(after < 0, 0, gone)
    return target.fresh(gathered(target.x, source, target.axis))


def _from_symbolic(target: EditedAxis, obj: Any) -> Tensor:
    """Take known positions out of an axis of unknown size, or a symbolic one out of any."""
    size, axis = target.size, target.axis
    listed = np.asarray(obj) if as_dim(obj) is None else None
    if listed is not None and listed.dtype == BOOL:
        raise UnsupportedError(
            f"delete: a mask of {listed.size} elements for an axis of symbolic size {size}"
            f"{here(2)}\n  ways out: give the axis its number; or compute the mask from it"
        )
    if listed is not None and listed.size != 1:
        return _without_positions(target, listed)
    index = dim_of(obj) if listed is None else operator.index(listed.item())
    try:
        at, inside = position_in(index, size)
    except IndexError:
        raise IndexError(
            f"index {index} is out of bounds for axis {axis} with size {size}{here()}"
        ) from None
    if inside:
        return target.join(target.part(0, at), target.part(at + 1, size - at - 1))
    return _without_one(target, scalar(target.x._recorder, at))


def _without_positions(target: EditedAxis, listed: np.ndarray[Any, Any]) -> Tensor:
    """Take several known positions out of an axis of unknown size."""
    if not listed.size:
        return target.join(target.x)
    if listed.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    if listed.min() < 0 <= listed.max():  # two of them may be one element
        return _without_captured(target, lift(target.x._recorder, listed.astype(np.int64)))
    recorder, size = target.x._recorder, target.size
    gone = np.unique(listed)
    count = len(gone)
    place = counting(recorder, dim_max(size - count, 0))
    offset: Any = scalar(recorder, size) if gone[0] < 0 else 0
    before = np.asarray(gone - np.arange(count)) + offset
    source = place + np.sum(place[:, None] >= before, 1)
    fits = scalar(recorder, size) > int(gone[-1]) if gone[0] >= 0 else offset >= int(-gone[0])
    return target.fresh(gathered(target.x, checked(source, fits), target.axis))


def _without_captured(target: EditedAxis, obj: Tensor) -> Tensor:
    recorder, size = target.x._recorder, target.size
    if obj.dtype == BOOL:
        if obj.ndim != 1 or not (
            obj._type.shape[0] == size or prove_eq(obj._type.shape[0], size)
        ):
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match the "
                f"axis length of {size}"
            )
        kept: Any = np.logical_not(obj)
    else:
        if obj.dtype not in INTEGER:
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        obj = cast(obj, INT64)
        if is_single(obj):
            return _without_one(target, obj.reshape(()))
        places = reshaped(obj.ravel(), (obj.ravel()._type.shape[0], 1))
        gone = filled(recorder, 0, places._type.shape[:1])
        kept = recorder.apply(
            interned(ScatterND, "set"), filled(recorder, 1, (size,)), places, gone
        )
        kept = kept != 0
    positions = nonzero(kept)[:, 0]
    return target.fresh(gathered(target.x, positions, target.axis))


def _without_one(target: EditedAxis, index: Tensor) -> Tensor:
    """Take out one element whose position is only known, or only checked, at run time."""
    recorder, size = target.x._recorder, target.size
    length = scalar(recorder, size)
    at = np.where(index < 0, index + length, index)
    place = counting(recorder, dim_max(size - 1, 0))
    source = checked(place + (place >= at), (at >= 0) & (at < length))
    return target.fresh(gathered(target.x, source, target.axis))
