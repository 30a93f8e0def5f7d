"""Strategies that every family uses: dtypes, shapes, operands, axes and optional arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Operand
from tests.samples.base import ALL_DTYPES, BFLOAT16, BOOL, FLOATS, INTEGERS, edges

Strategy = st.SearchStrategy[Any]

SHAPES = st.lists(st.sampled_from([3, 2, 4, 1, 0, 5]), max_size=3).map(tuple)
"""Shapes of up to three axes, empty ones among them."""

NUMPY_DTYPES = tuple(dtype for dtype in ALL_DTYPES if dtype != BFLOAT16)
"""The dtypes that NumPy itself has."""

NUMPY_FLOATS = tuple(dtype for dtype in FLOATS if dtype != BFLOAT16)

SEEDS = st.integers(0, 999)


def options(**arguments: Strategy) -> Strategy:
    """Return keyword arguments of which each is there or not."""
    return st.fixed_dictionaries({}, optional=arguments)


def pool(dtype: Any, kind: str) -> Any:
    """Return the values an array is drawn from: ``"tame"``, ``"edges"`` or ``"ties"``."""
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        return np.array([True, False])
    if kind == "edges":
        return edges(dtype, 20)
    if kind == "ties":
        return np.array([0, 1, 2, 3]).astype(dtype)
    values = [1.0, 2.5, -0.75, 3.0, -2.25, 0.5, 0.0, 7.0, 1.25, -4.5]
    if dtype in INTEGERS:
        values = [0, 1, 2, 3, 5, 7, 9] if dtype.kind == "u" else [0, 1, 2, 3, 5, -1, -2, -4, 7]
    return np.array(values).astype(dtype)


def filled(shape: Any, dtype: Any, kind: str, seed: int) -> Any:
    """Return an array of a shape, its values drawn from a pool."""
    values = pool(dtype, kind)
    picks = np.random.Generator(np.random.PCG64(seed)).integers(0, len(values), shape)
    return np.asarray(values[picks])


@st.composite
def operands(
    draw: Any,
    shapes: Any = SHAPES,
    dtypes: Any = NUMPY_DTYPES,
    kinds: tuple[str, ...] = ("tame", "edges", "ties"),
    scalars: bool = True,
) -> Operand:
    """Return an array argument of any layout; rank 0 is a scalar or a 0-d array."""
    shape = draw(shapes)
    dtype = draw(st.sampled_from(dtypes))
    array = filled(shape, dtype, draw(st.sampled_from(kinds)), draw(SEEDS))
    if not shape:
        return Operand(array[()] if scalars and draw(st.booleans()) else array)
    view = draw(st.sampled_from(["", "", ".T", "[::-1]", "[..., ::2]", "[1:]"]))
    if view == ".T":
        return Operand(np.ascontiguousarray(array.T), view)
    if view == "[..., ::2]":
        return Operand(np.repeat(array, 2, axis=-1), view)
    if view == "[1:]":
        return Operand(np.concatenate([np.zeros((1, *shape[1:]), dtype), array]), view)
    return Operand(array, view)


def as_dtype(operand: Operand, dtype: Any) -> Operand:
    """Return an operand with its values cast."""
    with np.errstate(all="ignore"):
        return Operand(operand.base.astype(dtype), operand.view)


def single_axes(rank: int) -> Strategy:
    """Return an axis, mostly a valid one, counted from either end."""
    valid = st.integers(-rank, rank - 1) if rank else st.just(0)
    return st.one_of(valid, valid, valid, valid, st.just(rank))


def axes(rank: int) -> Strategy:
    """Return an axis argument of a reduction: ``None``, a number or a tuple."""
    valid = st.integers(-rank, rank - 1) if rank else st.just(0)
    several = st.lists(valid, max_size=rank).map(tuple) if rank else st.just(())
    return st.one_of(st.none(), valid, several, single_axes(rank))


def broadcast_partner(shape: tuple[int, ...]) -> Strategy:
    """Return a shape that mostly broadcasts with ``shape``."""

    @st.composite
    def partner(draw: Any) -> tuple[int, ...]:
        keep = draw(st.integers(0, len(shape)))
        own = [
            1 if draw(st.integers(0, 3)) == 0 else size for size in shape[len(shape) - keep :]
        ]
        own = [
            draw(st.sampled_from([2, 3])) if s == 1 and draw(st.booleans()) else s for s in own
        ]
        return (2, *own) if draw(st.integers(0, 5)) == 0 else tuple(own)

    return partner()


def masks(shape: tuple[int, ...]) -> Strategy:
    """Return a boolean operand that broadcasts with ``shape``."""
    return operands(broadcast_partner(shape), (BOOL,), scalars=False)
