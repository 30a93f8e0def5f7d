"""Functions that write into their first argument, a tensor, or the write would be lost."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.access import fit, set_item
from capture.coerce import cast, lift, recorder_of
from capture.errors import LostWriteError, UnsupportedError
from capture.functions.arguments import single_axis
from capture.functions.registry import implements
from capture.location import here
from capture.promotion import check_casting
from capture.symbolic import dim_of
from capture.tensor import Tensor
from capture.views import write
from ir.ops import interned
from ir.ops.elementwise import where as where_op
from ir.ops.shaping import Iota
from ir.types import BOOL, INT64


def destination(operation: str, target: Any) -> Tensor:
    """Return the tensor to write into.

    Raises:
        LostWriteError: It is a plain ndarray.
    """
    if type(target) is Tensor:
        return target
    kind = "ndarray" if isinstance(target, np.ndarray) else type(target).__name__
    raise LostWriteError(
        f"{operation}: the destination is a plain {kind}, which cannot record "
        f"the write{here()}\n  ways out: let it enter the scope before it is written to: "
        "array = capture.constant(array)"
    )


@implements(np.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """``numpy.copyto``."""
    target = destination("copyto", dst)
    recorder = target._recorder
    if type(src) not in (bool, int, float):
        source = lift(recorder, src)
        check_casting("copyto", source.dtype, target.dtype, casting)
    update = fit("copyto", target, src, target._type.shape)
    if where is not True:
        mask = fit("copyto", cast(target, BOOL), where, target._type.shape)
        update = recorder.apply(where_op, mask, update, target)
    write(target, update._read())


@implements(np.putmask)
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """``numpy.putmask``: values repeat by position when they are fewer than the array."""
    target = destination("putmask", a)
    recorder = target._recorder
    where = cast(lift(recorder, mask), BOOL)
    given = lift(recorder, values)
    if given.size == 1 or given._type.shape == target._type.shape:
        fitted = given.astype(target.dtype).reshape(() if given.size == 1 else target.shape)
        chosen = np.where(where, fitted, target)
    else:
        count = target.size
        available: Any = given.size
        repeats = np.resize(np.arange(available), count) if isinstance(count, int) else None
        if repeats is None:
            raise UnsupportedError(
                f"putmask: values {given._type} repeat over a symbolic size; broadcast them "
                f"yourself with np.where{here()}"
            )
        spread = given.ravel()[repeats].reshape(target.shape)
        chosen = np.where(where, spread.astype(target.dtype), target)
    write(target, chosen._read())  # type: ignore[attr-defined]


@implements(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    """``numpy.place``: the first N values go where the mask is true, repeating."""
    target = destination("place", arr)
    recorder = target._recorder
    where = cast(lift(recorder, mask), BOOL)
    given = lift(recorder, vals).ravel()
    flat = where.ravel()
    order = np.cumsum(flat) - 1
    spread = given[np.remainder(np.maximum(order, 0), given.shape[0])].reshape(target.shape)
    chosen = np.where(where.reshape(target.shape), spread.astype(target.dtype), target)
    write(target, chosen._read())  # type: ignore[attr-defined]


@implements(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """``numpy.put``: positions count in the flattened array; values repeat."""
    target = destination("put", a)
    recorder = target._recorder
    where = lift(recorder, ind).ravel()
    if mode != "raise":
        size: Any = target.size
        where = np.remainder(where, size) if mode == "wrap" else np.clip(where, 0, size - 1)
    given = lift(recorder, v).ravel()
    count, available = where._type.shape[0], given._type.shape[0]
    if available != count:
        if not isinstance(count, int) or not isinstance(available, int):
            raise UnsupportedError(
                f"put: {given._type} values for {where._type} positions: sizes are symbolic and "
                f"may differ; broadcast the values first{here()}"
            )
        given = given[np.resize(np.arange(available), count)]
    flat = target.reshape(-1)
    if flat.base is None:
        raise LostWriteError(f"put: {target._type} is not contiguous; copy it first{here()}")
    set_item(flat, cast(where, INT64), given)


@implements(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    """``numpy.put_along_axis``."""
    target = destination("put_along_axis", arr)
    recorder = recorder_of("put_along_axis", arr, indices, values)
    where = lift(recorder, indices)
    if axis is None:
        set_item(target.reshape(-1), where, values)
        return
    axis = single_axis(axis, target.ndim)
    key: list[Any] = []
    for position, size in enumerate(where.shape):
        if position == axis:
            key.append(where)
            continue
        shape = [1] * target.ndim
        shape[position] = -1
        key.append(positions(recorder, size).reshape(shape))
    set_item(target, tuple(key), values)


def positions(recorder: Any, size: Any) -> Tensor:
    """Return ``arange(size)`` for a size that may be symbolic."""
    made: Tensor = recorder.apply(interned(Iota, dim_of(size)))
    return made
