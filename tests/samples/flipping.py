"""Elements in another order along axes."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, Sample, normal, values

X = normal(3, 4, 2)
_ROWS = {0: {0: "n"}}
_SQUARE = normal(4, 4)


def _writes_through(a):
    y = a * 1
    np.flip(y, 1)[0] = 1
    np.fliplr(y)[1, 0] = 2
    np.rot90(y)[0, 1] = 3
    np.rot90(y, 2)[0] = 4
    np.rot90(y, 3, (1, 2))[2, 0] = 5
    z = np.roll(y, 1, 0)
    z[0] = 6
    return y, z


def _roll_keeps_order(a):
    y = np.roll(a.T, 1)
    y.reshape(-1)[0] = 9
    z = np.roll(a.T, 1, 0)
    z.reshape(-1)[0] = 9
    return y, z


SAMPLES = [
    Sample(
        "flip",
        lambda a: (
            np.flip(a),
            np.flip(a, 0),
            np.flip(a, (0, -1)),
            np.flip(a, ()),
            np.flip(a[0, 0, 0]),
        ),
        (X,),
        (np.flip,),
    ),
    Sample(
        "flip-symbolic",
        lambda a: (np.flip(a), np.flip(a, 0), np.flipud(a), np.fliplr(a)),
        (X,),
        symbolic=_ROWS,
    ),
    Sample("flipud", lambda a: (np.flipud(a), np.flipud(a[0, 0])), (X,), (np.flipud,)),
    Sample("fliplr", np.fliplr, (X,), (np.fliplr,)),
    Sample(
        "rot90",
        lambda a: (
            np.rot90(a),
            np.rot90(a, 2),
            np.rot90(a, -1),
            np.rot90(a, 4),
            np.rot90(a, 1, (1, 2)),
            np.rot90(a, k=3, axes=(2, 0)),
            np.rot90(a, 1, (-1, 0)),
        ),
        (X,),
        (np.rot90,),
    ),
    Sample(
        "rot90-symbolic",
        lambda a: (np.rot90(a), np.rot90(a, 2), np.rot90(a, 3, (0, 2))),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "roll",
        lambda a: (
            np.roll(a, 1),
            np.roll(a, -3),
            np.roll(a, 1, 0),
            np.roll(a, 5, axis=1),
            np.roll(a, (1, -1), (0, 1)),
            np.roll(a, 1, (0, 2)),
            np.roll(a, (1, 2), 1),
            np.roll(a, [1, 2], (0, 0)),
            np.roll(a, 0),
            np.roll(a, 300, -1),
        ),
        (X,),
        (np.roll,),
    ),
    Sample(
        "roll-symbolic",
        lambda a: (
            np.roll(a, 1),
            np.roll(a, -3, 0),
            np.roll(a, (4, 1), (0, 1)),
            np.roll(a, a.shape[0] // 2, 0),
            np.roll(a, a.shape[0], 1),
        ),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "roll-captured",
        lambda a, s: (np.roll(a, s[0]), np.roll(a, s, (0, 1)), np.roll(a, s[1], 2)),
        (X, np.array([2, -7])),
    ),
    Sample(
        "roll-captured-symbolic",
        lambda a, s: (np.roll(a, s, 0), np.roll(a, s)),
        (X, np.array(-2)),
        symbolic=_ROWS,
    ),
    Sample("roll-0d", lambda a: np.roll(a[0, 0, 0], 1), (X,)),
    Sample("flip-shares", _writes_through, (normal(4, 4, 3),)),
    Sample("roll-keeps-order", _roll_keeps_order, (_SQUARE,)),
    Sample(
        "rollaxis",
        lambda a: (
            np.rollaxis(a, 2),
            np.rollaxis(a, 0, 2),
            np.rollaxis(a, 1, -1),
            np.rollaxis(a, -1, 1),
            np.rollaxis(a, 0, 3),
        ),
        (X,),
        (np.rollaxis,),
        symbolic=_ROWS,
    ),
    *(
        Sample(
            f"flipping-{d}",
            lambda a: (np.flip(a), np.rot90(a), np.roll(a, 2), np.roll(a, 1, 1)),
            (values(3, 4, dtype=d),),
        )
        for d in ALL_DTYPES
    ),
]
