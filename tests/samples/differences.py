"""Differences, gradients, areas and running folds."""

from __future__ import annotations

import numpy as np

from tests.samples.base import (
    ALL_DTYPES,
    BFLOAT16,
    FEW_DTYPES,
    Sample,
    edges,
    integers,
    normal,
    values,
)

X = normal(4, 5, 3, dtype="f8")
V = np.array([1.0, 4.0, 2.0, np.nan, 7.0, 7.5])
T = np.array([0.0, 1.0, 1.5, 3.5, 4.0])
_ROWS = {0: {0: "n"}}
NUMERIC = tuple(d for d in ALL_DTYPES if d != np.dtype(bool))


def _twice(a):
    return np.concatenate([a, a * 2, a + 1])


DIFFERENCES = [
    *(
        Sample(
            f"diff-{d}",
            lambda a: (np.diff(a), np.diff(a, 2), np.diff(a, axis=0)),
            (np.stack([edges(d, 8), edges(d, 8)[::-1]]),),
            (np.diff,),
        )
        for d in ALL_DTYPES
    ),
    *(
        Sample(
            f"diff-axis{x}",
            lambda a, x=x: (np.diff(a, axis=x), np.diff(a, n=3, axis=x)),
            (X,),
            (np.diff,),
            rtol=1e-11,
            atol=1e-13,
            symbolic=_ROWS,
        )
        for x in (0, 1, -1)
    ),
    Sample(
        "diff-edges",
        lambda a: (
            np.diff(a, prepend=0),
            np.diff(a, append=[1.0, 2.0]),
            np.diff(a, prepend=a[:1], append=9.0, n=2),
        ),
        (V,),
        (np.diff,),
        symbolic=_ROWS,
    ),
    Sample(
        "diff-edges-matrix",
        lambda a: (np.diff(a, axis=0, prepend=1.5), np.diff(a, axis=1, append=a[:, :2])),
        (X,),
        (np.diff,),
        symbolic=_ROWS,
    ),
    Sample(
        "diff-edges-promote",
        lambda a: (np.diff(a, prepend=0), np.diff(a, append=1.5)),
        (normal(4),),
        (np.diff,),
    ),
    Sample("diff-0", lambda a: np.diff(a, n=0), (V,), (np.diff,)),
    Sample(
        "ediff1d",
        lambda a: (
            np.ediff1d(a),
            np.ediff1d(a, to_end=[9.0, 8.0]),
            np.ediff1d(a, 1.0, [2.0]),
            np.ediff1d(a, to_begin=a),
        ),
        (V,),
        (np.ediff1d,),
        symbolic=_ROWS,
    ),
    Sample(
        "ediff1d-matrix",
        lambda a: np.ediff1d(a, to_begin=-99, to_end=np.array([88, 99])),
        (integers(2, 3),),
        (np.ediff1d,),
    ),
    *(Sample(f"ediff1d-{d}", np.ediff1d, (edges(d, 8),), (np.ediff1d,)) for d in NUMERIC),
    Sample(
        "unwrap",
        lambda a: (np.unwrap(a), np.unwrap(a, discont=4.0), np.unwrap(a * 2, period=5.0)),
        (np.array([0.0, 3.0, 6.2, -3.0, 3.2, 9.9]),),
        (np.unwrap,),
        rtol=1e-12,
        symbolic=_ROWS,
    ),
    Sample(
        "unwrap-int",
        lambda a: (np.unwrap(a, period=4), np.unwrap(a, period=5), np.unwrap(a)),
        (np.array([0, 1, 2, -1, 0, 2, 0]),),
        (np.unwrap,),
        rtol=1e-12,
    ),
    Sample(
        "unwrap-axis",
        lambda a: (np.unwrap(a * 5, axis=0), np.unwrap(a * 5, axis=1)),
        (X,),
        (np.unwrap,),
        rtol=1e-11,
        symbolic=_ROWS,
    ),
    Sample(
        "unwrap-float32", lambda a: np.unwrap(a), (normal(6) * 5,), (np.unwrap,), rtol=1e-5
    ),
    Sample(
        "trapezoid",
        lambda a: (
            np.trapezoid(a),
            np.trapezoid(a, dx=0.5),
            np.trapezoid(a, axis=0),
            np.trapezoid(a, axis=1, dx=2),
        ),
        (X,),
        (np.trapezoid,),
        rtol=1e-12,
        atol=1e-14,
        symbolic=_ROWS,
    ),
    Sample(
        "trapezoid-x",
        lambda a, t: (
            np.trapezoid(a, t, axis=1),
            np.trapezoid(a, [0, 1, 3]),
            np.trapezoid(a, x=a * a, axis=0),
        ),
        (X, T),
        (np.trapezoid,),
        rtol=1e-11,
        atol=1e-14,
    ),
    *(
        Sample(
            f"trapezoid-{d}",
            lambda a: (np.trapezoid(a), np.trapezoid(a, axis=0)),
            (values(3, 4, dtype=d),),
            (np.trapezoid,),
            rtol=1e-2 if d.itemsize == 2 else 1e-5,
            atol=1e-6,
        )
        for d in FEW_DTYPES
    ),
]

