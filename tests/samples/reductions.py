"""Reductions over axes."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, FEW_DTYPES, Sample, edges, normal, values

_ROWS = {0: {0: "n"}}


def _axis_forms(function, name: str, x, *, empty: bool = True) -> list[Sample]:
    return [
        Sample(
            f"{name}-axis{axis}-keep{keep}",
            lambda a, f=function, x=axis, k=keep: f(a, axis=x, keepdims=k),
            (x,),
            (function,),
            rtol=1e-5,
            symbolic=_ROWS,
            empty=empty,
        )
        for axis in (None, 0, -1, (0, 2), (), (2, 0, 1))
        for keep in (False, True)
    ]


X = normal(3, 4, 2)
SAMPLES = [
    *(
        sample
        for f, empty in ((np.sum, True), (np.prod, True), (np.all, True), (np.any, True))
        for sample in _axis_forms(f, f.__name__, X, empty=empty)
    ),
    *(
        sample
        for f in (np.max, np.min, np.mean)
        for sample in _axis_forms(f, f.__name__, X, empty=False)
    ),
    *(
        Sample(
            f"{f.__name__}-{dtype}",
            lambda a, f=f: (f(a), f(a, axis=0)),
            (values(3, 4, dtype=dtype),),
            (f,),
            rtol=2e-2 if dtype.itemsize == 2 else None,
        )
        for f in (
            np.sum,
            np.prod,
            np.max,
            np.min,
            np.all,
            np.any,
            np.mean,
            np.argmax,
            np.argmin,
        )
        for dtype in ALL_DTYPES
    ),
    *(
        Sample(
            f"{f.__name__}-edges-{dtype}",
            lambda a, f=f: f(a, axis=1),
            (np.stack([edges(dtype, 20), np.flip(edges(dtype, 20))]),),
            (f,),
        )
        for f in (np.max, np.min, np.argmax, np.argmin, np.all, np.any)
        for dtype in ALL_DTYPES
    ),
    *(
        Sample(
            f"sum-wraps-{dtype}",
            lambda a: (np.sum(a), np.sum(a, dtype=a.dtype), a.prod()),
            (edges(dtype),),
            (np.sum,),
        )
        for dtype in ALL_DTYPES
        if dtype.kind in "iu"
    ),
    *(
        Sample(
            f"{f.__name__}-axis{axis}",
            lambda a, f=f, x=axis: f(a, axis=x),
            (X,),
            (f,),
            symbolic=_ROWS,
            empty=False,
        )
        for f in (np.argmax, np.argmin)
        for axis in (None, 0, 1, -1)
    ),
    Sample("sum-dtype", lambda a: np.sum(a, dtype=np.float64), (X,), (np.sum,)),
    Sample("sum-initial", lambda a: np.sum(a, axis=1, initial=5), (X,), (np.sum,), rtol=1e-5),
    Sample("sum-where", lambda a: np.sum(a, where=a > 0), (X,), (np.sum,), rtol=1e-5),
    Sample("max-initial", lambda a: np.max(a, axis=0, initial=0.25), (X,), (np.max,)),
    Sample("max-where", lambda a: np.max(a, where=a < 0, initial=-9), (X,), (np.max,)),
    Sample(
        "max-empty-initial",
        lambda a: np.max(a, axis=0, initial=3),
        (np.zeros((0, 2)),),
        (np.max,),
    ),
    Sample("mean-int", lambda a: np.mean(a, axis=0), (values(3, 4, dtype="i4"),), (np.mean,)),
    Sample("mean-dtype", lambda a: np.mean(a, dtype=np.float64), (X,), (np.mean,)),
    Sample("mean-where", lambda a: np.mean(a, where=a > 0), (X,), (np.mean,), rtol=1e-5),
    Sample("sum-0d", lambda a: a.sum(), (np.array(2.5),), (np.sum,)),
    Sample(
        "methods",
        lambda a: (
            a.sum(),
            a.mean(1),
            a.max(0),
            a.min(-1),
            a.argmax(),
            a.any(),
            a.all(),
            a.prod(),
        ),
        (X,),
        rtol=1e-5,
    ),
    Sample(
        "initial-and-where",
        lambda a, m: (
            np.sum(a, initial=3, where=m),
            np.prod(a, axis=0, initial=2, where=m[0]),
            np.max(a, axis=1, initial=0, where=m),
        ),
        (normal(4, 3, dtype="f8"), values(4, 3, dtype=bool)),
        (np.sum, np.prod, np.max),
        rtol=1e-12,
    ),
    Sample(
        "axes-of-a-number",
        lambda a: (
            np.sum(a, axis=0),
            np.max(a, axis=-1, keepdims=True),
            np.count_nonzero(a, axis=0),
            np.ptp(a, axis=0),
            np.nanmean(a, axis=-1),
            np.take(a, [0, 0], axis=0),
            np.squeeze(a, axis=0),
            np.var(a, axis=0, where=np.True_),
        ),
        (np.array(-2.5),),
        (np.sum,),
    ),
    *(
        Sample(
            f"empty-{f.__name__}-{d}",
            lambda a, f=f: f(a, axis=0),
            (np.zeros((0, 3), d),),
            (f,),
        )
        for f in (np.sum, np.prod, np.all, np.any)
        for d in FEW_DTYPES
    ),
]
