"""Coordinate grids and flat positions."""

from __future__ import annotations

import numpy as np

from tests.samples.base import FEW_DTYPES, Sample, normal, values

X, Y, Z = normal(3), normal(4, seed=1), normal(2, seed=2)
FLAT = np.array([0, 5, 11, 23])
_ROWS = {0: {0: "n"}}
_BOTH = {0: {0: "n"}, 1: {0: "m"}}


def _copies(a, b):
    y = a * 1
    rows, columns = np.meshgrid(y, b)
    rows[0] = 7
    columns[:, 0] = 8
    return y, rows, columns


def _sparse_views(a, b):
    y = a * 1
    rows, _ = np.meshgrid(y, b, sparse=True, copy=False)
    rows[0, 1] = 7
    return y


SAMPLES = [
    Sample(
        "meshgrid",
        lambda a, b, c: (
            *np.meshgrid(a, b),
            *np.meshgrid(a, b, c),
            *np.meshgrid(a),
            *np.meshgrid(a, b, indexing="ij"),
            *np.meshgrid(a, b, sparse=True),
            *np.meshgrid(a, b, copy=False),
            *np.meshgrid(a, b, c, sparse=True, indexing="ij"),
            *np.meshgrid(a[0], b),
            *np.meshgrid(a, [1, 2]),
        ),
        (X, Y, Z),
        (np.meshgrid,),
    ),
    Sample(
        "meshgrid-symbolic",
        lambda a, b: (
            *np.meshgrid(a, b),
            *np.meshgrid(a, b, indexing="ij"),
            *np.meshgrid(a, b, sparse=True),
        ),
        (X, Y),
        symbolic=_BOTH,
    ),
    Sample("meshgrid-copies", _copies, (X, Y)),
    Sample("meshgrid-views", _sparse_views, (X, Y)),
    Sample(
        "ix_",
        lambda a, i, j, m: (
            a[np.ix_(i, j)],
            *np.ix_(i, [0, 2]),
            *np.ix_(m, i),
            *np.ix_(i, [True, False]),
        ),
        (normal(3, 4), np.array([2, 0]), np.array([1, 3, 3]), np.array([True, False, True])),
        (np.ix_,),
    ),
    Sample(
        "ix_-symbolic",
        lambda a, i: a[np.ix_(i * 0, [1, 0])],
        (normal(3, 4), np.array([2, 0])),
        symbolic={1: {0: "n"}},
    ),
    Sample(
        "unravel_index",
        lambda i: (
            *np.unravel_index(i, (4, 6)),
            *np.unravel_index(i, (2, 3, 4), "F"),
            *np.unravel_index(i, 24),
            *np.unravel_index(i[1], (4, 6)),
        ),
        (FLAT,),
        (np.unravel_index,),
    ),
    Sample(
        "unravel_index-symbolic",
        lambda a: np.unravel_index(np.argmax(a), a.shape),
        (normal(3, 4),),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "unravel_index-dtypes",
        lambda i: (*np.unravel_index(i, (4, 6)), *np.unravel_index(i.astype(bool), (1, 2))),
        (FLAT.astype("u1"),),
    ),
    Sample(
        "ravel_multi_index",
        lambda i, j: (
            np.ravel_multi_index((i, j), (4, 6)),
            np.ravel_multi_index((i, j), (4, 6), order="F"),
            np.ravel_multi_index((i[0], j), (4, 6)),
            np.ravel_multi_index((i[0], j[1]), (4, 6)),
            np.ravel_multi_index((i, [1, 2, 3]), dims=(4, 6)),
        ),
        (np.array([0, 3, 2]), np.array([5, 0, 1], "i4")),
        (np.ravel_multi_index,),
    ),
    Sample(
        "ravel_multi_index-modes",
        lambda i, j: (
            np.ravel_multi_index((i, j), (4, 6), "wrap"),
            np.ravel_multi_index((i, j), (4, 6), mode="clip"),
            np.ravel_multi_index((i, j), (4, 6), mode=("clip", "wrap"), order="F"),
        ),
        (np.array([-1, 9, 2]), np.array([7, -13, 1])),
    ),
    Sample(
        "ravel_multi_index-symbolic",
        lambda i, a: np.ravel_multi_index((i, i), a.shape, "clip"),
        (np.array([0, 3, 2]), normal(3, 4)),
        symbolic={1: {0: "n"}},
        empty=False,
    ),
    Sample(
        "vander",
        lambda a: (
            np.vander(a),
            np.vander(a, 5),
            np.vander(a, 2, increasing=True),
            np.vander(a, 0),
            np.vander(a, 1),
            np.vander(a, increasing=True),
        ),
        (Y,),
        (np.vander,),
    ),
    Sample(
        "vander-symbolic",
        lambda a: (np.vander(a, 3), np.vander(a, 1, increasing=True)),
        (Y,),
        symbolic=_ROWS,
    ),
    Sample(
        "vander-square-symbolic",
        lambda a: (np.vander(a), np.vander(a, increasing=True)),
        (Y,),
        symbolic=_ROWS,
    ),
    *(Sample(f"vander-{d}", np.vander, (values(3, dtype=d),)) for d in FEW_DTYPES),
]
