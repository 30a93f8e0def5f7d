"""Choosing, limiting and rounding."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, FLOATS, INTEGERS, Sample, edges, normal, values

X = normal(3, 4)
_ROWS = {0: {0: "n"}}

SAMPLES = [
    Sample("where", lambda a: np.where(a > 0, a, -a), (X,), (np.where,), symbolic=_ROWS),
    Sample(
        "where-scalars",
        lambda a: (np.where(a > 0, 1, 0), np.where(a > 0, a, 0.0), np.where(a > 0, 1.5, 2)),
        (X,),
        (np.where,),
        symbolic=_ROWS,
    ),
    Sample(
        "where-broadcast",
        lambda a, b: np.where(a > 0, a, b),
        (X, normal(4, seed=1)),
        (np.where,),
    ),
    Sample(
        "where-numeric-condition",
        lambda a: np.where(a, 1, 2),
        (np.array([0, 3, -1]),),
        (np.where,),
    ),
    Sample("where-0d", lambda a: np.where(a > 0, a, 0), (np.array(2.0),), (np.where,)),
    *(
        Sample(f"where-{d}", lambda a: np.where(a == a, a, a[::-1]), (edges(d),), (np.where,))
        for d in ALL_DTYPES
    ),
    Sample(
        "clip",
        lambda a: (np.clip(a, -0.5, 0.5), a.clip(0), np.clip(a, None, 0.25)),
        (X,),
        (np.clip,),
        symbolic=_ROWS,
    ),
    Sample("clip-keywords", lambda a: np.clip(a, min=-1, max=1), (X,), (np.clip,)),
    Sample(
        "clip-arrays", lambda a, b: np.clip(a, b, b + 1), (X, normal(4, seed=2)), (np.clip,)
    ),
    *(
        Sample(f"clip-{d}", lambda a: np.clip(a, 1, 5), (edges(d),), (np.clip,))
        for d in (*INTEGERS, *FLOATS)
    ),
    Sample(
        "clip-int-float", lambda a: np.clip(a, 0.5, 2.5), (values(5, dtype="i4"),), (np.clip,)
    ),
    *(
        Sample(
            f"round-{d}-{n}",
            lambda a, n=n: np.round(a, n),
            (edges(d),),
            (np.round,),
            rtol=1e-2 if d.itemsize == 2 and n else None,
        )
        for d in (*INTEGERS, *FLOATS)
        for n in (0, 1, -1)
        if not (d == np.dtype("u8") and n < 0) and not (d == np.dtype("i8") and n < 0)
    ),
    Sample(
        "round-method",
        lambda a: (a.round(), a.round(2), round(a[0, 0], 1)),
        (X,),
        (np.round,),
        rtol=1e-6,
    ),
]
