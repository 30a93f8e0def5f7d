"""Counting: bincount, histograms, nonzero counts."""

from __future__ import annotations

import warnings

import numpy as np

from tests.samples.base import ALL_DTYPES, FEW_DTYPES, Sample, edges, normal, values

N = np.array([3, 0, 1, 3, 7, 1])
X = normal(40, dtype="f8")
F = np.array([0.0, 0.1, 0.3, 0.30000001, 0.7, 1.0, 1.0, np.nan, -0.5, 2.0, 0.9999999])
W = np.arange(40) * 0.25
_ROWS = {0: {0: "n"}}
_BOTH = {0: {0: "n"}, 1: {0: "n"}}


def _quiet(function):
    """NumPy warns when it converts bools."""

    def program(a):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(a)

    return program


BINCOUNT = [
    Sample(
        "bincount",
        lambda a: (np.bincount(a), np.bincount(a, minlength=5), np.bincount(a, minlength=12)),
        (N,),
        (np.bincount,),
        symbolic=_ROWS,
    ),
    Sample(
        "bincount-weights",
        lambda a, w: (np.bincount(a, w), np.bincount(a, weights=w, minlength=10)),
        (N, np.linspace(0, 1, 6)),
        (np.bincount,),
        symbolic=_BOTH,
        empty=False,
    ),
    Sample("bincount-int-weights", lambda a: np.bincount(a, weights=a), (N,), (np.bincount,)),
    Sample(
        "bincount-symbolic-minlength",
        lambda a: np.bincount(a, minlength=a.shape[0]),
        (N,),
        (np.bincount,),
        symbolic=_ROWS,
    ),
    Sample(
        "bincount-empty",
        lambda a: (np.bincount(a), np.bincount(a, minlength=3)),
        (np.zeros(0, int),),
        (np.bincount,),
    ),
    *(
        Sample(f"bincount-{d}", np.bincount, (np.array([1, 0, 1], d),), (np.bincount,))
        for d in ALL_DTYPES
        if np.can_cast(d, np.int64)
    ),
    Sample(
        "bincount-uses-size",
        lambda a: np.bincount(a) / np.bincount(a).sum(),
        (N,),
        (np.bincount,),
    ),
]

HISTOGRAMS = [
    Sample("histogram", lambda a: np.histogram(a), (X,), (np.histogram,), symbolic=_ROWS),
    Sample(
        "histogram-bins",
        lambda a: (
            *np.histogram(a, 4),
            *np.histogram(a, bins=7, range=(-1, 1)),
            *np.histogram(a, 3, (0.0, 0.0)),
        ),
        (X,),
        (np.histogram,),
        symbolic=_ROWS,
    ),
    *(
        Sample(
            f"histogram-rule-{rule}-{d}",
            lambda a, r=rule: (
                *np.histogram(a, r),
                np.histogram_bin_edges(a[:1], r),
                np.histogram_bin_edges(a * 0, r),
                np.histogram_bin_edges(a, r, range=(-1, 2)),
                *np.histogram(a, r, density=True),
            ),
            (X.astype(d) * np.array(3, d),),
            (np.histogram, np.histogram_bin_edges),
            symbolic=_ROWS,
        )
        for rule in ("auto", "doane", "fd", "rice", "scott", "sqrt", "sturges")
        for d in ("f4", "f8", "i4", "i1")
    ),
    Sample(
        "histogram-range-nan",
        lambda a: np.histogram(a, bins=10, range=(0.0, 1.0)),
        (F,),
        (np.histogram,),
        symbolic=_ROWS,
    ),
    Sample(
        "histogram-edges",
        lambda a: (*np.histogram(a, [-1.0, 0.0, 0.0, 0.5, 2.0]), *np.histogram(a, [0, 1])),
        (F,),
        (np.histogram,),
        symbolic=_ROWS,
    ),
    Sample(
        "histogram-captured-edges",
        lambda a, b: np.histogram(a, np.sort(b)),
        (X, np.array([1.0, -1.0, 0.5])),
        (np.histogram,),
        symbolic={0: {0: "n"}, 1: {0: "m"}},
        empty=False,
    ),
    Sample(
        "histogram-captured-range",
        lambda a, r: (*np.histogram(a, 6, (r[0], r[1])), *np.histogram(a, 6, (r[0], r[0]))),
        (X, np.array([-0.75, 1.25])),
        (np.histogram,),
        rtol=1e-12,
    ),
    Sample(
        "histogram-density",
        lambda a: (
            *np.histogram(a, 5, density=True),
            *np.histogram(a, [-3.0, 0.0, 1.0, 4.0], density=True),
        ),
        (X,),
        (np.histogram,),
        rtol=1e-12,
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "histogram-weights",
        lambda a, w: (
            *np.histogram(a, 5, weights=w),
            *np.histogram(a, [-1.0, 0.0, 1.0], weights=w),
        ),
        (X, W),
        (np.histogram,),
        rtol=1e-12,
        symbolic=_BOTH,
    ),
    Sample(
        "histogram-int-weights",
        lambda a, w: np.histogram(a, 5, weights=w),
        (X, np.arange(40)),
        (np.histogram,),
    ),
    Sample(
        "histogram-matrix", lambda a: np.histogram(a.reshape(4, 10), 3), (X,), (np.histogram,)
    ),
    Sample(
        "histogram-constant-data", lambda a: np.histogram(a * 0 + 2, 4), (X,), (np.histogram,)
    ),
    *(
        Sample(
            f"histogram-{d}",
            _quiet(
                lambda a: (
                    *np.histogram(a, 5),
                    *np.histogram(a, [0, 1, 2, 5]),
                    *np.histogram(a, 4, (0, 3)),
                )
            ),
            (values(20, dtype=d),),
            (np.histogram,),
            rtol=1e-6,
        )
        for d in FEW_DTYPES
    ),
    Sample(
        "histogram_bin_edges",
        lambda a: (
            np.histogram_bin_edges(a),
            np.histogram_bin_edges(a, 3),
            np.histogram_bin_edges(a, [0, 1.5]),
            np.histogram_bin_edges(a, 4, range=(0, 9)),
        ),
        (X,),
        (np.histogram_bin_edges,),
        symbolic=_ROWS,
    ),
    Sample("histogram-empty", lambda a: np.histogram(a, 3), (np.zeros(0),), (np.histogram,)),
]

