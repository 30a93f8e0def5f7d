"""Keys of every kind, take and put, choices by condition."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call, Operand
from tests.properties.drawing import (
    SEEDS,
    broadcast_partner,
    filled,
    masks,
    operands,
    options,
    single_axes,
)
from tests.samples.base import ALL_DTYPES, BOOL

REFUSED = (r"are not known to agree",)

INDEX_DTYPES = st.sampled_from([np.int64, np.int32, np.uint8, np.int8])


def getitem(x: Any, key: Any) -> Any:
    """Return ``x[key]``."""
    return x[key]


def setitem(x: Any, key: Any, value: Any) -> Any:
    """Return a copy after ``x[key] = value``."""
    copy = x.copy()
    copy[key] = value
    return copy


def augment(x: Any, key: Any, value: Any) -> Any:
    """Return a copy after ``x[key] += value``."""
    copy = x.copy()
    copy[key] += value
    return copy


@st.composite
def index_arrays(draw: Any, size: int, shape: tuple[int, ...]) -> Any:
    """Return an array of valid positions, signed either way."""
    if not size:
        shape = (0, *shape[1:]) if shape else (0,)
    dtype = draw(INDEX_DTYPES)
    low = 0 if np.dtype(dtype).kind == "u" else -size
    seed = np.random.Generator(np.random.PCG64(draw(SEEDS)))
    values = np.asarray(seed.integers(low, max(size, low + 1), shape)).astype(dtype)
    return Operand(values) if draw(st.booleans()) else values.tolist()


@st.composite
def keys(draw: Any, shape: tuple[int, ...]) -> Any:
    """Return a key: slices, numbers, ellipsis, newaxis, index arrays and masks."""
    common = draw(st.lists(st.sampled_from([2, 1, 3]), max_size=2).map(tuple))
    items: list[Any] = []
    axis, count = 0, draw(st.integers(0, len(shape)))
    while axis < count:
        size = shape[axis]
        kind = draw(st.sampled_from(["slice", "int", "array", "mask", "new"]))
        if kind == "mask":
            wide = draw(st.integers(1, count - axis))
            given = shape[axis : axis + wide]
            items.append(Operand(filled(given, BOOL, "tame", draw(SEEDS))))
            axis += wide
            continue
        if kind == "new":
            items.append(None)
            continue
        axis += 1
        if kind == "int" and size:
            number = draw(st.integers(-size, size - 1))
            items.append(Operand(np.int64(number)) if draw(st.booleans()) else number)
        elif kind == "array":
            items.append(draw(index_arrays(size, common)))
        else:
            bound = st.none() | st.integers(-size - 1, size + 1)
            items.append(
                slice(draw(bound), draw(bound), draw(st.sampled_from([None, 2, -1, -2])))
            )
    if (
        draw(st.integers(0, 3)) == 0 and 0 not in shape
    ):  # NumPy lets wrong masks of nothing pass
        items.insert(draw(st.integers(0, len(items))), ...)
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


@st.composite
def gathers(draw: Any) -> Call:
    x = draw(operands(dtypes=ALL_DTYPES))
    return Call(getitem, (x, draw(keys(x.value.shape))))


@st.composite
def writes(draw: Any) -> Call:
    x = draw(operands(scalars=False))
    key = draw(keys(x.value.shape))
    call = Call(getitem, (x, key))
    try:
        shape = np.shape(call.run([operand.base for operand in call.operands()])[0])
    except (IndexError, ValueError):
        shape = ()
    if 0 in shape:  # into nothing, NumPy lets values of other shapes pass
        shape = ()
    arrays = operands(broadcast_partner(shape), kinds=("tame", "ties"))
    value = draw(st.sampled_from([0, 3, True]) | arrays)
    return Call(draw(st.sampled_from([setitem, augment])), (x, key, value), signed_zeros=False)


@st.composite
def takes(draw: Any) -> Call:
    x = draw(operands(dtypes=ALL_DTYPES))
    rank = x.value.ndim
    axis = draw(st.none() | single_axes(rank))
    size = x.value.size if axis is None else x.value.shape[axis] if -rank <= axis < rank else 1
    shape = draw(st.lists(st.integers(0, 3), max_size=2).map(tuple))
    mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
    indices = draw(index_arrays(size, shape))
    if mode != "raise" and size:
        indices = Operand(filled(shape, np.int64, "tame", draw(SEEDS)))
    return Call(np.take, (x, indices), {"axis": axis, "mode": mode})


@st.composite
def along_axis(draw: Any) -> Call:
    x = draw(operands(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)))
    rank = x.value.ndim
    axis = draw(st.integers(-rank, rank - 1))
    size = x.value.shape[axis]
    shape = list(x.value.shape)
    shape[axis] = draw(st.integers(0, 3))
    seed = np.random.Generator(np.random.PCG64(draw(SEEDS)))
    if draw(st.booleans()):
        indices = Operand(seed.integers(-size, size, shape))
        return Call(np.take_along_axis, (x, indices), {"axis": axis})
    shape[axis] = min(shape[axis], size)
    order = np.argsort(seed.normal(size=x.value.shape), axis=axis)
    indices = Operand(np.take(order, range(shape[axis]), axis=axis))
    value = draw(st.sampled_from([0, 5]) | operands(st.just(tuple(shape))))
    return Call(put_along_axis, (x, indices, value), {"axis": axis})


def put_along_axis(x: Any, indices: Any, values: Any, axis: int) -> Any:
    """Return a copy after ``np.put_along_axis``."""
    copy = x.copy()
    np.put_along_axis(copy, indices, values, axis)
    return copy


def put(x: Any, indices: Any, values: Any, **kwargs: Any) -> Any:
    """Return a copy after ``np.put``."""
    copy = x.copy()
    np.put(copy, indices, values, **kwargs)
    return copy


def putmask(x: Any, mask: Any, values: Any) -> Any:
    """Return a copy after ``np.putmask``."""
    copy = x.copy()
    np.putmask(copy, mask, values)
    return copy


def place(x: Any, mask: Any, values: Any) -> Any:
    """Return a copy after ``np.place``."""
    copy = x.copy()
    np.place(copy, mask, values)
    return copy


def copyto(x: Any, source: Any, **kwargs: Any) -> Any:
    """Return a copy after ``np.copyto``."""
    copy = x.copy()
    np.copyto(copy, source, **kwargs)
    return copy


def fill_diagonal(x: Any, value: Any, wrap: bool) -> Any:
    """Return a copy after ``np.fill_diagonal``."""
    copy = x.copy()
    np.fill_diagonal(copy, value, wrap)
    return copy


@st.composite
def puts(draw: Any) -> Call:
    x = draw(operands(scalars=False))
    shape, dtype = x.value.shape, x.base.dtype
    mask = Operand(filled(shape, BOOL, "tame", draw(SEEDS)))
    values = draw(operands(st.tuples(st.integers(1, 4)), (dtype,)))
    which = draw(st.integers(0, 5))
    if which == 0:
        mode = st.sampled_from(["raise", "wrap", "clip"])
        return Call(
            put, (x, draw(index_arrays(x.value.size, (3,))), values), draw(options(mode=mode))
        )
    if which == 1:
        return Call(putmask, (x, mask, values))
    if which == 2:
        return Call(place, (x, mask, values))
    if which == 3:
        source = draw(operands(broadcast_partner(shape)))
        rules = st.sampled_from(["same_kind", "unsafe", "safe", "no"])
        return Call(copyto, (x, source), draw(options(where=masks(shape), casting=rules)))
    if which == 4:
        value = draw(st.sampled_from([3, 0]) | st.just(values))
        return Call(fill_diagonal, (x, value, draw(st.booleans())))
    axis = st.none() | single_axes(x.value.ndim)
    condition = draw(operands(st.tuples(st.integers(0, 4)), (BOOL,)))
    return Call(np.compress, (condition, x), draw(options(axis=axis)))


@st.composite
def choices(draw: Any) -> Call:
    x = draw(operands())
    shape = x.value.shape
    condition = draw(operands(broadcast_partner(shape)))
    other = draw(st.sampled_from([0, 2, -1.5]) | operands(broadcast_partner(shape)))
    which = draw(st.integers(0, 4))
    if which == 0:
        return Call(np.where, (condition, x, other))
    if which == 1:
        conditions = [draw(masks(shape)) for _ in range(2)]
        picked = [x, draw(operands(broadcast_partner(shape)))]
        default = draw(options(default=st.sampled_from([0, 1, 2.5])))
        return Call(np.select, (conditions, picked), default)
    if which == 2:
        mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
        picks = Operand(
            filled(shape, np.int64, "ties" if mode == "raise" else "tame", draw(SEEDS))
        )
        options_ = [draw(operands(broadcast_partner(shape))) for _ in range(4)]
        return Call(np.choose, (picks, options_), {"mode": mode})
    if which == 3:
        mask = Operand(filled(shape, BOOL, "tame", draw(SEEDS)))
        return Call(np.extract, (mask, x))
    low = draw(st.none() | st.sampled_from([0, 1, 0.5]) | operands(broadcast_partner(shape)))
    high = draw(st.none() | st.sampled_from([2, 3.5]) | operands(broadcast_partner(shape)))
    return Call(np.clip, (x, low, high), signed_zeros=False)


@st.composite
def positions(draw: Any) -> Call:
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple))
    size = int(np.prod(shape))
    order = draw(st.sampled_from("CF"))
    which = draw(st.integers(0, 1))
    seed = np.random.Generator(np.random.PCG64(draw(SEEDS)))
    if which == 0:
        flat = Operand(
            np.asarray(seed.integers(0, size, draw(st.sampled_from([(), (3,), (0,)]))))
        )
        return Call(np.unravel_index, (flat, shape), {"order": order})
    mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
    spread = 0 if mode == "raise" else 3
    several = tuple(Operand(seed.integers(-spread, s + spread, 3)) for s in shape)
    return Call(np.ravel_multi_index, (several, shape), {"order": order, "mode": mode})


CALLS = st.one_of(
    gathers(), gathers(), writes(), takes(), along_axis(), puts(), choices(), positions()
)
