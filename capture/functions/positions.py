"""Positions along an axis: windows, gathering, known values, and checks at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.access import make_view
from capture.coerce import holds_tensor, lift
from capture.known import UnknownValue
from capture.symbolic import as_dim
from capture.tensor import Tensor
from capture.views import SliceStep
from ir.dims import prove_le
from ir.ops import interned
from ir.ops.indexing import Take
from ir.ops.shaping import BroadcastTo, DimValue, Iota, Slice

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from ir.dims import DimLike, Shape


def known_value(recorder: Recorder, value: Any) -> Any:
    """Return a captured value as an ndarray where it depends on no input, else as a tensor.

    What is not captured comes back as it is. A list is answered item by item, and becomes a
    tensor where one of them stays unknown.
    """
    if type(value) in (list, tuple):
        items = [known_value(recorder, item) for item in value]
        return lift(recorder, value) if any(type(i) is Tensor for i in items) else items
    if type(value) is not Tensor:
        return value
    try:
        return recorder.known.read(value._read())
    except UnknownValue:
        return value


def known_array(recorder: Recorder, value: Any) -> np.ndarray[Any, Any] | None:
    """Return what is known of a value as an ndarray; ``None`` where it depends on an input."""
    known = known_value(recorder, value)
    return None if holds_tensor(known) else np.asarray(known)


def is_single(places: Any) -> bool:
    """Whether positions are one, whatever the sizes."""
    shape = places._type.shape if type(places) is Tensor else np.shape(places)
    return all(type(dim) is int and dim == 1 for dim in shape)


def window(x: Tensor, axis: int, start: DimLike, size: DimLike, step: int = 1) -> Tensor:
    """Return a view of ``size`` elements from ``start`` by ``step`` along ``axis``.

    Unlike ``x[start:start + size]`` nothing is clamped: the caller knows that the window fits.
    """
    shape = x._type.shape
    starts = tuple(start if i == axis else 0 for i in range(x.ndim))
    sizes = tuple(size if i == axis else dim for i, dim in enumerate(shape))
    steps = tuple(step if i == axis else 1 for i in range(x.ndim))
    key = tuple(("slice", *ends) for ends in zip(starts, sizes, steps, strict=True))
    made = SliceStep(interned(Slice, starts, sizes, steps), shape, sizes, key)
    return make_view(x, made, sizes)


def counting(recorder: Recorder, size: DimLike) -> Tensor:
    """Return ``arange(size)`` as int64."""
    made: Tensor = recorder.apply(interned(Iota, size))
    return made


def filled(recorder: Recorder, value: int, shape: Shape) -> Tensor:
    """Return an int64 array of one value."""
    made: Tensor = recorder.apply(
        interned(BroadcastTo, shape), lift(recorder, value, np.int64)
    )
    return made


def scalar(recorder: Recorder, value: Any) -> Tensor:
    """Return an integer (a dimension, a size, a Python or captured integer) as a 0-d int64."""
    dim = as_dim(value)
    made: Tensor
    if dim is not None:
        made = recorder.apply(interned(DimValue, dim))
        return made
    return lift(recorder, value, np.int64)


def gathered(x: Tensor, indices: Any, axis: int) -> Tensor:
    """Return the slices of ``x`` at int64 positions along ``axis``, checked at run time."""
    made: Tensor = x._recorder.apply(
        interned(Take, axis), x, lift(x._recorder, indices, np.int64)
    )
    return made


def checked(indices: Tensor, holds: Any) -> Tensor:
    """Return ``indices``, computed so that the graph fails unless all of ``holds`` is true.

    The failure is a lookup outside a table of one element: it runs on the data path, in every
    runtime, whatever number of indices there is.
    """
    failed = np.logical_not(np.all(holds)).astype(np.int64)
    table = lift(indices._recorder, np.zeros(1, np.int64))
    return indices + gathered(table, failed, 0)  # type: ignore[no-any-return]


def position_in(index: DimLike, size: DimLike) -> tuple[DimLike, bool]:
    """Return an index counted from the front, and whether it is proved to lie in the axis.

    Raises:
        IndexError: It is outside for every size; without the axis, which the caller adds.
    """
    at = size + index if type(index) is int and index < 0 else index
    if prove_le(size, at) or prove_le(at, -1):
        raise IndexError(f"index {index} is out of bounds for size {size}")
    return at, bool(prove_le(0, at) and prove_le(at, size - 1))
