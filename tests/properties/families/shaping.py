"""Shapes, stacks, splits, repeats, rolls, grids, diagonals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call, Operand
from tests.properties.drawing import SHAPES, Strategy, operands, options, single_axes
from tests.samples.base import ALL_DTYPES

REFUSED = ()


@st.composite
def reshapes(draw: Any) -> Call:
    x = draw(operands(dtypes=ALL_DTYPES))
    size = x.value.size
    factors = [n for n in range(1, size + 1) if size % n == 0] or [0, 2]
    shape: list[int] = draw(st.lists(st.sampled_from(factors), max_size=3))
    if draw(st.booleans()) and math.prod(shape) and size % math.prod(shape) == 0:
        shape.insert(draw(st.integers(0, len(shape))), -1)
    kwargs = draw(options(order=st.sampled_from("CFA")))
    return Call(np.reshape, (x, tuple(shape)), kwargs)


def _permutation(rank: int) -> Strategy:
    signed = st.permutations(range(rank)).flatmap(
        lambda order: st.tuples(*(st.sampled_from([a, a - rank]) for a in order))
    )
    return st.one_of(signed, st.none())


def _axis_pair(rank: int) -> Strategy:
    return st.tuples(single_axes(rank), single_axes(rank))


def _new_axes(rank: int) -> Strategy:
    one = st.integers(-rank - 1, rank)
    return st.one_of(one, st.lists(st.integers(-rank - 2, rank + 1), max_size=2).map(tuple))


_COUNTS = st.integers(0, 3)
ONE_ARRAY: dict[Any, Any] = {
    np.transpose: lambda x: st.tuples(_permutation(x.ndim)),
    np.swapaxes: lambda x: _axis_pair(x.ndim),
    np.moveaxis: lambda x: _axis_pair(x.ndim),
    np.rollaxis: lambda x: st.tuples(single_axes(x.ndim), st.integers(-x.ndim, x.ndim)),
    np.expand_dims: lambda x: st.tuples(_new_axes(x.ndim)),
    np.squeeze: lambda x: st.tuples(st.none() | single_axes(x.ndim)),
    np.ravel: lambda x: st.tuples(st.sampled_from("CFAK")),
    np.atleast_1d: lambda x: st.just(()),
    np.atleast_2d: lambda x: st.just(()),
    np.atleast_3d: lambda x: st.just(()),
    np.flip: lambda x: st.tuples(st.none() | single_axes(x.ndim) | _axis_pair(x.ndim)),
    np.fliplr: lambda x: st.just(()),
    np.flipud: lambda x: st.just(()),
    np.rot90: lambda x: st.tuples(st.integers(-2, 5), _axis_pair(x.ndim)),
    np.roll: lambda x: st.one_of(
        st.tuples(st.integers(-4, 4), st.none() | single_axes(x.ndim)),
        st.tuples(st.tuples(*(st.integers(-4, 4),) * 2), _axis_pair(x.ndim)),
    ),
    np.tile: lambda x: st.tuples(_COUNTS | st.lists(_COUNTS, max_size=3)),
    np.repeat: lambda x: st.tuples(_COUNTS, st.none() | single_axes(x.ndim)),
    np.resize: lambda x: st.tuples(_COUNTS | st.tuples(_COUNTS, _COUNTS)),
    np.broadcast_to: lambda x: st.tuples(
        st.lists(st.sampled_from([1, 2, 3]), max_size=2).map(lambda more: (*more, *x.shape))
    ),
    np.unstack: lambda x: st.just(()),
    np.diag: lambda x: st.tuples(st.integers(-4, 4)),
    np.diagflat: lambda x: st.tuples(st.integers(-2, 2)),
    np.diagonal: lambda x: st.tuples(
        st.integers(-4, 4), single_axes(x.ndim), single_axes(x.ndim)
    ),
    np.trace: lambda x: st.tuples(
        st.integers(-4, 4), single_axes(x.ndim), single_axes(x.ndim)
    ),
    np.tril: lambda x: st.tuples(st.integers(-4, 4)),
    np.triu: lambda x: st.tuples(st.integers(-4, 4)),
    np.matrix_transpose: lambda x: st.just(()),
    np.fft.fftshift: lambda x: st.tuples(single_axes(x.ndim)),
    np.fft.ifftshift: lambda x: st.tuples(single_axes(x.ndim)),
    np.vander: lambda x: st.tuples(st.none() | _COUNTS, st.booleans()),
    np.zeros_like: lambda x: st.just(()),
    np.ones_like: lambda x: st.just(()),
    np.copy: lambda x: st.tuples(st.sampled_from("CFAK")),
}


@st.composite
def one_array(draw: Any) -> Call:
    function = draw(st.sampled_from(list(ONE_ARRAY)))
    x = draw(operands(dtypes=ALL_DTYPES))
    slack = 8 if function in (np.trace, np.vander) else 0
    return Call(function, (x, *draw(ONE_ARRAY[function](x.value))), slack=slack)


@st.composite
def repeated(draw: Any) -> Call:
    x = draw(operands())
    axis = draw(st.none() | single_axes(x.value.ndim))
    rank = x.value.ndim
    size = x.value.size if axis is None else x.value.shape[axis] if -rank <= axis < rank else 1
    counts = draw(st.lists(_COUNTS, min_size=size, max_size=size))
    given = Operand(np.array(counts, np.int64)) if draw(st.booleans()) else counts
    return Call(np.repeat, (x, given), {"axis": axis})


STACKS = [np.vstack, np.hstack, np.dstack, np.column_stack]


@st.composite
def stacks(draw: Any) -> Call:
    shape = draw(SHAPES)
    count = draw(st.integers(1, 3))
    joined = draw(st.sampled_from([*STACKS, np.stack, np.concatenate]))
    parts = []
    for _ in range(count):
        own = list(shape)
        if own and draw(st.booleans()):
            own[draw(st.integers(0, len(own) - 1))] = draw(st.sampled_from([1, 2, 3]))
        chosen = tuple(own) if draw(st.integers(0, 3)) == 0 else shape
        parts.append(draw(operands(st.just(chosen))))
    sequence = draw(st.sampled_from([tuple, list]))(parts)
    casting = {
        "dtype": st.sampled_from([np.float32, np.float64, np.int64]),
        "casting": st.sampled_from(["same_kind", "unsafe"]),
    }
    if joined in (np.stack, np.concatenate):
        axis = single_axes(len(shape) + (joined is np.stack))
        if joined is np.concatenate:
            axis = st.none() | axis
        return Call(joined, (sequence,), draw(options(axis=axis, **casting)))
    extra = options(**casting) if joined in (np.vstack, np.hstack) else options()
    return Call(joined, (sequence,), draw(extra))


@st.composite
def blocks(draw: Any) -> Call:
    rows, columns = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    heights = [draw(st.integers(0, 3)) for _ in range(rows)]
    widths = [draw(st.integers(0, 3)) for _ in range(columns)]
    table = [[draw(operands(st.just((h, w)))) for w in widths] for h in heights]
    return Call(np.block, (table if draw(st.booleans()) else table[0],))


@st.composite
def splits(draw: Any) -> Call:
    x = draw(operands(dtypes=ALL_DTYPES))
    places = st.one_of(
        st.integers(1, 4),
        st.lists(st.integers(-3, 5), max_size=3).map(sorted),
        st.just([2, 1]),
    )
    function = draw(
        st.sampled_from([np.split, np.array_split, np.vsplit, np.hsplit, np.dsplit])
    )
    kwargs = {}
    if function in (np.split, np.array_split):
        kwargs = draw(options(axis=single_axes(x.value.ndim)))
    return Call(function, (x, draw(places)), kwargs)


@st.composite
def grids(draw: Any) -> Call:
    vectors = draw(
        st.lists(operands(st.lists(st.integers(0, 3), max_size=1).map(tuple)), max_size=3)
    )
    which = draw(st.integers(0, 2))
    if which == 0:
        kwargs = draw(options(indexing=st.sampled_from(["xy", "ij"]), sparse=st.booleans()))
        return Call(np.meshgrid, tuple(vectors), kwargs)
    if which == 1:
        return Call(np.broadcast_arrays, tuple(vectors))
    x = draw(operands())
    kwargs = draw(options(dtype=st.sampled_from([np.float32, np.int8, bool])))
    return Call(np.full_like, (x, draw(st.sampled_from([3, 0, -1, 2.5]))), kwargs)


CALLS = st.one_of(
    reshapes(), one_array(), one_array(), repeated(), stacks(), blocks(), splits(), grids()
)
