"""Ufunc methods: reduce, accumulate, reduceat, outer, at."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call, Operand
from tests.properties.drawing import (
    NUMPY_DTYPES,
    SEEDS,
    axes,
    masks,
    operands,
    options,
    single_axes,
)

REFUSED = ()

FOLDS = [
    np.add,
    np.multiply,
    np.maximum,
    np.minimum,
    np.fmax,
    np.fmin,
    np.logical_and,
    np.logical_or,
    np.logical_xor,
    np.bitwise_and,
    np.bitwise_or,
    np.bitwise_xor,
    np.subtract,
    np.divide,
    np.power,
    np.hypot,
    np.logaddexp,
    np.gcd,
    np.lcm,
    np.floor_divide,
    np.remainder,
]
DTYPES = st.sampled_from(NUMPY_DTYPES)


def named(method: str) -> Any:
    """Return a program that calls a ufunc's method."""

    def program(ufunc: np.ufunc, *args: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*args, **kwargs)

    program.__qualname__ = f"np.ufunc.{method}"
    return program


def at(ufunc: np.ufunc, x: Any, indices: Any, *values: Any) -> Any:
    """Return a copy after ``ufunc.at``."""
    copy = x.copy()
    ufunc.at(copy, indices, *values)
    return copy


REDUCE, ACCUMULATE, REDUCEAT, OUTER = map(named, ("reduce", "accumulate", "reduceat", "outer"))


@st.composite
def reduces(draw: Any) -> Call:
    ufunc = draw(st.sampled_from(FOLDS))
    x = draw(operands(kinds=("tame", "ties")))
    kwargs = draw(
        options(
            axis=axes(x.value.ndim),
            keepdims=st.booleans(),
            dtype=DTYPES,
            initial=st.sampled_from([0, 2, 1.5]),
            where=masks(x.value.shape),
        )
    )
    return Call(REDUCE, (ufunc, x), kwargs, slack=32)


@st.composite
def accumulates(draw: Any) -> Call:
    ufunc = draw(st.sampled_from(FOLDS))
    x = draw(operands(kinds=("tame", "ties")))
    kwargs = draw(options(axis=single_axes(x.value.ndim), dtype=DTYPES))
    return Call(ACCUMULATE, (ufunc, x), kwargs, slack=32)


@st.composite
def reduceats(draw: Any) -> Call:
    ufunc = draw(st.sampled_from(FOLDS))
    x = draw(operands(kinds=("tame", "ties")))
    rank = x.value.ndim
    axis = draw(single_axes(rank))
    size = x.value.shape[axis] if -rank <= axis < rank else 1
    place = st.integers(0, max(size - 1, 0))
    indices = draw(st.lists(place, min_size=1, max_size=4))
    given: Any = Operand(np.array(indices)) if draw(st.booleans()) else indices
    kwargs = draw(options(dtype=DTYPES))
    if not x.value.size:  # the index is wrong, whatever else is
        ufunc, kwargs = np.logical_or, {}
    return Call(REDUCEAT, (ufunc, x, given), kwargs | {"axis": axis}, slack=32)


@st.composite
def outers(draw: Any) -> Call:
    ufunc = draw(st.sampled_from(FOLDS))
    small = st.lists(st.integers(0, 3), max_size=2).map(tuple)
    kinds = ("ties",) if ufunc is np.power else ("tame", "ties")  # no negative powers of ints
    a, b = (draw(operands(small, kinds=kinds)) for _ in range(2))
    return Call(OUTER, (ufunc, a, b), slack=8)


@st.composite
def ats(draw: Any) -> Call:
    ufunc = draw(st.sampled_from([*FOLDS, np.negative, np.square]))
    x = draw(operands(scalars=False, kinds=("tame", "ties")))
    shape = x.value.shape
    count = draw(st.integers(0, 4))
    size = shape[0] if shape else 0
    seed = np.random.Generator(np.random.PCG64(draw(SEEDS)))
    chosen: Any = Operand(seed.integers(-size, max(size, 1 - size), count if size else 0))
    if not shape:
        chosen = ()
    values = []
    if ufunc.nin == 2:
        same = draw(st.sampled_from([x.base.dtype, x.base.dtype, np.dtype(np.int8)]))
        values = [draw(st.sampled_from([1, 2]) | operands(st.just(shape[1:]), (same,)))]
    return Call(at, (ufunc, x, chosen, *values), slack=32)


CALLS = st.one_of(reduces(), accumulates(), reduceats(), outers(), ats())
