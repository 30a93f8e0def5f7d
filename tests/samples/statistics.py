"""Averages, variances and correlation."""

from __future__ import annotations

import numpy as np

from tests.samples.base import (
    ALL_DTYPES,
    BFLOAT16,
    Sample,
    edges,
    integers,
    normal,
    values,
)

X = normal(3, 4, 2)
D = normal(3, 4, dtype="f8")
W = np.abs(normal(4, dtype="f8", seed=1)) + 0.1
_ROWS = {0: {0: "n"}}
_COLUMNS = {0: {1: "n"}}
HALF = {np.dtype("f2"): 6e-3, BFLOAT16: 4e-2}


def _axes(function, x, *, axes=(None, 0, -1, (0, 2), (2, 0)), symbolic=_ROWS, **other):
    name = function.__name__
    return [
        Sample(
            f"{name}-axis{axis}-keep{keep}",
            lambda a, f=function, x=axis, k=keep: f(a, axis=x, keepdims=k),
            (x,),
            (function,),
            rtol=1e-5,
            symbolic=symbolic,
            **other,
        )
        for axis in axes
        for keep in (False, True)
    ]


VARIANCE = [
    *(sample for f in (np.var, np.std) for sample in _axes(f, X)),
    *_axes(np.ptp, X, empty=False),
    *(
        Sample(
            f"{f.__name__}-{d}",
            lambda a, f=f: (f(a), f(a, axis=0)),
            (values(3, 4, dtype=d),),
            (f,),
            rtol=HALF.get(d, 1e-6),
        )
        for f in (np.var, np.std)
        for d in ALL_DTYPES
    ),
    *(
        Sample(
            f"ptp-{d}",
            lambda a: (np.ptp(a), np.ptp(a, 0)),
            (values(3, 4, dtype=d),),
            (np.ptp,),
        )
        for d in ALL_DTYPES
        if d != np.dtype(bool)
    ),
    Sample(
        "var-ddof",
        lambda a: (
            np.var(a, ddof=1),
            np.var(a, 0, ddof=2),
            np.std(a, ddof=0.5),
            np.var(a, correction=1),
            np.var(a, ddof=100),
        ),
        (X,),
        (np.var, np.std),
        rtol=1e-5,
        symbolic=_ROWS,
    ),
    Sample(
        "var-dtype",
        lambda a: (np.var(a, dtype=np.float64), np.std(a, dtype="f8", axis=1)),
        (X,),
        (np.var,),
    ),
    Sample(
        "var-int-dtype",
        lambda a: (np.var(a, dtype=np.float32), np.var(a, axis=0)),
        (integers(4, 3),),
        (np.var,),
        rtol=1e-5,
    ),
    Sample(
        "var-where",
        lambda a: (
            np.var(a, where=a > 0),
            np.std(a, axis=1, where=a < 1),
            np.var(a, where=[True, False]),
        ),
        (X,),
        (np.var, np.std),
        rtol=1e-5,
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "var-mean",
        lambda a: (
            np.var(a, axis=0, mean=np.mean(a, axis=0, keepdims=True)),
            np.std(a, mean=a.mean(keepdims=True)),
        ),
        (X,),
        (np.var,),
        rtol=1e-5,
        symbolic=_ROWS,
    ),
    Sample(
        "var-f16-many",
        lambda a: (a.var(), a.std(axis=1)),
        (normal(3, 3000, dtype="f2"),),
        (np.var,),
        rtol=2e-2,
    ),
    Sample("var-edges", lambda a: (a.var(), a.std()), (edges("f8", 20),), (np.var,)),
    Sample("var-0d", lambda a: (np.var(a), a.std()), (np.array(2.5),), (np.var,)),
    Sample(
        "var-methods",
        lambda a: (a.var(), a.std(1), a.var(axis=(0, 1), ddof=1, keepdims=True)),
        (D[..., None],),
        symbolic=_ROWS,
    ),
]

