"""Folds that leave NaN out."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, BFLOAT16, FEW_DTYPES, Sample, normal, values

GAPS = np.where(normal(4, 5, seed=3) > 0.7, np.nan, normal(4, 5, seed=4)).astype("f8")
HOLES = np.array([[np.nan, 1.0, 2.5], [np.nan, np.nan, 0.5], [-3.0, np.nan, np.inf]])
_ROWS = {0: {0: "n"}}
HALF = {np.dtype("f2"): 6e-3, BFLOAT16: 4e-2}

_NAN_FOLDS = (np.nansum, np.nanprod, np.nanmax, np.nanmin, np.nanmean, np.nanvar, np.nanstd)
SAMPLES = [
    *(
        Sample(
            f"{f.__name__}-axis{x}",
            lambda a, f=f, x=x: (f(a, axis=x), f(a, axis=x, keepdims=True)),
            (HOLES,),
            (f,),
        )
        for f in _NAN_FOLDS
        for x in (None, 0, 1, (0, 1))
    ),
    *(
        Sample(
            f"{f.__name__}-symbolic",
            lambda a, f=f: (f(a), f(a, axis=0), f(a, axis=1)),
            (GAPS,),
            (f,),
            rtol=1e-11,
            symbolic=_ROWS,
            empty=f not in (np.nanmax, np.nanmin),
        )
        for f in _NAN_FOLDS
    ),
    *(
        Sample(
            f"{f.__name__}-{d}",
            lambda a, f=f: (f(a), f(a, axis=1)),
            (values(3, 4, dtype=d),),
            (f,),
            rtol=HALF.get(d, 1e-6),
        )
        for f in _NAN_FOLDS
        for d in ALL_DTYPES
    ),
    *(
        Sample(
            f"{f.__name__}-where", lambda a, f=f: f(a, axis=1, where=a != 2.5), (HOLES,), (f,)
        )
        for f in (np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd)
    ),
    Sample(
        "nansum-arguments",
        lambda a: (
            np.nansum(a, initial=5),
            np.nansum(a, dtype=np.float32),
            np.nanprod(a, axis=1, initial=2.0),
        ),
        (GAPS,),
        (np.nansum, np.nanprod),
        rtol=1e-6,
    ),
    Sample(
        "nanmax-initial",
        lambda a: (
            np.nanmax(a, axis=1, initial=0.75),
            np.nanmin(a, axis=1, initial=0.75),
            np.nanmax(a, axis=0, initial=np.nan),
            np.nanmax(a, axis=1, where=a < 1, initial=-9.0),
            np.nanmin(a, axis=1, where=a > 1, initial=np.nan),
        ),
        (HOLES,),
        (np.nanmax, np.nanmin),
    ),
    Sample(
        "nanvar-arguments",
        lambda a: (
            np.nanvar(a, ddof=1),
            np.nanvar(a, axis=1, ddof=2),
            np.nanstd(a, axis=1, correction=1),
            np.nanvar(a, axis=1, mean=np.nanmean(a, axis=1, keepdims=True)),
        ),
        (GAPS,),
        (np.nanvar, np.nanstd),
        rtol=1e-11,
        symbolic=_ROWS,
    ),
    Sample(
        "nanmean-dtype",
        lambda a: (np.nanmean(a, dtype=np.float64), np.nanvar(a, dtype=np.float64)),
        (GAPS.astype("f4"),),
        (np.nanmean,),
        rtol=1e-6,
    ),
    Sample(
        "nanmean-0d",
        lambda a: (np.nanmean(a), np.nansum(a), np.nanmax(a), np.nanvar(a)),
        (np.array(np.nan),),
        (np.nanmean,),
    ),
    *(
        Sample(
            f"{f.__name__}",
            lambda a, f=f: (f(a), f(a, axis=1), f(a, axis=0, keepdims=True)),
            (
                np.array(
                    [
                        [np.nan, 1.0, 2.5],
                        [np.inf, np.nan, 0.5],
                        [-3.0, np.nan, np.inf],
                        [-np.inf, 4.0, np.nan],
                    ]
                ),
            ),
            (f,),
        )
        for f in (np.nanargmax, np.nanargmin)
    ),
    *(
        Sample(
            f"{f.__name__}-symbolic",
            lambda a, f=f: (f(a), f(a, axis=1)),
            (np.array([[1.0, np.nan], [np.nan, 2.0]]),),
            (f,),
            symbolic=_ROWS,
            empty=False,
        )
        for f in (np.nanargmax, np.nanargmin)
    ),
    *(
        Sample(
            f"{f.__name__}-{d}",
            lambda a, f=f: (f(a), f(a, axis=1)),
            (values(3, 4, dtype=d),),
            (f,),
        )
        for f in (np.nanargmax, np.nanargmin)
        for d in FEW_DTYPES
    ),
    Sample(
        "nancumsum",
        lambda a: (
            np.nancumsum(a),
            np.nancumsum(a, axis=0),
            np.nancumprod(a, axis=1),
            np.nancumprod(a),
        ),
        (HOLES,),
        (np.nancumsum, np.nancumprod),
        symbolic=_ROWS,
    ),
    *(
        Sample(
            f"nancumsum-{d}",
            lambda a: (np.nancumsum(a, 0), np.nancumprod(a, 1)),
            (values(3, 4, dtype=d),),
            (np.nancumsum,),
            rtol=HALF.get(d),
        )
        for d in FEW_DTYPES
    ),
]