GRADIENTS = [
    Sample("gradient", lambda a: np.gradient(a), (X,), (np.gradient,), rtol=1e-12),
    *(
        Sample(
            f"gradient-axis{x}-order{o}",
            lambda a, x=x, o=o: np.gradient(_twice(a), 0.5, axis=x, edge_order=o),
            (X,),
            (np.gradient,),
            rtol=1e-11,
            atol=1e-13,
            symbolic=_ROWS,
            empty=x == 1,
        )
        for x in (0, 1)
        for o in (1, 2)
    ),
    Sample(
        "gradient-spacings",
        lambda a: np.gradient(a, 2, 0.25, axis=(1, 0)),
        (X,),
        (np.gradient,),
        rtol=1e-12,
    ),
    *(
        Sample(
            f"gradient-coordinates-order{o}",
            lambda a, o=o: (
                np.gradient(a[0, :, 0], T, edge_order=o),
                np.gradient(a, T, axis=1, edge_order=o),
                np.gradient(a, [0, 1, 2, 3], T, 1.0, edge_order=o)[1],
            ),
            (X,),
            (np.gradient,),
            rtol=1e-11,
            atol=1e-13,
        )
        for o in (1, 2)
    ),
    Sample(
        "gradient-captured-coordinates",
        lambda a, t: (np.gradient(a, t, axis=1), np.gradient(a, t, axis=1, edge_order=2)),
        (X, T),
        (np.gradient,),
        rtol=1e-11,
        atol=1e-13,
    ),
    Sample(
        "gradient-captured-spacing",
        lambda a, t: np.gradient(a, t[1], axis=0),
        (X, T),
        (np.gradient,),
        rtol=1e-11,
        atol=1e-13,
    ),
    *(
        Sample(
            f"gradient-{d}",
            lambda a: np.gradient(a, axis=0),
            (values(4, 3, dtype=d),),
            (np.gradient,),
            rtol=2e-3 if d.itemsize == 2 else 1e-5,
            atol=1e-3 if d.itemsize == 2 else 1e-7,
        )
        for d in NUMERIC
        if d != BFLOAT16
    ),
    Sample(
        "gradient-integer-coordinates",
        lambda a: np.gradient(a, [0, 1, 3, 4]),
        (np.array([1.0, 2.0, 4.0, 8.0]),),
        (np.gradient,),
    ),
]

RUNNING = [
    *(
        Sample(
            f"{f.__name__}-{d}",
            lambda a, f=f: (f(a), f(a, axis=0), f(a, 1)),
            (values(3, 4, dtype=d),),
            (f,),
            rtol=3e-2 if d == BFLOAT16 else 6e-3 if d == np.dtype("f2") else 1e-5,
            atol=1e-2 if d.itemsize == 2 else 0,
        )
        for f in (np.cumsum, np.cumprod)
        for d in ALL_DTYPES
    ),
    *(
        Sample(
            f"{f.__name__}-symbolic",
            lambda a, f=f: (f(a), f(a, axis=0), f(a, axis=-1)),
            (X,),
            (f,),
            rtol=1e-11,
            atol=1e-13,
            symbolic=_ROWS,
        )
        for f in (np.cumsum, np.cumprod)
    ),
    *(
        Sample(
            f"{f.__name__}-wraps-{d}",
            lambda a, f=f: (f(a), f(a, dtype=a.dtype)),
            (edges(d),),
            (f,),
        )
        for f in (np.cumsum, np.cumprod)
        for d in ALL_DTYPES
        if d.kind in "iu"
    ),
    Sample(
        "cumsum-edges",
        lambda a: (np.cumsum(a), np.cumprod(a)),
        (np.array([1.0, np.inf, 2.0, -np.inf, 1.0]),),
        (np.cumsum, np.cumprod),
    ),
    Sample(
        "cumsum-dtype",
        lambda a: (
            np.cumsum(a, dtype=np.float32),
            np.cumsum(a, dtype=bool),
            np.cumprod(a, dtype=bool),
            a.cumsum(0, "i2"),
        ),
        (values(6, dtype="i4"),),
        (np.cumsum, np.cumprod),
    ),
    Sample(
        "cumsum-0d",
        lambda a: (np.cumsum(a), a.cumprod()),
        (np.array(3),),
        (np.cumsum, np.cumprod),
    ),
    Sample(
        "cumsum-layout",
        lambda a: np.cumsum(a.T, axis=0).ravel("K"),
        (normal(3, 4, dtype="f8"),),
        (np.cumsum,),
    ),
    Sample(
        "cumulative_sum",
        lambda a: (
            np.cumulative_sum(a, axis=0),
            np.cumulative_sum(a[0, 0]),
            np.cumulative_sum(a, axis=-1, include_initial=True),
            np.cumulative_prod(a, axis=1, include_initial=True),
            np.cumulative_prod(a[0, 0]),
        ),
        (X,),
        (np.cumulative_sum, np.cumulative_prod),
        rtol=1e-11,
        symbolic=_ROWS,
        empty=False,
    ),
    *(
        Sample(
            f"cumulative_sum-{d}",
            lambda a: (
                np.cumulative_sum(a, include_initial=True),
                np.cumulative_prod(a, dtype=np.float64),
            ),
            (values(5, dtype=d),),
            (np.cumulative_sum,),
            rtol=1e-5,
        )
        for d in FEW_DTYPES
    ),
]

SAMPLES = [*DIFFERENCES, *GRADIENTS, *RUNNING]
