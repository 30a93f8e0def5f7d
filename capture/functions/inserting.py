"""Arrays with elements put in: insert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.access import fit
from capture.advanced_indexing import nonzero
from capture.coerce import cast, holds_tensor, lift
from capture.functions.deleting import EditedAxis, edited_axis
from capture.functions.joining import concatenate
from capture.functions.positions import (
    checked,
    counting,
    filled,
    gathered,
    is_single,
    known_value,
    scalar,
)
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis, reshaped
from capture.indexing import slice_window
from capture.location import here
from capture.symbolic import as_dim, dim_of
from capture.tensor import Tensor
from ir.dims import Dim, prove_le
from ir.ops import interned
from ir.ops.indexing import ArgSort, ScatterND
from ir.types import BOOL, INT64, INTEGER

if TYPE_CHECKING:
    from ir.dims import DimLike


@implements(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """``numpy.insert``: positions may be captured or symbolic."""
    target = edited_axis("insert", arr, axis, obj, values)
    places = _places(target, obj)
    new = _new_elements(target, values)
    if isinstance(places, Dim) or is_single(places):
        return _insert_run(target, places, new)
    if type(places) is not Tensor and type(target.size) is int:
        return _insert_known(target, places, new)
    return _insert_scattered(target, cast(lift(target.x._recorder, places), INT64), new)


def _places(target: EditedAxis, obj: Any) -> Any:
    """Return positions as an ndarray where they are known, else as a dimension or a tensor."""
    recorder, size = target.x._recorder, target.size
    if isinstance(obj, slice):
        start, count, step = slice_window(obj, size)
        if isinstance(start, Dim) or isinstance(count, Dim):
            return counting(recorder, count) * step + scalar(recorder, start)
        return start + step * np.arange(count)
    known = known_value(recorder, obj)
    if as_dim(known) is not None:
        return dim_of(known)
    places = known if type(known) is Tensor else np.array(known)
    if places.dtype == BOOL:
        if places.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        return nonzero(places)[:, 0] if type(places) is Tensor else np.flatnonzero(places)
    if places.ndim > 1:
        raise ValueError(
            "index array argument obj to insert must be one dimensional or scalar"
        )
    if type(places) is not Tensor and not places.size and not isinstance(obj, np.ndarray):
        return places.astype(np.intp)
    if places.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return places


def _new_elements(target: EditedAxis, values: Any) -> Tensor:
    """Return the values in the array's dtype, converted as NumPy converts them."""
    recorder, dtype = target.x._recorder, target.x.dtype
    if holds_tensor(values):
        return lift(recorder, values, dtype)
    return lift(recorder, np.array(values, dtype))


def _along_axis(target: EditedAxis, values: Tensor, count: DimLike) -> Tensor:
    """Return values broadcast to ``count`` slices of the axis."""
    shape = list(target.x._type.shape)
    shape[target.axis] = count
    return fit("insert", target.x, values, tuple(shape))


def _insert_run(target: EditedAxis, place: Any, values: Tensor) -> Tensor:
    """Insert any number of slices at one position."""
    x, axis, size = target.x, target.axis, target.size
    shape = values._type.shape
    if len(shape) < x.ndim:
        values = reshaped(values, (1,) * (x.ndim - len(shape)) + shape)
    if isinstance(place, Dim) or not place.ndim:
        values = moveaxis(values, 0, axis)
    count = values._type.shape[axis]
    values = _along_axis(target, values, count)
    recorder = x._recorder
    if type(place) is Tensor:
        given = cast(place.reshape(()), INT64)
    else:
        index: DimLike = place if isinstance(place, Dim) else int(place.item())
        at = index + size if type(index) is int and index < 0 else index
        if prove_le(size + 1, at) or prove_le(at, -1):
            raise IndexError(
                f"index {index} is out of bounds for axis {axis} with size {size}{here()}"
            )
        if prove_le(0, at) and prove_le(at, size):
            return target.join(target.part(0, at), values, target.part(at, size - at))
        given = scalar(recorder, at)
    length, new = scalar(recorder, size), scalar(recorder, count)
    start = np.where(given < 0, given + length, given)
    position = counting(recorder, size + count)
    offset = position - start
    source: Any = np.where(offset < new, offset + length, position - new)
    source = np.where(offset < 0, position, source)
    source = checked(source, (start >= 0) & (start <= length))
    return target.fresh(gathered(concatenate([x, values], axis), source, axis))


def _insert_known(target: EditedAxis, places: np.ndarray[Any, Any], values: Tensor) -> Tensor:
    """Insert slices at known positions: NumPy itself says where everything goes."""
    size, axis = target.size, target.axis
    assert isinstance(size, int)
    count = len(places)
    new = _along_axis(target, values, count)
    numbers = target.whole(np.arange(size, size + count))
    source = np.insert(target.whole(np.arange(size)), places, numbers, axis).ravel()
    return target.fresh(gathered(concatenate([target.x, new], axis), source, axis))


def _insert_scattered(target: EditedAxis, places: Tensor, values: Tensor) -> Tensor:
    """Insert slices at captured positions, each moved on by those before it."""
    if places.dtype not in INTEGER:
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    x, axis, size = target.x, target.axis, target.size
    recorder, apply = x._recorder, x._recorder.apply
    count = places._type.shape[0]
    new = _along_axis(target, values, count)
    length = scalar(recorder, size)
    places = np.where(places < 0, places + length, places)  # type: ignore[assignment]
    rank = apply(interned(ArgSort, 0), apply(interned(ArgSort, 0), places))
    rows = reshaped(places + rank, (count, 1))
    taken = apply(
        interned(ScatterND, "set"),
        filled(recorder, 0, (size + count,)),
        rows,
        filled(recorder, 1, (count,)),
    )
    old = counting(recorder, size + count) - np.cumsum(taken)
    source = apply(interned(ScatterND, "set"), old, rows, counting(recorder, count) + length)
    return target.fresh(gathered(concatenate([x, new], axis), source, axis))
