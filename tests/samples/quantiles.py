"""Medians, quantiles and percentiles."""

from __future__ import annotations

import numpy as np

from tests.samples.base import BFLOAT16, FEW_DTYPES, Sample, normal, values

X = normal(5, 4, 2)
V = normal(7, dtype="f8")
HOLES = np.array(
    [
        [np.nan, 1.0, 2.5, -1.0],
        [np.nan, np.nan, np.nan, np.nan],
        [-3.0, np.nan, np.inf, 4.0],
        [1.0, 2.0, 3.0, 4.0],
    ]
)
WITH_NAN = np.array([[1.0, np.nan, 2.0], [4.0, 0.0, -1.0], [np.inf, 1.0, 2.0]])
WEIGHTS = np.array([1.0, 0.0, 2.0, 0.5])
_ROWS = {0: {0: "n"}}
METHODS = (
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
)
NUMERIC = tuple(d for d in FEW_DTYPES if d != np.dtype(bool))


MEDIANS = [
    *(
        Sample(
            f"{f.__name__}-axis{x}-keep{k}",
            lambda a, f=f, x=x, k=k: f(a, axis=x, keepdims=k),
            (X,),
            (f,),
            symbolic=_ROWS,
            empty=x != (2, 1),
        )
        for f in (np.median, np.nanmedian)
        for x in (None, 0, -1, (0, 2), (2, 1))
        for k in (False, True)
    ),
    *(
        Sample(
            f"{f.__name__}-{d}",
            lambda a, f=f: (f(a), f(a, axis=0), f(a, axis=1)),
            (values(3, 4, dtype=d),),
            (f,),
        )
        for f in (np.median, np.nanmedian)
        for d in (*NUMERIC, np.dtype("f2"), np.dtype("i1"))
    ),
    Sample(
        "median-bfloat16",
        lambda a: (np.median(a, 0), np.median(a)),
        (values(3, 4, dtype=BFLOAT16),),
        (np.median,),
    ),
    Sample(
        "median-nan",
        lambda a: (np.median(a), np.median(a, axis=0), np.median(a, axis=1)),
        (WITH_NAN,),
        (np.median,),
        symbolic=_ROWS,
    ),
    Sample(
        "median-large",
        lambda a: (np.median(a), np.median(a[:1])),
        (np.array([3e38, 3.2e38], "f4"),),
        (np.median,),
    ),
    Sample("median-0d", lambda a: np.median(a), (np.array(2.5, "f4"),), (np.median,)),
    Sample(
        "nanmedian-holes",
        lambda a: (np.nanmedian(a), np.nanmedian(a, axis=0), np.nanmedian(a, axis=1)),
        (HOLES,),
        (np.nanmedian,),
        symbolic=_ROWS,
    ),
]

