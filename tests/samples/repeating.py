"""Repeating elements and arrays."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, Sample, normal, values

X = normal(3, 4)
V = normal(5, seed=1)
_ROWS = {0: {0: "n"}}
COUNTS = np.array([2, 0, 3, 1, 0])

SAMPLES = [
    Sample(
        "repeat",
        lambda a: (
            np.repeat(a, 2),
            np.repeat(a, 3, axis=0),
            np.repeat(a, 2, axis=-1),
            np.repeat(a, 0, 1),
            np.repeat(a, [1, 0, 2], 0),
            np.repeat(a, [2], 1),
            a.repeat(2),
            a.repeat(np.array([1, 2, 0, 3]), axis=1),
        ),
        (X,),
        (np.repeat, "repeat"),
    ),
    Sample(
        "repeat-symbolic",
        lambda a: (
            np.repeat(a, 2),
            np.repeat(a, 3, 0),
            np.repeat(a, [1, 0, 2, 1], 1),
            np.repeat(a, a.shape[0], 1),
        ),
        (X,),
        symbolic=_ROWS,
    ),
    Sample("repeat-scalar", lambda a: (np.repeat(a[0], 3), np.repeat(a[1], 2, axis=0)), (V,)),
    Sample(
        "repeat-captured",
        lambda a, c: (np.repeat(a, c), np.repeat(a, c[:1]), np.repeat(a, c[2])),
        (V, COUNTS),
    ),
    Sample(
        "repeat-captured-axis",
        lambda a, c: np.repeat(a, c, axis=1),
        (normal(2, 5), COUNTS.astype("i4")),
    ),
    Sample("repeat-captured-none", lambda a, c: np.repeat(a, c), (V, COUNTS * 0)),
    Sample(
        "repeat-captured-symbolic",
        lambda a, c: np.repeat(a, c, 0),
        (normal(5, 2), COUNTS),
        symbolic={0: {0: "n"}, 1: {0: "n"}},
    ),
    Sample(
        "repeat-captured-one-symbolic",
        lambda a, c: np.repeat(a, c, 0),
        (normal(5, 2), np.array(2)),
        symbolic=_ROWS,
    ),
    Sample(
        "tile",
        lambda a: (
            np.tile(a, 2),
            np.tile(a, (2, 3)),
            np.tile(a, (2, 1, 2)),
            np.tile(a[0], 3),
            np.tile(a, ()),
            np.tile(a, (0, 2)),
            np.tile(a, 1),
            np.tile(a[0], (2, 2)),
            np.tile(a[0, 0], 3),
        ),
        (X,),
        (np.tile,),
    ),
    Sample(
        "tile-symbolic",
        lambda a: (np.tile(a, (2, 3)), np.tile(a, (2, 1, 1)), np.tile(a, (a.shape[0], 1))),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "resize",
        lambda a: (
            np.resize(a, (2, 3)),
            np.resize(a, 20),
            np.resize(a, (5, 7)),
            np.resize(a, ()),
            np.resize(a, 0),
            np.resize(a, (12,)),
            np.resize(a[:0], (2, 2)),
        ),
        (X,),
        (np.resize,),
    ),
    Sample(
        "resize-symbolic",
        lambda a: (np.resize(a, (2, 3)), np.resize(a, (3, 7)), np.resize(a, 0)),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "resize-to-symbolic",
        lambda a, b: (np.resize(a, (b.shape[0], 3)), np.resize(a, b.shape[0])),
        (V, X),
        symbolic={1: {0: "n"}},
    ),
    *(
        Sample(
            f"repeating-{d}",
            lambda a: (
                np.repeat(a, 2),
                np.tile(a, 2),
                np.resize(a, 5),
                np.repeat(a, [1, 0, 2]),
            ),
            (values(3, dtype=d),),
        )
        for d in ALL_DTYPES
    ),
]
