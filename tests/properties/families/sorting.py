"""Sorting, partitions, searching, counting, sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call, Operand
from tests.properties.drawing import NUMPY_DTYPES, as_dtype, operands, options, single_axes

REFUSED = ()

_ANY_KIND = st.sampled_from(["quicksort", "heapsort", "stable", "mergesort"])


def _axis_or_none(rank: int) -> Any:
    return st.none() | single_axes(rank)


@st.composite
def sorts(draw: Any) -> Call:
    x = draw(operands())
    kwargs = draw(options(axis=_axis_or_none(x.value.ndim)))
    if draw(st.booleans()):
        kind = draw(options(kind=_ANY_KIND))  # most keep no order of 0.0 and -0.0
        return Call(np.sort, (x,), kwargs | kind, signed_zeros=False)
    stable = draw(
        st.sampled_from([{"stable": True}, {"kind": "stable"}, {"kind": "mergesort"}])
    )
    return Call(np.argsort, (x,), kwargs | stable)


def partitioned(x: Any, kth: Any, axis: Any = -1) -> Any:
    """Return what a partition promises: the elements at ``kth``, and every element."""
    parted = np.partition(x, kth, axis=axis)
    where = axis if axis is not None else -1
    return np.take(parted, kth, axis=where), np.sort(parted, axis=where)


def partition_positions(x: Any, kth: Any, axis: Any = -1) -> Any:
    """Return the elements that an argpartition puts at ``kth``."""
    places = np.argpartition(x, kth, axis=axis)
    if axis is None:
        return np.ravel(x)[places][kth]
    return np.take(np.take_along_axis(x, places, axis), kth, axis=axis)


@st.composite
def partitions(draw: Any) -> Call:
    x = draw(operands())
    axis = draw(_axis_or_none(x.value.ndim))
    rank = x.value.ndim
    size = x.value.size if axis is None else x.value.shape[axis] if -rank <= axis < rank else 1
    place = st.integers(-size, size - 1) if size else st.just(0)
    kth = draw(st.one_of(place, st.lists(place, min_size=1, max_size=2)))
    function = draw(st.sampled_from([partitioned, partition_positions]))
    return Call(function, (x, kth), {"axis": axis}, signed_zeros=False)


@st.composite
def searches(draw: Any) -> Call:
    a = draw(operands(st.tuples(st.integers(0, 5))))
    values = np.sort(a.value)
    v = draw(operands())
    if draw(st.booleans()):
        v = as_dtype(v, a.base.dtype)
    kwargs = draw(options(side=st.sampled_from(["left", "right"])))
    if draw(st.integers(0, 3)) == 0:
        order = np.argsort(a.value, kind="stable")
        return Call(np.searchsorted, (a, v), kwargs | {"sorter": Operand(order)})
    if draw(st.integers(0, 2)) == 0:
        bins = Operand(np.unique(values[values == values]))
        return Call(np.digitize, (v, bins), draw(options(right=st.booleans())))
    return Call(np.searchsorted, (Operand(values), v), kwargs)


@st.composite
def lexical(draw: Any) -> Call:
    shape = draw(st.lists(st.integers(0, 4), min_size=1, max_size=2).map(tuple))
    keys = draw(st.lists(operands(st.just(shape), kinds=("ties",)), min_size=1, max_size=3))
    return Call(np.lexsort, (tuple(keys),), draw(options(axis=single_axes(len(shape)))))


@st.composite
def uniques(draw: Any) -> Call:
    x = draw(operands())
    flags = {f"return_{name}": st.booleans() for name in ("index", "inverse", "counts")}
    kwargs = draw(options(equal_nan=st.booleans(), axis=_axis_or_none(x.value.ndim), **flags))
    return Call(np.unique, (x,), kwargs, signed_zeros=False)


SETS = {
    np.union1d: options(),
    np.intersect1d: options(return_indices=st.booleans()),
    np.setdiff1d: options(),
    np.setxor1d: options(),
    np.isin: options(invert=st.booleans(), kind=st.sampled_from([None, "sort"])),
}


@st.composite
def sets(draw: Any) -> Call:
    function = draw(st.sampled_from(list(SETS)))
    pair = tuple(draw(operands(kinds=("ties", "edges"))) for _ in range(2))
    if draw(st.booleans()):
        pair = (pair[0], as_dtype(pair[1], pair[0].base.dtype))
    kwargs = draw(SETS[function])
    return Call(function, pair, kwargs, signed_zeros=False)


def unique_values(x: Any) -> Any:
    """Return what is promised of ``np.unique_values``: its elements, in no order."""
    return np.sort(np.unique_values(x))


@st.composite
def positions(draw: Any) -> Call:
    functions = [np.nonzero, np.flatnonzero, np.argwhere, unique_values, np.unique_counts]
    functions += [np.unique_inverse, np.unique_all]
    return Call(draw(st.sampled_from(functions)), (draw(operands()),), signed_zeros=False)


@st.composite
def trims(draw: Any) -> Call:
    x = draw(operands(st.tuples(st.integers(0, 5)), NUMPY_DTYPES, kinds=("ties",)))
    return Call(np.trim_zeros, (x,), draw(options(trim=st.sampled_from(["f", "b", "fb"]))))


CALLS = st.one_of(
    sorts(), partitions(), searches(), lexical(), uniques(), sets(), positions(), trims()
)