QUANTILES = [
    *(
        Sample(
            f"{f.__name__}-{m}",
            lambda a, f=f, m=m: (
                f(a, 0.3, method=m),
                f(a, [0.0, 0.25, 0.5, 0.9, 1.0], axis=0, method=m),
                f(a, 0.5, axis=1, method=m),
            ),
            (normal(5, 4, dtype="f8"),),
            (f,),
            rtol=1e-11,
            symbolic=_ROWS,
            empty=False,
        )
        for f in (np.quantile, np.nanquantile)
        for m in METHODS
    ),
    *(
        Sample(
            f"whole-quantiles-{m}-{d}",
            lambda a, m=m: (
                np.quantile(a, 1, axis=1, method=m),
                np.quantile(a, [0, 1], axis=1, method=m),
                np.quantile(a, np.int8(1), method=m),
                np.nanquantile(a, 0, axis=0, method=m),
            ),
            (np.arange(12).reshape(3, 4).astype(d),),
            (np.quantile, np.nanquantile),
        )
        for m in ("linear", "weibull", "averaged_inverted_cdf", "nearest")
        for d in ("u1", "i8", "f2")
    ),
    *(
        Sample(
            f"percentile-{m}",
            lambda a, m=m: (
                np.percentile(a, 30, method=m),
                np.percentile(a, [0, 60.0, 100], method=m),
            ),
            (V,),
            (np.percentile,),
            rtol=1e-11,
            symbolic=_ROWS,
            empty=False,
        )
        for m in METHODS
    ),
    *(
        Sample(
            f"quantile-axis{x}-keep{k}",
            lambda a, x=x, k=k: (
                np.quantile(a, 0.4, axis=x, keepdims=k),
                np.percentile(a, [10, 90], axis=x, keepdims=k),
            ),
            (X,),
            (np.quantile, np.percentile),
            rtol=1e-5,
            symbolic=_ROWS,
            empty=False,
        )
        for x in (None, 0, -1, (0, 2), (2, 1))
        for k in (False, True)
    ),
    *(
        Sample(
            f"quantile-{d}-{m}",
            lambda a, m=m: (
                np.quantile(a, 0.5, method=m),
                np.quantile(a, np.array([0.1, 0.6]), axis=0, method=m),
            ),
            (values(3, 4, dtype=d),),
            (np.quantile,),
            rtol=1e-5,
        )
        for d in NUMERIC
        for m in ("linear", "lower", "midpoint")
    ),
    Sample(
        "quantile-f16",
        lambda a: (np.quantile(a, 0.3), np.quantile(a, [0.3])),
        (values(3, 4, dtype="f2"),),
        (np.quantile,),
    ),
    Sample(
        "quantile-float32-q",
        lambda a: np.quantile(a, np.array([0.25, 0.75], "f4")),
        (normal(9),),
        (np.quantile,),
        rtol=1e-5,
    ),
    Sample(
        "quantile-integer-q",
        lambda a: (np.quantile(a, 0), np.quantile(a, [0, 1])),
        (values(6, dtype="i4"),),
        (np.quantile,),
    ),
    Sample(
        "quantile-matrix-q",
        lambda a: np.quantile(a, [[0.1, 0.2], [0.5, 0.9]], axis=1),
        (normal(3, 5, dtype="f8"),),
        (np.quantile,),
        rtol=1e-11,
    ),
    Sample(
        "quantile-nan",
        lambda a: (
            np.quantile(a, 0.5),
            np.quantile(a, [0.1, 0.9], axis=0),
            np.percentile(a, 30, axis=1),
        ),
        (WITH_NAN,),
        (np.quantile,),
    ),
    Sample(
        "quantile-inf",
        lambda a: (np.quantile(a, 0.5), np.quantile(a, 1.0), np.quantile(a, 0.0)),
        (np.array([1.0, 2.0, np.inf]),),
        (np.quantile,),
    ),
    *(
        Sample(
            f"quantile-captured-{m}",
            lambda a, q, m=m: (
                np.quantile(a, q, method=m),
                np.quantile(a, q[0], axis=0, method=m),
                np.nanpercentile(a, q * 100, axis=1, method=m),
            ),
            (normal(4, 6, dtype="f8"), np.array([0.2, 0.5, 1.0])),
            (np.quantile,),
            rtol=1e-11,
        )
        for m in METHODS
    ),
    Sample(
        "quantile-captured-symbolic",
        lambda a, q: np.quantile(a, q, axis=0),
        (normal(4, 3, dtype="f8"), np.array([0.2, 0.5])),
        (np.quantile,),
        rtol=1e-11,
        symbolic={0: {0: "n"}, 1: {0: "q"}},
        empty=False,
    ),
    Sample(
        "quantile-weights",
        lambda a, w: (
            np.quantile(a, [0.0, 0.3, 0.5, 1.0], axis=1, weights=w, method="inverted_cdf"),
            np.percentile(a, 40, axis=1, weights=w, method="inverted_cdf", keepdims=True),
        ),
        (normal(3, 4, dtype="f8"), WEIGHTS),
        (np.quantile, np.percentile),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "quantile-full-weights",
        lambda a, q: (
            np.quantile(a, q, weights=a * a, method="inverted_cdf"),
            np.quantile(a, q, axis=0, weights=np.abs(a), method="inverted_cdf"),
        ),
        (normal(3, 4, dtype="f8"), np.array([0.1, 0.7])),
        (np.quantile,),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "nanquantile-weights",
        lambda a, w: (
            np.nanquantile(a, [0.0, 0.5, 1.0], axis=1, weights=w, method="inverted_cdf"),
            np.nanpercentile(a, 60, weights=w, method="inverted_cdf"),
        ),
        (HOLES, WEIGHTS * np.ones((4, 1))),
        (np.nanquantile,),
    ),
    *(
        Sample(
            f"nanquantile-holes-{m}",
            lambda a, m=m: (
                np.nanquantile(a, 0.5, method=m),
                np.nanquantile(a, [0.2, 0.8], axis=0, method=m),
                np.nanpercentile(a, 35.0, axis=1, method=m),
                np.nanpercentile(a, [0, 100], axis=1, keepdims=True, method=m),
            ),
            (HOLES,),
            (np.nanquantile, np.nanpercentile),
            rtol=1e-11,
        )
        for m in METHODS
    ),
    *(
        Sample(
            f"nanquantile-{d}",
            lambda a: (np.nanquantile(a, 0.3), np.nanpercentile(a, [20, 60], axis=0)),
            (values(3, 4, dtype=d),),
            (np.nanquantile,),
            rtol=1e-5,
        )
        for d in (*NUMERIC, np.dtype("f2"))
    ),
]

SAMPLES = [*MEDIANS, *QUANTILES]