AVERAGES = [
    Sample(
        "average",
        lambda a: (
            np.average(a),
            np.average(a, axis=1),
            np.average(a, axis=(0, 2), keepdims=True),
        ),
        (X,),
        (np.average,),
        rtol=1e-5,
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "average-weights",
        lambda a, w: (np.average(a, axis=1, weights=w), np.average(a, -1, w, keepdims=True)),
        (D, W),
        (np.average,),
        symbolic=_ROWS,
    ),
    Sample(
        "average-constant-weights",
        lambda a: np.average(a, axis=0, weights=[1, 2, 3]),
        (D,),
        (np.average,),
    ),
    Sample(
        "average-full-weights",
        lambda a: (np.average(a, weights=np.abs(a)), np.average(a, axis=0, weights=a * a)),
        (D,),
        (np.average,),
        rtol=1e-11,
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "average-axes-weights",
        lambda a, w: np.average(a, axis=(2, 0), weights=w),
        (X, np.abs(normal(2, 3, seed=2)) + 1),
        (np.average,),
        rtol=1e-5,
    ),
    Sample(
        "average-returned",
        lambda a, w: (
            *np.average(a, axis=1, weights=w, returned=True),
            *np.average(a, axis=0, returned=True),
            *np.average(a, returned=True),
        ),
        (D, W),
        (np.average,),
        symbolic=_ROWS,
        empty=False,
    ),
    *(
        Sample(
            f"average-{d}",
            lambda a: (np.average(a), np.average(a, axis=0, weights=[1, 2, 3])),
            (values(3, 4, dtype=d),),
            (np.average,),
            rtol=HALF.get(d, 1e-6),
            atol=1e-6,
        )
        for d in ALL_DTYPES
        if d != BFLOAT16
    ),
]

COVARIANCE = [
    Sample(
        "cov",
        lambda a: (np.cov(a), np.cov(a, bias=True), np.cov(a, ddof=0)),
        (D,),
        (np.cov,),
        rtol=1e-11,
        atol=1e-15,
        symbolic=_COLUMNS,
        empty=False,
    ),
    Sample(
        "cov-columns",
        lambda a: np.cov(a, rowvar=False),
        (D,),
        (np.cov,),
        rtol=1e-11,
        atol=1e-15,
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "cov-pair",
        lambda a, b: (np.cov(a, b), np.cov(a, b[0]), np.cov(a[0], b[1])),
        (D, normal(3, 4, seed=2)),
        (np.cov,),
        rtol=1e-11,
        atol=1e-15,
    ),
    Sample(
        "cov-vector",
        lambda a: (np.cov(a), np.cov(a, rowvar=False)),
        (D[0],),
        (np.cov,),
        rtol=1e-11,
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "cov-weights",
        lambda a, f, w: (
            np.cov(a, fweights=f),
            np.cov(a, aweights=w),
            np.cov(a, fweights=f, aweights=w),
            np.cov(a, fweights=f, ddof=0),
            np.cov(a, aweights=w, bias=True),
        ),
        (D, np.array([1, 2, 3, 1]), W),
        (np.cov,),
        rtol=1e-11,
        atol=1e-15,
    ),
    Sample(
        "cov-dtype",
        lambda a: np.cov(a, dtype=np.float32),
        (D,),
        (np.cov,),
        rtol=1e-5,
        atol=1e-6,
    ),
    Sample(
        "cov-no-freedom",  # what is divided by zero stays apart from the product
        lambda a: (
            np.cov(a[:, :1]),
            np.cov(a, ddof=4),
            np.cov(a[0, :1]),
            np.cov(a[:, :1], fweights=[1]),
            np.corrcoef(a[:, :1]),
        ),
        (D,),
        (np.cov,),
    ),
    Sample("cov-int", np.cov, (integers(3, 5),), (np.cov,), rtol=1e-11),
    Sample(
        "corrcoef",
        lambda a: (np.corrcoef(a), np.corrcoef(a[0], a[1]), np.corrcoef(a[0])),
        (D,),
        (np.corrcoef,),
        rtol=1e-11,
    ),
    Sample(
        "corrcoef-columns",
        lambda a: np.corrcoef(np.concatenate([a, a * a]), rowvar=False),
        (D,),
        (np.corrcoef,),
        rtol=1e-10,
        symbolic=_ROWS,
        empty=False,
    ),
]

SAMPLES = [*VARIANCE, *AVERAGES, *COVARIANCE]
