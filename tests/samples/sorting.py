"""Sorting, searching and interpolating."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, BFLOAT16, FEW_DTYPES, Sample, edges, normal, values

X = normal(4, 5, 3)
V = np.array([3.0, -1.0, 2.0, 3.0, np.nan, 0.5, -np.inf, 2.0])
BINS = np.array([-1.0, 0.0, 0.0, 0.5, 2.0])
_ROWS = {0: {0: "n"}}
ORDERED = tuple(d for d in ALL_DTYPES if d != BFLOAT16)


def _distinct(dtype):
    """Edge values without the ties that NumPy's kinds order differently (0.0 and -0.0)."""
    found = edges(dtype, 12)
    return found[found != 0] if found.dtype.kind == "f" else found


def _written(function):
    def program(a):
        b = a.copy()
        function(b)
        return b

    return program


SORTING = [
    *(
        Sample(
            f"sort-{d}",
            lambda a: (np.sort(a), np.sort(a[::-1], kind="stable")),
            (_distinct(d),),
            (np.sort,),
        )
        for d in ORDERED
    ),
    *(
        Sample(
            f"argsort-{d}", lambda a: np.argsort(a, kind="stable"), (edges(d),), (np.argsort,)
        )
        for d in ORDERED
    ),
    Sample(
        "sort-bfloat16",
        lambda a: (np.sort(a), np.argsort(a, axis=0, stable=True)),
        (values(4, 5, dtype=BFLOAT16),),
        (np.sort,),
    ),
    *(
        Sample(
            f"sort-axis{x}",
            lambda a, x=x: (np.sort(a, axis=x), np.argsort(a, axis=x, kind="stable")),
            (X,),
            (np.sort, np.argsort),
            symbolic=_ROWS,
        )
        for x in (None, 0, 1, -1)
    ),
    *(
        Sample(f"sort-{k}", lambda a, k=k: np.sort(a, kind=k), (V,), (np.sort,))
        for k in ("quicksort", "heapsort", "mergesort", "stable")
    ),
    Sample(
        "sort-keywords",
        lambda a: (
            np.sort(a, stable=True),
            a.argsort(stable=True),
            np.argsort(a, kind="mergesort"),
        ),
        (V,),
        (np.sort, np.argsort),
        symbolic=_ROWS,
    ),
    Sample("sort-in-place", _written(lambda b: b.sort()), (X,), ("sort",), symbolic=_ROWS),
    Sample(
        "sort-in-place-axis",
        _written(lambda b: b[:, 1:].sort(axis=0)),
        (X,),
        ("sort",),
        symbolic=_ROWS,
    ),
    Sample(
        "sort-layout",
        lambda a: (np.sort(a.T, axis=0).reshape(-1), np.sort(a.T).ravel("K")),
        (X,),
        (np.sort,),
    ),
    Sample(
        "argsort-0d",
        lambda a: (np.argsort(a), np.argpartition(a, 0)),
        (np.array(3.0),),
        (np.argsort,),
    ),
    Sample(
        "lexsort",
        lambda a, b: (np.lexsort((a, b)), np.lexsort([b, a]), np.lexsort((a,))),
        (np.array([1, 5, 1, 4, 3, 4, 4]), np.array([9.0, 4.0, 0.0, 4.0, 0.0, 2.0, 1.0])),
        (np.lexsort,),
        symbolic={0: {0: "n"}, 1: {0: "n"}},
    ),
    Sample(
        "lexsort-matrix",
        lambda a: (np.lexsort(a), np.lexsort((a, -a), axis=0), np.lexsort((a, a), axis=1)),
        (np.array([[2, 1, 1, 2], [0, 0, 1, 0], [3, 3, 3, 3]]),),
        (np.lexsort,),
    ),
    Sample(
        "partition",
        lambda a: (
            np.partition(a, 2)[..., 2],
            np.sort(np.partition(a, 1, axis=0)[:2], axis=0),
            np.partition(a, (0, 3), axis=None)[[0, 3]],
        ),
        (normal(4, 5),),
        (np.partition,),
    ),
    Sample(
        "argpartition",
        lambda a: (
            np.take_along_axis(a, np.argpartition(a, 2, axis=1), 1)[:, 2],
            a.argpartition(-1, axis=None)[-1],
        ),
        (normal(4, 5),),
        (np.argpartition,),
    ),
    Sample(
        "partition-symbolic",
        lambda a: np.sort(np.partition(a, -1, axis=0)[-1:]),
        (normal(4, 5),),
        (np.partition,),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "partition-in-place",
        _written(lambda b: (b.partition(1), b.sort())),
        (normal(3, 4),),
        ("partition",),
    ),
]

