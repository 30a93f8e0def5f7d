"""Quantiles, nan-functions, averages, covariance, differences, interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call, Operand
from tests.properties.drawing import (
    NUMPY_DTYPES,
    Strategy,
    as_dtype,
    axes,
    filled,
    masks,
    operands,
    options,
    single_axes,
)
from tests.samples.base import BOOL

REFUSED = (r"Axis must be specified", r"incompatible numbers of samples")

METHODS = st.sampled_from(
    [
        "inverted_cdf",
        "averaged_inverted_cdf",
        "closest_observation",
        "interpolated_inverted_cdf",
        "hazen",
        "weibull",
        "linear",
        "median_unbiased",
        "normal_unbiased",
        "lower",
        "higher",
        "midpoint",
        "nearest",
    ]
)
_DTYPES = st.sampled_from(NUMPY_DTYPES[1:])
_DEGREES = st.sampled_from([0, 1, 2])


def _median(x: Any) -> Strategy:
    return options(axis=axes(x.ndim), keepdims=st.booleans())


def _nan_folded(x: Any) -> Strategy:
    return options(
        axis=axes(x.ndim),
        keepdims=st.booleans(),
        dtype=_DTYPES,
        initial=st.sampled_from([0, 2]),
        where=masks(x.shape),
    )


def _nan_extreme(x: Any) -> Strategy:
    return options(
        axis=axes(x.ndim),
        keepdims=st.booleans(),
        initial=st.sampled_from([0, 2]),
        where=masks(x.shape),
    )


def _nan_mean(x: Any) -> Strategy:
    return options(
        axis=axes(x.ndim), keepdims=st.booleans(), dtype=_DTYPES, where=masks(x.shape)
    )


def _nan_moment(x: Any) -> Strategy:
    return options(
        axis=axes(x.ndim),
        keepdims=st.booleans(),
        dtype=_DTYPES,
        where=masks(x.shape),
        ddof=_DEGREES,
    )


def _nan_running(x: Any) -> Strategy:
    return options(axis=st.none() | single_axes(x.ndim), dtype=_DTYPES)


def _nan_position(x: Any) -> Strategy:
    return options(axis=st.none() | single_axes(x.ndim), keepdims=st.booleans())


ONE_ARRAY = {
    np.median: _median,
    np.nanmedian: _median,
    np.nansum: _nan_folded,
    np.nanprod: _nan_folded,
    np.nanmax: _nan_extreme,
    np.nanmin: _nan_extreme,
    np.nanmean: _nan_mean,
    np.nanvar: _nan_moment,
    np.nanstd: _nan_moment,
    np.nancumsum: _nan_running,
    np.nancumprod: _nan_running,
    np.nanargmax: _nan_position,
    np.nanargmin: _nan_position,
}


@st.composite
def one_array(draw: Any) -> Call:
    function = draw(st.sampled_from(list(ONE_ARRAY)))
    extreme = function in (np.nanmax, np.nanmin)  # of a scalar where nothing is, they are NaN
    x = draw(operands(scalars=not extreme))
    return Call(function, (x,), draw(ONE_ARRAY[function](x.value)), slack=4)


@st.composite
def quantiles(draw: Any) -> Call:
    function = draw(
        st.sampled_from([np.quantile, np.percentile, np.nanquantile, np.nanpercentile])
    )
    weighted = draw(st.integers(0, 4)) == 0  # then a NaN decides whether NumPy gives a scalar
    x = draw(operands(kinds=("tame", "ties") if weighted else ("tame", "edges", "ties")))
    if (
        not x.value.size and x.base.dtype == BOOL
    ):  # two mistakes: NumPy finds the other one first
        x = as_dtype(x, np.float64)
    top = 100 if "percentile" in function.__name__ else 1
    fractions = st.sampled_from([0, 0.25, 0.5, 1 / 3, 0.9, 1])
    q: Any = draw(
        st.one_of(fractions, st.lists(fractions, max_size=3), st.just([[0.25], [0.5]]))
    )
    if function in (np.nanquantile, np.nanpercentile):  # NumPy misplaces the axes of a table
        q = np.ravel(q).tolist() if np.ndim(q) else q
    q = (np.array(q) * top).tolist()
    if draw(st.booleans()):
        q = Operand(np.array(q, draw(st.sampled_from([np.float64, np.float32]))))
    kwargs = draw(options(axis=axes(x.value.ndim), keepdims=st.booleans(), method=METHODS))
    if weighted:
        kwargs["method"] = "inverted_cdf"
        # along one axis only, NumPy's nan-functions fail for several quantiles
        axis = None if function in (np.nanquantile, np.nanpercentile) else kwargs.get("axis")
        kwargs["weights"] = draw(_weights(x.value.shape, axis))
    return Call(function, (x, q), kwargs, slack=4)


@st.composite
def _weights(draw: Any, shape: tuple[int, ...], axis: Any) -> Operand:
    if type(axis) is int and -len(shape) <= axis < len(shape) and draw(st.booleans()):
        shape = (shape[axis],)
    positive = 1 + np.abs(filled(shape, np.float64, "tame", draw(st.integers(0, 99))))
    return Operand(positive)


@st.composite
def averages(draw: Any) -> Call:
    x = draw(operands())
    kwargs = draw(options(axis=axes(x.value.ndim), keepdims=st.booleans()))
    if draw(st.booleans()):
        kwargs["weights"] = draw(_weights(x.value.shape, kwargs.get("axis")))
    if draw(st.booleans()):
        kwargs["returned"] = True
    return Call(np.average, (x,), kwargs, slack=4)


TABLES = st.tuples(st.sampled_from([3, 2, 1, 0]), st.sampled_from([4, 3, 2, 1, 0]))


@st.composite
def covariances(draw: Any) -> Call:
    shapes = TABLES | st.tuples(st.integers(0, 5))
    x = draw(operands(shapes, kinds=("tame", "ties")))
    count = x.value.shape[-1]
    args = [x]
    if draw(st.booleans()):
        args.append(draw(operands(st.just(x.value.shape), kinds=("tame",))))
    if draw(st.integers(0, 2)) == 0:
        return Call(np.corrcoef, tuple(args), draw(options(rowvar=st.booleans())), slack=64)
    kwargs = draw(
        options(
            rowvar=st.booleans(),
            bias=st.booleans(),
            ddof=_DEGREES,
            fweights=st.just(Operand(np.arange(1, count + 1))),
            aweights=st.just(Operand(np.linspace(1, 2, count))),
        )
    )
    return Call(np.cov, tuple(args), kwargs, slack=64)


@st.composite
def differences(draw: Any) -> Call:
    x = draw(operands(kinds=("tame", "ties")))
    rank = x.value.ndim
    which = draw(st.integers(0, 4))
    if which == 0:
        ends = st.sampled_from([0, 1, 2.5]) | st.just(
            Operand(filled((2,), x.base.dtype, "tame", 3))
        )
        kwargs = draw(
            options(n=st.integers(0, 3), axis=single_axes(rank), prepend=ends, append=ends)
        )
        return Call(np.diff, (x,), kwargs, slack=4)
    if which == 1:
        ends = st.sampled_from([0, [1, 2]])
        return Call(np.ediff1d, (x,), draw(options(to_end=ends, to_begin=ends)), slack=4)
    if which == 2:
        step = st.sampled_from([1, 0.5, 2])
        kwargs = draw(options(axis=axes(rank), edge_order=st.sampled_from([1, 2])))
        spacing = (draw(step),) if draw(st.booleans()) else ()
        return Call(np.gradient, (x, *spacing), kwargs, slack=8)
    if which == 3:
        kwargs = draw(options(dx=st.sampled_from([1.0, 0.5]), axis=single_axes(rank)))
        return Call(np.trapezoid, (x,), kwargs, slack=8)
    kwargs = draw(options(discont=st.sampled_from([None, 4.0]), axis=single_axes(rank)))
    kwargs |= draw(options(period=st.sampled_from([6.0, 4, 5])))
    return Call(np.unwrap, (x,), kwargs, slack=8)


@st.composite
def interpolations(draw: Any) -> Call:
    x = draw(operands(kinds=("tame", "edges")))
    size = draw(st.integers(1, 5))
    known = np.cumsum(
        1 + np.abs(filled((size,), np.float64, "tame", draw(st.integers(0, 99))))
    )
    values = draw(operands(st.just((size,)), kinds=("tame",)))
    limits = st.sampled_from([0, -1.5, float("nan")])
    kwargs = draw(options(left=limits, right=limits, period=st.sampled_from([3.5, 5])))
    return Call(np.interp, (x, Operand(known), values), kwargs, slack=8)


@st.composite
def convolutions(draw: Any) -> Call:
    sizes = st.tuples(st.integers(0, 5))
    a = draw(operands(sizes, kinds=("tame", "ties")))
    v = draw(operands(sizes, kinds=("tame", "ties")))
    function = draw(st.sampled_from([np.convolve, np.correlate]))
    kwargs = draw(options(mode=st.sampled_from(["full", "same", "valid"])))
    return Call(function, (a, v), kwargs, slack=16)


CALLS = st.one_of(
    one_array(),
    quantiles(),
    averages(),
    covariances(),
    differences(),
    interpolations(),
    convolutions(),
)
