"""Shapes, axes and joining."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, Sample, normal, values

X = normal(3, 4, 2)
_ROWS = {0: {0: "n"}}


def _rows(name, function, *covers, arrays=(X,), symbolic=None, empty=True):
    return Sample(
        name,
        function,
        arrays,
        covers,
        symbolic=_ROWS if symbolic is None else symbolic,
        empty=empty,
    )


SAMPLES = [
    _rows("reshape-flat", lambda a: a.reshape(-1), np.reshape),
    _rows("reshape-batch", lambda a: a.reshape(a.shape[0], -1), np.reshape, empty=False),
    _rows("reshape-tuple", lambda a: np.reshape(a, (-1, 2)), np.reshape),
    _rows("reshape-fortran", lambda a: a.reshape((8, -1), order="F"), np.reshape),
    _rows("ravel", lambda a: (np.ravel(a), a.flatten(), a.ravel("F")), np.ravel),
    _rows(
        "transpose",
        lambda a: (np.transpose(a), a.T, a.transpose(1, 0, 2), a.transpose((2, 0, 1))),
        np.transpose,
    ),
    _rows("permute_dims", lambda a: np.permute_dims(a, (1, 2, 0)), np.permute_dims),
    _rows("matrix_transpose", lambda a: (np.matrix_transpose(a), a.mT), np.matrix_transpose),
    _rows("swapaxes", lambda a: (np.swapaxes(a, 0, -1), a.swapaxes(1, 2)), np.swapaxes),
    _rows(
        "moveaxis",
        lambda a: (np.moveaxis(a, 0, -1), np.moveaxis(a, [0, 1], [-1, 0])),
        np.moveaxis,
    ),
    _rows(
        "expand_dims",
        lambda a: (np.expand_dims(a, 0), np.expand_dims(a, (1, -1))),
        np.expand_dims,
    ),
    _rows(
        "squeeze",
        lambda a: (np.squeeze(a[:, :1], axis=1), a[:, :1, :1].squeeze((1, 2))),
        np.squeeze,
    ),
    _rows(
        "broadcast_to",
        lambda a: np.broadcast_to(a[:, :, :1], (5, a.shape[0], 4, 7)),
        np.broadcast_to,
    ),
    _rows("broadcast_arrays", lambda a: np.broadcast_arrays(a, a[:, :1]), np.broadcast_arrays),
    _rows("copy", lambda a: (np.copy(a), a.copy()), np.copy),
    _rows(
        "concatenate",
        lambda a: (
            np.concatenate([a, a * 2]),
            np.concatenate((a, a), axis=-1),
            np.concatenate([a, a], axis=None),
        ),
        np.concatenate,
    ),
    _rows("stack", lambda a: (np.stack([a, a + 1]), np.stack((a, a), axis=-1)), np.stack),
    Sample(
        "concatenate-promotes",
        lambda a, b: np.concatenate([a, b]),
        (values(3, dtype="i2"), values(2, dtype="f4")),
        (np.concatenate,),
    ),
    Sample(
        "concatenate-dtype",
        lambda a: np.concatenate([a, a], dtype=np.float32),
        (normal(3, dtype="f8"),),
        (np.concatenate,),
    ),
    Sample("stack-scalars", lambda a: np.stack([a[0], a[1], 2.0]), (normal(3),), (np.stack,)),
    *(
        Sample(
            f"shaping-{d}",
            lambda a: (a.T.reshape(-1), np.concatenate([a, a[:1]]), np.stack([a, a], 1)),
            (values(3, 4, dtype=d),),
        )
        for d in ALL_DTYPES
    ),
    _rows(
        "likes",
        lambda a: (
            np.zeros_like(a),
            np.ones_like(a, dtype=np.int32),
            np.full_like(a, 2.5),
            np.full_like(a, a[0, 0, 0]) if a.shape[0] != 0 else a,
        ),
        np.zeros_like,
        np.ones_like,
        np.full_like,
        symbolic={},
    ),
    _rows(
        "likes-symbolic",
        lambda a: (np.zeros_like(a), np.ones_like(a), np.full_like(a, 7)),
        np.zeros_like,
    ),
    _rows("empty_like", lambda a: np.empty_like(a) * 0 == 0, np.empty_like),
    _rows(
        "queries",
        lambda a: (
            a * np.ndim(a),
            a * np.size(a, 1),
            a + np.shape(a)[2],
            a.astype(np.result_type(a, np.float64)),
        ),
        np.ndim,
        np.size,
        np.shape,
        np.result_type,
    ),
    _rows(
        "symbolic-sizes",
        lambda a: (
            a / a.shape[0] if a.shape[0] is not None else a,
            a * (a.shape[0] + 1),
            np.sqrt(a.shape[0]) * a,
            a.size * a,
        ),
        np.shape,
    ),
    _rows("real", lambda a: (np.real(a), np.conjugate(a), a.conj()), np.real),
]
