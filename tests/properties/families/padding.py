"""Padding in every mode, inserting, deleting, appending, sliding windows."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from tests.properties.calls import Call, Operand
from tests.properties.drawing import filled, operands, options, single_axes
from tests.samples.base import ALL_DTYPES, BOOL

REFUSED = (r"reflect_type='odd' of bools",)

WIDTH = st.integers(0, 4)
PAIR = st.tuples(WIDTH, WIDTH)

MODES = ["constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum"]
MODES += ["reflect", "symmetric", "wrap"]


@st.composite
def pads(draw: Any) -> Call:
    x = draw(operands(scalars=False))
    rank = x.value.ndim
    width = draw(WIDTH | PAIR | st.tuples(*(PAIR,) * rank))
    mode = draw(st.sampled_from(MODES))
    kwargs: dict[str, Any] = {}
    number = st.sampled_from([0, 1, 3, -1, 2.5])
    if mode == "constant":
        kwargs = draw(options(constant_values=number | st.tuples(number, number)))
    elif mode == "linear_ramp":
        kwargs = draw(options(end_values=number | st.tuples(number, number)))
    elif mode in ("maximum", "mean", "median", "minimum"):
        kwargs = draw(options(stat_length=st.none() | st.integers(1, 3)))
    elif mode in ("reflect", "symmetric"):
        kwargs = draw(options(reflect_type=st.sampled_from(["even", "odd"])))
    return Call(np.pad, (x, width, mode), kwargs, slack=8)


@st.composite
def edits(draw: Any) -> Call:
    x = draw(operands())
    rank = x.value.ndim
    axis = draw(st.none() | single_axes(rank))
    size = x.value.size if axis is None else x.value.shape[axis] if -rank <= axis < rank else 1
    place = st.integers(-size, max(size - 1, -size))
    where: Any = draw(
        st.one_of(
            place,
            st.lists(place, max_size=3),
            st.builds(
                slice, st.none() | place, st.none() | place, st.sampled_from([None, 2, -1])
            ),
            st.just(Operand(filled((size,), BOOL, "tame", draw(st.integers(0, 99))))),
        )
    )
    if draw(st.booleans()):
        return Call(np.delete, (x, where), {"axis": axis})
    value = draw(st.sampled_from([0, 5, 2.5]) | operands(st.just(()) | st.just((1,))))
    if isinstance(where, Operand):
        where = draw(place)
    return Call(np.insert, (x, where, value), {"axis": axis})


@st.composite
def appends(draw: Any) -> Call:
    x = draw(operands())
    y = draw(operands(st.just(x.value.shape) | st.just((2,))))
    return Call(np.append, (x, y), draw(options(axis=st.none() | single_axes(x.value.ndim))))


@st.composite
def windows(draw: Any) -> Call:
    x = draw(operands(dtypes=ALL_DTYPES))
    rank = x.value.ndim
    if draw(st.booleans()) and rank:
        axis = draw(single_axes(rank))
        return Call(sliding_window_view, (x, draw(st.integers(1, 3))), {"axis": axis})
    shape = draw(st.lists(st.integers(1, 3), min_size=rank, max_size=rank).map(tuple))
    return Call(sliding_window_view, (x, shape))


CALLS = st.one_of(pads(), edits(), appends(), windows())
