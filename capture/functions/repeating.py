"""Repeating elements and whole arrays: repeat, tile, resize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.errors import UnsupportedError
from capture.functions.arguments import as_array, single_axis
from capture.functions.joining import concatenate
from capture.functions.positions import (
    checked,
    counting,
    filled,
    gathered,
    known_value,
    scalar,
    window,
)
from capture.functions.reductions import broadcast_scalar
from capture.functions.registry import implements
from capture.functions.shaping import as_shape, reshaped
from capture.location import here
from capture.symbolic import as_dim, dim_of
from capture.tensor import Tensor
from capture.views import Owned
from ir.dims import Dim, ceil_div, dim_max, prove_eq, prove_le
from ir.ops import interned
from ir.ops.indexing import CountUp, ScatterND
from ir.ops.shaping import BroadcastTo, Reshape
from ir.shapes import product
from ir.types import INT64

if TYPE_CHECKING:
    from ir.dims import DimLike, Shape


def spread(x: Tensor, with_ones: Shape, repeated: Shape, shape: Shape) -> Tensor:
    """Return ``x`` reshaped, broadcast and reshaped again, in storage of its own."""
    apply = x._recorder.apply
    ones = apply(interned(Reshape, with_ones), x)
    result: Tensor = apply(
        interned(Reshape, shape), apply(interned(BroadcastTo, repeated), ones)
    )
    return result


@implements(np.repeat)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """``numpy.repeat``: captured counts give a size that is a fresh symbol."""
    x = as_array("repeat", a, repeats)
    if axis is None:
        x, axis = x.ravel(), 0
    elif not x.ndim:
        x = reshaped(x, (1,))
    axis = single_axis(axis, x.ndim)
    counts = known_value(x._recorder, repeats)
    if type(counts) is Tensor:
        return _repeat_captured(x, counts, axis)
    if as_dim(counts) is None:
        if not isinstance(counts, np.ndarray) or (
            not counts.ndim and counts.dtype.kind in "iub"
        ):
            counts = np.array(counts, np.intp)
        counts = counts.astype(np.intp, casting="safe")
        if counts.size != 1:
            return _repeat_by_position(x, counts, axis)
        counts = int(counts.reshape(()))
    return _repeat_equally(x, dim_of(counts), axis)


def _repeat_equally(x: Tensor, count: DimLike, axis: int) -> Tensor:
    if prove_le(count, -1):
        raise ValueError("negative dimensions are not allowed")
    shape = x._type.shape
    before, size, after = shape[:axis], shape[axis], shape[axis + 1 :]
    return spread(
        x,
        (*before, size, 1, *after),
        (*before, size, count, *after),
        (*before, size * count, *after),
    )


def _repeat_by_position(x: Tensor, counts: np.ndarray[Any, Any], axis: int) -> Tensor:
    size = x._type.shape[axis]
    if isinstance(size, Dim):
        raise UnsupportedError(
            f"repeat: {counts.size} counts for an axis of symbolic size {size}; give one "
            f"count, or give the axis its number{here(2)}"
        )
    return gathered(x, np.repeat(np.arange(size), counts), axis)


def _repeat_captured(x: Tensor, counts: Tensor, axis: int) -> Tensor:
    """Repeat by captured counts: mark where each element starts, and count the marks."""
    recorder, size = x._recorder, x._type.shape[axis]
    if counts.dtype != INT64 and not np.can_cast(counts.dtype, INT64):
        raise TypeError(
            f"Cannot cast array data from {counts.dtype!r} to dtype('int64') according to the "
            "rule 'safe'"
        )
    counts = cast(counts, INT64)
    if counts.ndim > 1:
        raise ValueError("object too deep for desired array")
    given = counts._type.shape[0] if counts.ndim else 1
    if given != 1 and not prove_eq(given, size):
        raise ValueError(
            f"operands could not be broadcast together with shape ({size},) ({given},)"
        )
    if given != size or not counts.ndim:
        counts = recorder.apply(interned(BroadcastTo, (size,)), counts)
    made = Dim(recorder.fresh_symbol("repeated"))
    recorder.apply(CountUp(count=made), checked(np.sum(counts), counts >= 0))
    starts: Any = np.cumsum(counts) - counts
    marks = recorder.apply(
        interned(ScatterND, "add"),
        filled(
            recorder, 0, (made + 1,)
        ),  # trailing elements with no repetition start at the end
        reshaped(starts, (size, 1)),
        filled(recorder, 1, (size,)),
    )
    return gathered(x, np.cumsum(marks[:-1]) - 1, axis)


@implements(np.tile)
def tile(A: Any, reps: Any) -> Any:
    """``numpy.tile``: repetitions may be symbolic sizes."""
    x = as_array("tile", A, reps)
    given = known_value(x._recorder, reps)
    if type(given) is Tensor:
        raise UnsupportedError(
            f"tile: repetitions {given._type} are known only when the graph runs{here()}\n"
            "  ways out: repetitions may be symbolic sizes such as x.shape[0]; np.repeat "
            "takes captured counts"
        )
    times = as_shape(given)
    for count in times:
        if prove_le(count, -1):
            raise ValueError("negative dimensions are not allowed")
    shape = x._type.shape
    rank = max(len(shape), len(times))
    times = (1,) * (rank - len(times)) + times
    shape = (1,) * (rank - len(shape)) + shape
    if all(count == 1 for count in times):
        return reshaped(np.copy(x), shape)  # type: ignore[arg-type]
    pairs = list(zip(times, shape, strict=True))
    return spread(
        x,
        tuple(size for _, dim in pairs for size in (1, dim)),
        tuple(size for pair in pairs for size in pair),
        tuple(count * dim for count, dim in pairs),
    )


@implements(np.resize)
def resize(a: Any, new_shape: Any) -> Any:
    """``numpy.resize``: the elements in C order, over and over, until the shape is full."""
    x = as_array("resize", a, new_shape)
    shape = as_shape(new_shape)
    if any(prove_le(dim, -1) for dim in shape):
        raise ValueError("all elements of `new_shape` must be non-negative")
    flat = x.ravel()
    wanted = product(shape)
    result = reshaped(_cycled(flat, wanted), shape)
    return Tensor(result._recorder, result._read(), result._type, None if shape else Owned())


def _cycled(flat: Tensor, wanted: DimLike) -> Tensor:
    """Return ``wanted`` elements, starting again after the last; zeros if there are none."""
    size = flat._type.shape[0]
    if size == 0:
        return _zeros(flat, wanted)
    if not isinstance(size, Dim):
        rounds = ceil_div(wanted, size)
        if rounds == 1:
            return window(flat, 0, 0, wanted)
        return window(_tiled(flat, size, rounds), 0, 0, wanted)
    recorder = flat._recorder
    one_more = concatenate([flat, _zeros(flat, 1)])
    cycle = counting(recorder, wanted) % scalar(recorder, dim_max(size, 1))
    return gathered(one_more, cycle, 0)


def _zeros(flat: Tensor, size: DimLike) -> Tensor:
    return broadcast_scalar(lift(flat._recorder, 0, flat.dtype), (size,))


def _tiled(flat: Tensor, size: int, rounds: DimLike) -> Tensor:
    return spread(flat, (1, size), (rounds, size), (rounds * size,))
