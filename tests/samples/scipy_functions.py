"""SciPy's Python functions: softmax, its logarithm, and the logarithm of a sum."""

from __future__ import annotations

import numpy as np
import scipy
import scipy.special as special
from scipy.special import log_softmax, logsumexp, softmax

from tests.samples.base import ALL_DTYPES, FEW_DTYPES, Sample, normal, values

_N = {0: {0: "n"}}
_INF = np.inf
ROWS = np.array(
    [
        [1, 2, 3, 3],
        [-1000, 1000, 0.5, 999],
        [_INF, 0, 1, _INF],
        [-_INF, -_INF, -_INF, -_INF],
        [-_INF, 0, -1, _INF],
        [np.nan, 0, 1, 2],
        [-50, 0, -80, -60],
    ]
)
SIGNED = np.array([1, -1, 2, -2.5])
CANCELLING = np.array([1, 0, 1, -1.0])

SAMPLES = [
    *(
        Sample(f"{f.__name__}-{d}", lambda a, f=f: f(a, axis=-1), (values(2, 3, dtype=d),))
        for f in (softmax, log_softmax, logsumexp)
        for d in ALL_DTYPES
        if d.kind == "f"
    ),
    *(
        Sample(
            f"{f.__name__}-{d}", lambda a, f=f: f(a % 3), (values(2, 3, dtype=d),), rtol=2e-3
        )
        for f in (softmax, log_softmax, logsumexp)
        for d in FEW_DTYPES
        if d.kind in "iu"
    ),
    *(
        Sample(
            f"{f.__name__}-{axis}-open",
            lambda a, f=f, axis=axis: f(a, axis=axis),
            (normal(3, 2, 4),),
            rtol=1e-5,
            atol=1e-6,
            symbolic=_N,
            empty=f is logsumexp and type(axis) is int,  # SciPy fails for others
        )
        for f in (softmax, log_softmax, logsumexp)
        for axis in (None, 0, 1, -1, (0, 2))
    ),
    *(
        Sample(
            f"divergences-{d}",  # what nearly cancels, and what overflows only on the way
            lambda a, b: (
                special.kl_div(a, b),
                special.rel_entr(a, b),
                special.boxcox(a, 0.001),
                special.inv_boxcox(a, 0.01),
                special.i0(a * 60),
                special.i1(a * 60),
            ),
            (
                np.array([0.5, 0.25, 1, 1.5, 0.001], d),
                np.array([0.5001, 0.249, 1.001, 1.5, 0.0010001], d),
            ),
            rtol=1e-12 if d == "f8" else 2e-6,
            atol=1e-15,
        )
        for d in ("f4", "f8")
    ),
    Sample(
        "softmax-edges",
        lambda a: (
            softmax(a, axis=1),
            log_softmax(a, axis=1),
            softmax(a[0, 0]),
            softmax([a, a]),
        ),
        (ROWS,),
        rtol=1e-13,
    ),
    Sample(
        "logsumexp-edges",
        lambda a: (*logsumexp(a, axis=1, return_sign=True), logsumexp(a, 1, keepdims=True)),
        (ROWS,),
        rtol=1e-15,
    ),
    *(
        Sample(
            f"logsumexp-weights-{name}",
            lambda a, b: (
                logsumexp(a, axis=1, b=b),
                *logsumexp(a, 1, b, True, return_sign=True),
                logsumexp(a.T, b=b[:, None], axis=0),
            ),
            (ROWS, weights),
            rtol=1e-13,
        )
        for name, weights in (("signed", SIGNED), ("cancelling", CANCELLING))
    ),
    Sample(
        "logsumexp-arguments",
        lambda a: (
            logsumexp(a),
            logsumexp(a[0, 0]),
            logsumexp(a, keepdims=True),
            logsumexp(a, b=2),
            logsumexp([a[0], a[1]], axis=0, b=[[1], [2]]),
            logsumexp(a, b=np.arange(3)),
        ),
        (normal(2, 3),),
        rtol=1e-6,
    ),
    Sample(
        "scipy-spellings",
        lambda a: (
            special.softmax(a),
            scipy.special.log_softmax(a, axis=0),
            special.softplus(a),
            special.sinc(a),
        ),
        (normal(2, 3),),
        rtol=1e-5,
        symbolic=_N,
        empty=False,
    ),
]