SEARCHING = [
    *(
        Sample(
            f"searchsorted-{d}-{side}",
            lambda a, v, s=side: (
                np.searchsorted(np.sort(a), v, side=s),
                np.sort(a).searchsorted(v[2], s),
            ),
            (_distinct(d), edges(d)),
            (np.searchsorted,),
        )
        for d in ORDERED
        for side in ("left", "right")
    ),
    *(
        Sample(
            f"searchsorted-symbolic-{s}",
            lambda a, v, s=s: (
                np.searchsorted(np.sort(a), v, s),
                np.searchsorted(np.sort(a), v[:, None], s),
            ),
            (V, np.array([2.0, np.nan, -np.inf, 0.0, 9.0])),
            (np.searchsorted,),
            symbolic={0: {0: "n"}, 1: {0: "m"}},
        )
        for s in ("left", "right")
    ),
    Sample(
        "searchsorted-values-symbolic",
        lambda v: (
            np.searchsorted([0.0, 1.0, 2.0], v),
            np.searchsorted([0.0, 1.0, 1.0], v, "right"),
        ),
        (V,),
        (np.searchsorted,),
        symbolic=_ROWS,
    ),
    Sample(
        "searchsorted-sorter",
        lambda a, v: (
            np.searchsorted(a, v, sorter=np.argsort(a)),
            np.searchsorted(a, v, "right", sorter=[1, 2, 0]),
        ),
        (np.array([3, 1, 2]), np.array([0, 1, 2, 3, 4])),
        (np.searchsorted,),
    ),
    Sample(
        "searchsorted-promotes",
        lambda a: (
            np.searchsorted(a, 2.5),
            np.searchsorted(a, [300, -1]),
            np.searchsorted([1.5, 2.5], a),
        ),
        (np.array([1, 2, 3], "u1"),),
        (np.searchsorted,),
    ),
    Sample(
        "searchsorted-empty",
        lambda a, v: (np.searchsorted(a, v), np.searchsorted(v, a)),
        (np.zeros(0), np.zeros(3)),
        (np.searchsorted,),
    ),
    *(
        Sample(
            f"digitize-{r}",
            lambda a, r=r: (
                np.digitize(a, BINS, right=r),
                np.digitize(a, BINS[::-1], right=r),
                np.digitize(a, [0.5], r),
            ),
            (V,),
            (np.digitize,),
            symbolic=_ROWS,
        )
        for r in (False, True)
    ),
    Sample(
        "digitize-captured",
        lambda a, b: (
            np.digitize(a, b),
            np.digitize(a, b[::-1], right=True),
            np.digitize(a[0], b),
        ),
        (V, BINS),
        (np.digitize,),
    ),
    Sample(
        "digitize-captured-symbolic",
        lambda a, b: (np.digitize(a, np.sort(b)), np.digitize(a, -np.sort(b), True)),
        (V, BINS),
        (np.digitize,),
        symbolic={0: {0: "n"}, 1: {0: "m"}},
    ),
    Sample(
        "digitize-int",
        lambda a: np.digitize(a, [1, 3, 5]),
        (values(6, dtype="i2"),),
        (np.digitize,),
    ),
]

XP, FP = np.array([-1.0, 0.0, 0.5, 2.0]), np.array([3.0, -1.0, 4.0, 2.0])
INTERP = [
    Sample(
        "interp",
        lambda x: (
            np.interp(x, XP, FP),
            np.interp(x, XP, FP, left=-9.0),
            np.interp(x, XP, FP, right=9),
        ),
        (V,),
        (np.interp,),
        symbolic=_ROWS,
    ),
    Sample(
        "interp-captured",
        np.interp,
        (np.array([-2.0, -1.0, -0.25, 0.1, 2.0, 3.0]), XP, FP),
        (np.interp,),
        symbolic={0: {0: "n"}},
    ),
    Sample(
        "interp-symbolic",
        lambda x, f: np.interp(x, np.sort(f), f),
        (V, FP),
        (np.interp,),
        symbolic={0: {0: "n"}, 1: {0: "m"}},
        empty=False,
    ),
    Sample(
        "interp-period",
        lambda x: (
            np.interp(x, [190.0, -190.0, 350.0, -350.0], [5, 10, 3, 4], period=360),
            np.interp(x, XP, FP, period=-2.5),
        ),
        (np.array([-180.0, -170, -185, 185, -10, -5, 0, 365]),),
        (np.interp,),
        rtol=1e-12,
        symbolic=_ROWS,
    ),
    Sample(
        "interp-scalar",
        lambda x: (np.interp(x[0], XP, FP), np.interp(x.reshape(2, 4), XP, FP)),
        (V,),
        (np.interp,),
    ),
    Sample(
        "interp-infinite",
        lambda x: np.interp(x, [-np.inf, 0.0, 1.0, np.inf], [1.0, 2.0, np.inf, np.inf]),
        (np.array([-np.inf, -1.0, 0.0, 0.5, 1.0, 5.0, np.inf, np.nan]),),
        (np.interp,),
    ),
    Sample(
        "interp-one-point",
        lambda x: np.interp(x, [1.0], [5.0], left=0, right=9),
        (V,),
        (np.interp,),
    ),
    *(
        Sample(
            f"interp-{d}",
            lambda x: np.interp(x, [0, 2, 4], [1.0, 3.0, 0.0]),
            (values(5, dtype=d),),
            (np.interp,),
            rtol=1e-12,
        )
        for d in FEW_DTYPES
    ),
]

SAMPLES = [*SORTING, *SEARCHING, *INTERP]