Y = normal(40, dtype="f8", seed=7)


def _several(*arguments, **options):
    """Return a histogram over several coordinates with its list of edges spread out."""
    counts, edges = np.histogramdd(*arguments, **options)
    return (counts, *edges)


def _planes(a, b):
    return (
        *np.histogram2d(a, b, 3),
        *np.histogram2d(a, b, [2, 4], range=[(-1, 1), (-2.0, 2.0)]),
    )


def _planes_with_edges(a, b):
    return (
        *np.histogram2d(a, b, [-1.0, 0.0, 1.0]),
        *np.histogram2d(a, b, ([-1.0, 0.5], 2)),
    )


def _planes_with_weights(a, b):
    return (
        *np.histogram2d(a, b, 4, weights=np.abs(a)),
        *np.histogram2d(a, b, 2, density=True),
    )


SEVERAL = [
    *(
        Sample(name, f, (X, Y), (np.histogram2d,), rtol=1e-12, symbolic=_BOTH, empty=empty)
        for name, f, empty in (
            ("histogram2d", _planes, True),
            ("histogram2d-edges", _planes_with_edges, True),
            ("histogram2d-weights", _planes_with_weights, False),
        )
    ),
    Sample(
        "histogramdd",
        lambda a: _several(a, (2, 3, [-1.0, 0.0, 2.0])),
        (normal(20, 3, dtype="f8"),),
        (np.histogramdd,),
        rtol=1e-12,
        symbolic=_ROWS,
    ),
    Sample("histogramdd-list", lambda a, b: _several([a, b], 2, density=True), (X, Y)),
    Sample("histogramdd-vector", lambda a: _several(a, 4, range=[(0, 1)]), (X,)),
    *(
        Sample(
            f"histogramdd-{d}",
            lambda a: _several(a, (3, [0, 1, 3])),
            (values(12, 2, dtype=d),),
            (np.histogramdd,),
            rtol=1e-6,
        )
        for d in FEW_DTYPES
        if d != np.dtype(bool)
    ),
]

COUNTS = [
    *(
        Sample(
            f"count_nonzero-{d}",
            lambda a: (
                np.count_nonzero(a),
                np.count_nonzero(a, axis=0),
                np.count_nonzero(a, (0, 1), keepdims=True),
            ),
            (np.stack([edges(d, 8), edges(d, 8)]),),
            (np.count_nonzero,),
        )
        for d in ALL_DTYPES
    ),
    Sample(
        "count_nonzero-symbolic",
        lambda a: (np.count_nonzero(a > 0), np.count_nonzero(a, axis=-1)),
        (X.reshape(4, 10),),
        (np.count_nonzero,),
        symbolic=_ROWS,
    ),
]

SAMPLES = [*BINCOUNT, *HISTOGRAMS, *SEVERAL, *COUNTS]
