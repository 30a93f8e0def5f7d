"""Stacking: vstack, hstack, block and their kin."""

from __future__ import annotations

import numpy as np

from tests.samples.base import FEW_DTYPES, Sample, normal, values

X, Y = normal(3, 4), normal(3, 4, seed=1)
V = normal(4, seed=2)
_ROWS = {0: {0: "n"}}
_BOTH = {0: {0: "n"}, 1: {0: "n"}}


def _atleast(a, b, s):
    return (
        *np.atleast_1d(a, s),
        *np.atleast_2d(a, b, s),
        *np.atleast_3d(a, b, s),
        np.atleast_1d(b),
    )


def _atleast_shares(a):
    y = a * 1
    np.atleast_2d(y)[0] = 7
    np.atleast_3d(y)[0, 1] = 8
    s = y[2]
    np.atleast_1d(s)[0] = 9
    return y, s


def _single_copies(a):
    y = a.T * 1
    z = np.concatenate([y])
    z.reshape(-1)[:2] = 5
    return y, z


SAMPLES = [
    Sample(
        "atleast",
        _atleast,
        (V, X, np.float32(2)),
        (np.atleast_1d, np.atleast_2d, np.atleast_3d),
    ),
    Sample(
        "atleast-symbolic",
        lambda a: (np.atleast_2d(a), np.atleast_3d(a)),
        (V,),
        symbolic=_ROWS,
    ),
    Sample(
        "atleast-0d",
        lambda a: (np.atleast_1d(a), np.atleast_2d(a), np.atleast_3d(a)),
        (np.array(3),),
    ),
    Sample("atleast-shares", _atleast_shares, (V,)),
    Sample(
        "vstack",
        lambda a, b: (np.vstack([a, b]), np.vstack((a[0], b)), np.vstack([a[0], b[1]])),
        (X, Y),
        (np.vstack,),
    ),
    Sample("vstack-symbolic", lambda a, b: np.vstack([a, b]), (X, Y), symbolic=_BOTH),
    Sample(
        "vstack-dtype",
        lambda a, b: np.vstack([a, b], dtype=np.float16, casting="same_kind"),
        (X, Y),
    ),
    Sample("vstack-scalars", lambda a: np.vstack([a[0], 2.0, 3]), (V,)),
    Sample(
        "hstack",
        lambda a, b: (np.hstack([a, b]), np.hstack((a[0], b[1])), np.hstack([a[0], 1.5])),
        (X, Y),
        (np.hstack,),
    ),
    Sample("hstack-symbolic", lambda a, b: np.hstack([a, b]), (X, Y), symbolic=_BOTH),
    Sample(
        "hstack-vectors-symbolic",
        lambda a, b: np.hstack([a, b]),
        (V, V),
        symbolic={0: {0: "n"}, 1: {0: "m"}},
    ),
    Sample(
        "hstack-dtype", lambda a, b: np.hstack([a, b], dtype="i4", casting="unsafe"), (X, Y)
    ),
    Sample(
        "dstack",
        lambda a, b: (np.dstack([a, b]), np.dstack((a[0], b[0]))),
        (X, Y),
        (np.dstack,),
    ),
    Sample("dstack-symbolic", lambda a, b: np.dstack([a, b]), (X, Y), symbolic=_BOTH),
    Sample(
        "column_stack",
        lambda a, b, c: (np.column_stack([a[:, 0], b]), np.column_stack((c, c, [1, 2, 3, 4]))),
        (X, Y, V),
        (np.column_stack,),
    ),
    Sample(
        "column_stack-symbolic",
        lambda a, b: np.column_stack([a[:, 0], b]),
        (X, Y),
        symbolic=_BOTH,
    ),
    Sample(
        "append",
        lambda a, b: (
            np.append(a, b),
            np.append(a, b, 0),
            np.append(a, b[:, :1], axis=-1),
            np.append(a, [1, 2]),
            np.append(a[0], 3),
        ),
        (X, Y),
        (np.append,),
    ),
    Sample(
        "append-symbolic",
        lambda a, b: (np.append(a, b), np.append(a, b, 0)),
        (X, Y),
        symbolic={0: {0: "n"}, 1: {0: "m"}},
    ),
    Sample(
        "append-promotes",
        lambda a, b: np.append(a, b),
        (values(3, dtype="i4"), values(2, dtype="f4")),
    ),
    Sample(
        "concat", lambda a, b: np.concat((a, b), axis=1), (X, Y), (np.concat,), symbolic=_BOTH
    ),
    Sample("concatenate-single-keeps-order", _single_copies, (X,)),
    Sample(
        "block",
        lambda a, b, v: (
            np.block([[a, b], [b, a]]),
            np.block([a, b]),
            np.block([v, 1, 2.5]),
            np.block([[a], [v]]),
            np.block(a),
            np.block([[[a]], [[b]]]),
        ),
        (X, Y, V),
        (np.block,),
    ),
    Sample(
        "block-symbolic", lambda a, b: np.block([[a, b], [b, a * 2]]), (X, Y), symbolic=_BOTH
    ),
    Sample(
        "block-constants", lambda a: np.block([[a, np.zeros((3, 2))], [np.ones((1, 6))]]), (X,)
    ),
    Sample(
        "block-scalar",
        lambda a: (np.block(a[0]), np.block([a[0], a]), np.block([[a[0]]])),
        (V,),
    ),
    *(
        Sample(
            f"stacking-{d}",
            lambda a: (
                np.vstack([a, a]),
                np.hstack([a, a, [1]]),
                np.column_stack([a, a]),
                np.block([[a, a]]),
            ),
            (values(3, dtype=d),),
        )
        for d in FEW_DTYPES
    ),
]
