"""Products, contractions, norms, powers of matrices."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call
from tests.properties.drawing import (
    NUMPY_DTYPES,
    NUMPY_FLOATS,
    axes,
    operands,
    options,
    single_axes,
)

REFUSED = ()

SIZES = st.integers(0, 3)
STACKS = st.lists(st.sampled_from([2, 1]), max_size=1).map(tuple)
TAME = ("tame", "ties")


@st.composite
def matrix_products(draw: Any) -> Call:
    n, k, m = draw(SIZES), draw(SIZES), draw(SIZES)
    left = (
        draw(st.sampled_from([(k,), (n, k)])) if draw(st.booleans()) else (*draw(STACKS), n, k)
    )
    right = (
        draw(st.sampled_from([(k,), (k, m)])) if draw(st.booleans()) else (*draw(STACKS), k, m)
    )
    a = draw(operands(st.just(left), kinds=TAME))
    b = draw(operands(st.just(right), kinds=TAME))
    function = draw(
        st.sampled_from([np.matmul, np.dot, np.inner, np.linalg.matmul, np.kron, np.outer])
    )
    return Call(function, (a, b), slack=8)


VECTOR_PRODUCTS = [np.vdot, np.inner, np.dot, np.linalg.outer, np.outer, np.vecdot, np.kron]


@st.composite
def vector_products(draw: Any) -> Call:
    size = draw(SIZES)
    a, b = (draw(operands(st.just((size,)), kinds=TAME)) for _ in range(2))
    return Call(draw(st.sampled_from(VECTOR_PRODUCTS)), (a, b), slack=8)


@st.composite
def crosses(draw: Any) -> Call:
    shape = draw(st.sampled_from([(3,), (2, 3), (3, 2), (1, 3)]))
    a = draw(operands(st.just(shape), NUMPY_DTYPES[1:], kinds=TAME))
    b = draw(
        operands(st.just(draw(st.sampled_from([shape, (3,)]))), NUMPY_DTYPES[1:], kinds=TAME)
    )
    if draw(st.booleans()):
        return Call(
            np.linalg.cross, (a, b), draw(options(axis=single_axes(len(shape)))), slack=8
        )
    rank = len(shape)
    kwargs = draw(options(axis=single_axes(rank), axisc=single_axes(rank)))
    return Call(np.cross, (a, b), kwargs, slack=8)


@st.composite
def contractions(draw: Any) -> Call:
    sizes = {letter: draw(SIZES) for letter in "abcd"}
    left = draw(st.lists(st.sampled_from("abcd"), max_size=3))
    right = draw(st.lists(st.sampled_from("abcd"), max_size=3))
    a = draw(operands(st.just(tuple(sizes[c] for c in left)), kinds=TAME))
    b = draw(operands(st.just(tuple(sizes[c] for c in right)), kinds=TAME))
    if draw(st.booleans()):
        count = draw(st.integers(0, min(len(left), len(right), 2)))
        return Call(np.tensordot, (a, b, count), slack=8)
    used = sorted(set(left + right))
    kept = draw(st.lists(st.sampled_from(used), unique=True, max_size=3)) if used else []
    text = f"{''.join(left)},{''.join(right)}"
    if draw(st.booleans()):
        text += f"->{''.join(kept)}"
    kwargs = draw(
        options(optimize=st.booleans(), dtype=st.sampled_from([np.float64, np.int64]))
    )
    return Call(np.einsum, (text, a, b), kwargs, slack=8)


ORDERS = st.sampled_from([None, 0, 1, 2, 3, -1, 0.5, np.inf, -np.inf])


@st.composite
def norms(draw: Any) -> Call:
    x = draw(operands(kinds=TAME))
    rank = x.value.ndim
    which = draw(st.integers(0, 2))
    if which == 0:
        kwargs = draw(options(axis=axes(rank), keepdims=st.booleans(), ord=ORDERS))
        return Call(np.linalg.vector_norm, (x,), kwargs, slack=8)
    if which == 1:
        matrix_orders = st.sampled_from(["fro", 1, -1, np.inf, -np.inf])
        kwargs = draw(options(keepdims=st.booleans(), ord=matrix_orders))
        return Call(np.linalg.matrix_norm, (x,), kwargs, slack=8)
    axis = st.none() | single_axes(rank)
    kwargs = draw(options(axis=axis, keepdims=st.booleans(), ord=ORDERS))
    if rank - (type(kwargs.get("axis")) is int) * 1 == 2 and kwargs.get("axis") is None:
        kwargs["ord"] = draw(st.sampled_from([None, "fro", 1, -1, np.inf, -np.inf]))
    return Call(np.linalg.norm, (x,), kwargs, slack=8)


@st.composite
def matrix_powers(draw: Any) -> Call:
    size = draw(st.integers(0, 3))
    a = draw(operands(st.just((*draw(STACKS), size, size)), kinds=("ties",)))
    return Call(np.linalg.matrix_power, (a, draw(st.integers(0, 4))), slack=64)


@st.composite
def chains(draw: Any) -> Call:
    sizes = draw(st.lists(st.integers(1, 3), min_size=3, max_size=5))
    shapes = list(pairwise(sizes))
    parts = [draw(operands(st.just(s), NUMPY_FLOATS, kinds=TAME)) for s in shapes]
    return Call(np.linalg.multi_dot, (parts,), slack=64)


@st.composite
def matrix_vector(draw: Any) -> Call:
    n, k = draw(SIZES), draw(SIZES)
    a = draw(operands(st.just((*draw(STACKS), n, k)), kinds=TAME))
    v = draw(operands(st.just((*draw(STACKS), k)), kinds=TAME))
    if draw(st.booleans()):
        return Call(np.matvec, (a, v), slack=8)
    w = draw(operands(st.just((*draw(STACKS), n)), kinds=TAME))
    return Call(np.vecmat, (w, a), slack=8)


@st.composite
def diagonals(draw: Any) -> Call:
    x = draw(operands(kinds=TAME))
    function = draw(st.sampled_from([np.linalg.diagonal, np.linalg.trace]))
    return Call(function, (x,), draw(options(offset=st.integers(-3, 3))), slack=8)


CALLS = st.one_of(
    matrix_products(),
    vector_products(),
    crosses(),
    contractions(),
    norms(),
    matrix_powers(),
    chains(),
    matrix_vector(),
    diagonals(),
)
