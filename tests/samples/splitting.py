"""Splitting into views."""

from __future__ import annotations

import numpy as np

from tests.samples.base import FEW_DTYPES, Sample, normal, values

X = normal(6, 4, 2)
_ROWS = {0: {0: "n"}}


def _writes_through(a):
    y = a * 1
    first, second = np.split(y, 2)
    first[...] = 1
    np.array_split(y, 4)[1][:] = 2
    np.hsplit(y, [1, 3])[1][0] = 3
    np.unstack(y, axis=1)[0][-1] = 4
    return y, second


SAMPLES = [
    Sample(
        "split",
        lambda a: (
            *np.split(a, 3),
            *np.split(a, [1, 4]),
            *np.split(a, 2, axis=1),
            *np.split(a, (1,), axis=-1),
        ),
        (X,),
        (np.split,),
    ),
    Sample(
        "split-positions",
        lambda a: (*np.split(a, [2, 2, 9, -1]), *np.split(a, np.array([3]))),
        (X,),
    ),
    Sample(
        "array_split",
        lambda a: (
            *np.array_split(a, 4),
            *np.array_split(a, 9),
            *np.array_split(a, 3, 1),
            *np.array_split(a, [1, 5]),
            *np.array_split(a, 2.0),
        ),
        (X,),
        (np.array_split,),
    ),
    Sample(
        "array_split-symbolic",
        lambda a: (*np.array_split(a, 4), *np.array_split(a, 3, axis=0)),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "split-positions-symbolic",
        lambda a: (*np.split(a, [1, 3]), *np.split(a, [-1])),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "split-symbolic-position",
        lambda a: np.split(a, [a.shape[0] // 2]),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "split-other-axis-symbolic",
        lambda a: (*np.split(a, 2, 1), *np.hsplit(a, 4), *np.dsplit(a, 2)),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "split-multiple-symbolic",
        lambda a: np.split(a.reshape(-1, 2), 4),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "hsplit",
        lambda a: (*np.hsplit(a, 2), *np.hsplit(a[:, 0, 0], 3), *np.hsplit(a, [1])),
        (X,),
        (np.hsplit,),
    ),
    Sample("vsplit", lambda a: (*np.vsplit(a, 2), *np.vsplit(a, [2, 3])), (X,), (np.vsplit,)),
    Sample("dsplit", lambda a: (*np.dsplit(a, 2), *np.dsplit(a, [1])), (X,), (np.dsplit,)),
    Sample(
        "unstack",
        lambda a: (*np.unstack(a), *np.unstack(a, axis=-1), *np.unstack(a[0, :, 0])),
        (X,),
        (np.unstack,),
    ),
    Sample("unstack-symbolic", lambda a: np.unstack(a, axis=1), (X,), symbolic=_ROWS),
    Sample("split-shares", _writes_through, (X,)),
    *(
        Sample(
            f"splitting-{d}",
            lambda a: (*np.array_split(a, 3), *np.unstack(a, axis=1)),
            (values(4, 3, dtype=d),),
        )
        for d in FEW_DTYPES
    ),
]
