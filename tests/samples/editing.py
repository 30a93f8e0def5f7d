"""Insert, delete and trim_zeros."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, Sample, normal, values

X = normal(5, 4)
V = normal(6, seed=1)
AT = np.array([4, 0, 2])
_ROWS = {0: {0: "n"}}


def _trim_writes_through(a):
    y = a * 1
    z = np.trim_zeros(y)
    z[0] = 9
    y[2] = 8
    w = np.trim_zeros(y[:, None] + y * 0, axis=1)
    w[...] = 5
    return y, z, w


def _edit_keeps_order(a):
    y = np.delete(a.T, 1, 0)
    z = np.insert(a.T, [1, 0], 5, 1)
    y.reshape(-1)[0] = 9
    z.reshape(-1)[0] = 9
    return y, z


ZEROS = np.array([0, 0, 1, 0, 3, -0.0, 0], "f4")
HOLES = np.zeros((5, 6), "f4")
HOLES[1:3, 2:5] = [[0, 1, 2], [3, 0, 0]]

SAMPLES = [
    Sample(
        "delete",
        lambda a: (
            np.delete(a, 1, 0),
            np.delete(a, -1, 1),
            np.delete(a, 3),
            np.delete(a, [0, 2], 0),
            np.delete(a, [], 0),
            np.delete(a, [1, -4, 1], 0),
            np.delete(a, np.array([2]), 1),
            np.delete(a, [True, False, False, True], 1),
            np.delete(a, [[0, 1], [1, 3]], 1),
        ),
        (X,),
        (np.delete,),
    ),
    Sample(
        "delete-slice",
        lambda a: (
            np.delete(a, slice(1, 3), 0),
            np.delete(a, slice(None, None, 2), 0),
            np.delete(a, slice(4, 0, -2), 0),
            np.delete(a, slice(9, 12), 1),
            np.delete(a, slice(None)),
            np.delete(a, np.s_[::3]),
        ),
        (X,),
    ),
    Sample(
        "delete-slice-symbolic",
        lambda a: (
            np.delete(a, slice(1, 3), 0),
            np.delete(a, slice(None, None, 2), 0),
            np.delete(a, slice(None, 0, -3), 0),
            np.delete(a, slice(-2, None), 0),
            np.delete(a, slice(None, None, -1), 0),
            np.delete(a, slice(3, 0, -1), 0),
            np.delete(a, slice(1, None, 4), 0),
            np.delete(a, np.s_[::2]),
        ),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "delete-symbolic",
        lambda a: (np.delete(a, 0, 0), np.delete(a, -1, 0)),
        (X,),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "delete-list-symbolic",
        lambda a: (
            np.delete(a.repeat(3, 0), [0, 2, 0], 0),
            np.delete(a.repeat(3, 0), [-1, -3], 0),
            np.delete(a.repeat(3, 0), [1, -2, 0], 0),
            np.delete(a, [], 0),
        ),
        (X,),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "delete-last-symbolic",
        lambda a: np.delete(a, a.shape[0] - 1, 0),
        (X,),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "delete-captured",
        lambda a, i: (
            np.delete(a, i[0], 0),
            np.delete(a, i, 0),
            np.delete(a, i - 5, 0),
            np.delete(a, i[:1], 1) if i is None else a,
        ),
        (X, AT),
    ),
    Sample(
        "delete-captured-mask",
        lambda a: (np.delete(a, a > 0), np.delete(a, a < 99), np.delete(a, a > 99)),
        (V,),
        symbolic=_ROWS,
    ),
    Sample(
        "delete-captured-symbolic",
        lambda a, i: (np.delete(a, i, 0), np.delete(a, i - 1, 0)),
        (X, np.array(0)),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "insert",
        lambda a: (
            np.insert(a, 1, 9, 0),
            np.insert(a, 2, 7),
            np.insert(a, -1, [1, 2, 3, 4], 0),
            np.insert(a, 4, [1, 2, 3, 4, 5], axis=1),
            np.insert(a, [4], [[1], [2], [3], [4], [5]], axis=1),
            np.insert(a, 5, 0, 0),
            np.insert(a, 1, [1, 2, 3]),
            np.insert(a, [2], [[1, 2], [3, 4], [5, 6], [7, 8], [9, 9]], 1),
        ),
        (X,),
        (np.insert,),
    ),
    Sample(
        "insert-many",
        lambda a: (
            np.insert(a, [1, 3], 9, 0),
            np.insert(a, [3, 0, 3], [7, 8, 9]),
            np.insert(a, [2, 2], [[1, 2, 3, 4], [5, 6, 7, 8]], 0),
            np.insert(a, slice(1, 4), [1, 2, 3], 1),
            np.insert(a, [], 5, 0),
            np.insert(a, np.array([True, False, True]), 1, 1),
            np.insert(a, [-1, 0], 4, 0),
        ),
        (X,),
    ),
    Sample(
        "insert-symbolic",
        lambda a: (
            np.insert(a, 0, 9, 0),
            np.insert(a, a.shape[0], 8, 0),
            np.insert(a, 1, 7, 1),
            np.insert(a, 0, 1),
            np.insert(a, [0, 0], [[1, 2, 3, 4], [5, 6, 7, 8]], 0),
            np.insert(a, slice(None, None, 2), 1, 0),
        ),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "insert-checked-symbolic",
        lambda a: (
            np.insert(a, 1, 9, 0),
            np.insert(a, -1, [1, 2, 3, 4], 0),
            np.insert(a, [1, 0], 3, 0),
        ),
        (X,),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "insert-captured",
        lambda a, i, v: (
            np.insert(a, i[0], v, 0),
            np.insert(a, i, v, 0),
            np.insert(a, i, v[0], 1) if v is None else a,
            np.insert(a, 2, v[1], 0),
            np.insert(a, i - 4, 0, 0),
        ),
        (X, AT, normal(4, seed=3)),
    ),
    Sample(
        "insert-captured-symbolic",
        lambda a, i: np.insert(a, i, i + 1, 0),
        (V, np.array([3, 0, 2])),
        symbolic={1: {0: "k"}},
    ),
    Sample("insert-captured-mask", lambda a: np.insert(a, a > 0, 5.0), (V,), symbolic=_ROWS),
    Sample(
        "insert-casts",
        lambda a, f: (
            np.insert(a, 1, 2.7),
            np.insert(a, [0, 1], [True, 2.5]),
            np.insert(a, 0, f),
        ),
        (values(4, dtype="i4"), np.float32(1.5)),
    ),
    Sample("editing-keeps-order", _edit_keeps_order, (X,)),
    Sample("editing-0d", lambda a: (np.insert(a, 0, 1), np.delete(a, 0)), (np.array(2.5),)),
    *(
        Sample(
            f"editing-{d}",
            lambda a: (
                np.insert(a, 1, 1),
                np.insert(a, [0, 2], 0),
                np.delete(a, 1),
                np.delete(a, [0, 2]),
                np.trim_zeros(a),
            ),
            (values(4, dtype=d),),
        )
        for d in ALL_DTYPES
    ),
    Sample(
        "trim_zeros",
        lambda a, b: (
            np.trim_zeros(a),
            np.trim_zeros(a, "f"),
            np.trim_zeros(a, "B"),
            np.trim_zeros(b),
            np.trim_zeros(b, axis=1),
            np.trim_zeros(b, "b", axis=(0, -1)),
            np.trim_zeros(b, axis=()),
            np.trim_zeros(b * 0),
            np.trim_zeros(a * 0, "f"),
            np.trim_zeros(b * 0, axis=0),
        ),
        (ZEROS, HOLES),
        (np.trim_zeros,),
    ),
    Sample(
        "trim_zeros-symbolic",
        lambda a: (np.trim_zeros(a), np.trim_zeros(a, "f"), np.trim_zeros(a, "b")),
        (ZEROS,),
        symbolic=_ROWS,
    ),
    Sample(
        "trim_zeros-matrix-symbolic",
        lambda a: (np.trim_zeros(a), np.trim_zeros(a, axis=0)),
        (HOLES,),
        symbolic=_ROWS,
    ),
    Sample("trim_zeros-nan", np.trim_zeros, (np.array([0, np.nan, 0, np.inf, 0]),)),
    Sample("trim_zeros-writes", _trim_writes_through, (ZEROS,)),
]
