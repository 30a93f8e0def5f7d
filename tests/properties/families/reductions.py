"""Sums, extremes, means, truth, running sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call
from tests.properties.drawing import (
    NUMPY_DTYPES,
    Strategy,
    axes,
    masks,
    operands,
    options,
    single_axes,
)

REFUSED = ()

_DTYPES = st.sampled_from([*NUMPY_DTYPES[1:], None])


def _folded(x: Any) -> Strategy:
    """Keywords of sum and prod."""
    return options(
        axis=axes(x.ndim),
        keepdims=st.booleans(),
        dtype=_DTYPES,
        initial=st.sampled_from([0, 1, 3, 2.5]),
        where=masks(x.shape),
    )


def _extreme(x: Any) -> Strategy:
    return options(
        axis=axes(x.ndim),
        keepdims=st.booleans(),
        initial=st.sampled_from([0, 3]),
        where=masks(x.shape),
    )


def _truth(x: Any) -> Strategy:
    return options(axis=axes(x.ndim), keepdims=st.booleans(), where=masks(x.shape))


def _mean(x: Any) -> Strategy:
    return options(
        axis=axes(x.ndim), keepdims=st.booleans(), dtype=_DTYPES, where=masks(x.shape)
    )


def _moment(x: Any) -> Strategy:
    degrees = st.sampled_from([0, 1, 2, 0.5])
    return st.tuples(
        options(
            axis=axes(x.ndim), keepdims=st.booleans(), dtype=_DTYPES, where=masks(x.shape)
        ),
        st.one_of(options(ddof=degrees), options(correction=degrees)),
    ).map(lambda pair: pair[0] | pair[1])


def _position(x: Any) -> Strategy:
    return options(axis=st.none() | single_axes(x.ndim), keepdims=st.booleans())


def _running(x: Any) -> Strategy:
    return options(axis=st.none() | single_axes(x.ndim), dtype=_DTYPES)


def _cumulative(x: Any) -> Strategy:
    return options(axis=single_axes(x.ndim), dtype=_DTYPES, include_initial=st.booleans())


def _counted(x: Any) -> Strategy:
    return options(axis=axes(x.ndim), keepdims=st.booleans())


FUNCTIONS = {
    np.sum: _folded,
    np.prod: _folded,
    np.max: _extreme,
    np.min: _extreme,
    np.all: _truth,
    np.any: _truth,
    np.mean: _mean,
    np.var: _moment,
    np.std: _moment,
    np.argmax: _position,
    np.argmin: _position,
    np.cumsum: _running,
    np.cumprod: _running,
    np.cumulative_sum: _cumulative,
    np.cumulative_prod: _cumulative,
    np.count_nonzero: _counted,
    np.ptp: _counted,
}


@st.composite
def calls(draw: Any) -> Call:
    function = draw(st.sampled_from(list(FUNCTIONS)))
    x = draw(operands())
    return Call(function, (x,), draw(FUNCTIONS[function](x.value)), slack=4)


CALLS = calls()
