"""Diagonals and triangles."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, Sample, edges, normal, values

X = normal(3, 4)
CUBE = normal(3, 4, 5)
V = normal(4, seed=1)
_ROWS = {0: {0: "n"}}
_SQUARE = {0: {0: "n", 1: "n"}}
_BOTH = {0: {0: "n", 1: "m"}}


def _diagonal_reads_later_writes(a):
    y = a * 1
    d = np.diagonal(y)
    t = y.T.diagonal(1)
    y[1, 1] = 9
    y[0, 1] = 8
    return d, t, y


def _filled(*fills):
    def program(a):
        made = []
        for fill in fills:
            y = a * 1
            fill(y)
            made.append(y)
        return tuple(made)

    return program


def _through_view(y):
    np.fill_diagonal(y.T[1:], 3)


SAMPLES = [
    Sample(
        "diagonal",
        lambda a, b: (
            np.diagonal(a),
            np.diagonal(a, 1),
            np.diagonal(a, -2),
            np.diagonal(a, 7),
            np.diagonal(a, -3),
            np.diagonal(b, 1, 0, 2),
            np.diagonal(b, axis1=-1, axis2=0),
            b.diagonal(0, 1, 2),
            b.diagonal(-1),
        ),
        (X, CUBE),
        (np.diagonal, "diagonal"),
    ),
    Sample(
        "diagonal-symbolic",
        lambda a: (np.diagonal(a), np.diagonal(a, 1), np.diagonal(a, -1), a.T.diagonal()),
        (X,),
        symbolic=_ROWS,
    ),
    Sample(
        "diagonal-square-symbolic",
        lambda a: (np.diagonal(a), np.diagonal(a, 1), np.diagonal(a, -2)),
        (normal(3, 3),),
        symbolic=_SQUARE,
    ),
    Sample(
        "diagonal-both-symbolic",
        lambda a: (np.diagonal(a), np.diagonal(a, 1), np.diagonal(a, -1)),
        (normal(3, 3),),
        symbolic=_BOTH,
    ),
    Sample(
        "diagonal-batch-symbolic",
        lambda a: (np.diagonal(a, 0, 1, 2), np.diagonal(a, 1, 0, 2)),
        (CUBE,),
        symbolic=_ROWS,
    ),
    Sample("diagonal-aliases", _diagonal_reads_later_writes, (X,)),
    Sample(
        "linalg-diagonal",
        lambda b: (np.linalg.diagonal(b), np.linalg.diagonal(b, offset=-1)),
        (CUBE,),
        (np.linalg.diagonal,),
    ),
    Sample(
        "trace",
        lambda a, b: (
            np.trace(a),
            np.trace(a, 1),
            a.trace(-1),
            np.trace(b, 1, 1, 2),
            b.trace(axis1=2),
            np.trace(a, dtype=np.float64),
            np.trace(a, 9),
        ),
        (X, CUBE),
        (np.trace, "trace"),
        rtol=1e-5,
    ),
    Sample(
        "trace-out",
        lambda b: (np.trace(b, 0, 0, 1, None, b[0, 0]), b),
        (normal(3, 4, 5),),
        rtol=1e-5,
    ),
    Sample(
        "trace-symbolic",
        lambda a: (np.trace(a), a.trace(1)),
        (normal(3, 3),),
        symbolic=_SQUARE,
        rtol=1e-5,
    ),
    Sample(
        "linalg-trace",
        lambda b: (np.linalg.trace(b), np.linalg.trace(b, offset=1, dtype=np.float64)),
        (CUBE,),
        (np.linalg.trace,),
        rtol=1e-5,
    ),
    *(
        Sample(
            f"trace-{d}",
            lambda a: (np.trace(a), a.trace(1)),
            (values(3, 4, dtype=d),),
            rtol=2e-2,
        )
        for d in ALL_DTYPES
    ),
    Sample(
        "diag",
        lambda v, a: (
            np.diag(v),
            np.diag(v, 1),
            np.diag(v, -3),
            np.diag(a),
            np.diag(a, k=2),
            np.diag(v[:0]),
            np.diag(v[:0], 2),
        ),
        (V, X),
        (np.diag,),
    ),
    Sample(
        "diag-symbolic",
        lambda v: (np.diag(v), np.diag(v, 2), np.diag(v, -1)),
        (V,),
        symbolic=_ROWS,
    ),
    Sample(
        "diagflat",
        lambda a: (np.diagflat(a), np.diagflat(a, 1), np.diagflat(a[0, 0], -1)),
        (normal(2, 3),),
        (np.diagflat,),
    ),
    Sample("diagflat-symbolic", lambda a: np.diagflat(a, 1), (normal(2, 3),), symbolic=_ROWS),
    *(
        Sample(
            f"diagonals-{d}",
            lambda v: (np.diag(v), np.diag(v, -1), np.triu(v), np.tril(v, 2), np.diagflat(v)),
            (edges(d, 4)[-4:],),
        )
        for d in ALL_DTYPES
    ),
    Sample(
        "fill_diagonal",
        _filled(
            lambda y: np.fill_diagonal(y, 7),
            lambda y: np.fill_diagonal(y, [1, 2]),
            lambda y: np.fill_diagonal(y, y[0].copy()),
            lambda y: np.fill_diagonal(y.T, 2, wrap=True),
            _through_view,
            lambda y: np.fill_diagonal(y, [[5]]),
            lambda y: np.fill_diagonal(y, y[0, 1]),
        ),
        (X,),
        (np.fill_diagonal,),
    ),
    Sample(
        "fill_diagonal-wrap",
        _filled(
            lambda y: np.fill_diagonal(y, 7, wrap=True),
            lambda y: np.fill_diagonal(y, [1, 2, 3, 4, 5], True),
            lambda y: np.fill_diagonal(y, 7),
            lambda y: np.fill_diagonal(y, []),
        ),
        (normal(7, 3),),
    ),
    Sample(
        "fill_diagonal-3d",
        _filled(lambda y: np.fill_diagonal(y, 7), lambda y: np.fill_diagonal(y, [1, 2])),
        (normal(3, 3, 3),),
    ),
    Sample(
        "fill_diagonal-symbolic",
        _filled(
            lambda y: np.fill_diagonal(y, 7),
            lambda y: np.fill_diagonal(y, [1, 2], wrap=True),
            lambda y: np.fill_diagonal(y, [1, 2, 3]),
        ),
        (normal(7, 3),),
        symbolic=_ROWS,
    ),
    Sample(
        "fill_diagonal-both-symbolic",
        _filled(
            lambda y: np.fill_diagonal(y, 7),
            lambda y: np.fill_diagonal(y, y[0].copy() if y.shape[0] is None else 1),
        ),
        (normal(4, 4),),
        symbolic=_SQUARE,
    ),
    Sample(
        "fill_diagonal-values-symbolic",
        lambda a, v: (np.fill_diagonal(a, v), a)[1],
        (normal(4, 3), V),
        symbolic={1: {0: "n"}},
    ),
    Sample(
        "fill_diagonal-int",
        _filled(lambda y: np.fill_diagonal(y, 2.7), lambda y: np.fill_diagonal(y, True)),
        (values(3, 3, dtype="i4"),),
    ),
    Sample(
        "triu",
        lambda a, b: (np.triu(a), np.triu(a, 1), np.triu(b, -1), np.triu(a[0]), np.triu(a, 9)),
        (X, CUBE),
        (np.triu,),
    ),
    Sample(
        "tril",
        lambda a, b: (
            np.tril(a),
            np.tril(a, 1),
            np.tril(b, -1),
            np.tril(a[0]),
            np.tril(a, -9),
            np.tril(a, np.int8(2)),
        ),
        (X, CUBE),
        (np.tril,),
    ),
    Sample(
        "triangles-symbolic",
        lambda a: (np.triu(a), np.tril(a, 1), np.triu(a, -1)),
        (X,),
        symbolic=_BOTH,
    ),
    Sample(
        "triangles-nan",
        lambda a: (np.triu(a), np.tril(a)),
        (np.full((3, 3), np.nan, np.float32),),
    ),
    Sample(
        "triangles-captured-k", lambda a, k: (np.triu(a, k), np.tril(a, k)), (X, np.array(1))
    ),
    Sample(
        "triu_indices_from",
        lambda a: (
            a[np.triu_indices_from(a)],
            a[np.triu_indices_from(a, 1)],
            *(i * 1 + (a[0, 0] * 0).astype(int) for i in np.triu_indices_from(a, k=-1)),
        ),
        (X,),
        (np.triu_indices_from,),
    ),
    Sample(
        "tril_indices_from",
        lambda a: (a[np.tril_indices_from(a)], a[np.tril_indices_from(a, 1)]),
        (X,),
        (np.tril_indices_from,),
    ),
    Sample(
        "triangle-indices-symbolic",
        lambda a: (
            *np.triu_indices_from(a),
            *np.tril_indices_from(a, 1),
            a[np.tril_indices_from(a, -1)],
        ),
        (X,),
        symbolic=_BOTH,
    ),
    Sample(
        "diag_indices_from",
        lambda a: a[np.diag_indices_from(a)],
        (normal(3, 3),),
        (np.diag_indices_from,),
    ),
    Sample(
        "diag_indices_from-symbolic",
        lambda a: (a[np.diag_indices_from(a)], *np.diag_indices_from(a)),
        (normal(3, 3),),
        symbolic=_SQUARE,
    ),
    Sample(
        "linalg-matrix_transpose",
        np.linalg.matrix_transpose,
        (CUBE,),
        (np.linalg.matrix_transpose,),
    ),
]
