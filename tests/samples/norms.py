"""Norms of vectors and matrices."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, Sample, normal, values

V = normal(4)
M = normal(3, 4)
STACK = normal(2, 3, 4, seed=4)
_N = {0: {0: "n"}}


def _of(name, function, *arrays, covers=(), rtol=1e-5, atol=1e-6, **other):
    return Sample(name, function, arrays, covers, rtol=rtol, atol=atol, **other)


VECTOR_ORDERS = (None, 2, 1, 0, np.inf, -np.inf, 3, -1, 0.5, 2.5)
MATRIX_ORDERS = (None, "fro", "f", 1, -1, np.inf, -np.inf)
SAMPLES = [
    *(
        _of(
            f"norm-vector-{order}",
            lambda a, o=order: (np.linalg.norm(a, o), np.linalg.norm(a, o, keepdims=True)),
            V,
            covers=(np.linalg.norm,),
            symbolic=_N,
            empty=order not in (-np.inf, -1, 0),
        )
        for order in VECTOR_ORDERS
    ),
    *(
        _of(
            f"norm-axis-{order}",
            lambda a, o=order: (np.linalg.norm(a, o, 1), np.linalg.norm(a, o, -1, True)),
            M,
            covers=(np.linalg.norm,),
            symbolic=_N,
        )
        for order in VECTOR_ORDERS
    ),
    *(
        _of(
            f"norm-matrix-{order}",
            lambda a, o=order: (np.linalg.norm(a, o), np.linalg.norm(a, o, keepdims=True)),
            M,
            covers=(np.linalg.norm,),
            symbolic=_N,
            empty=order not in (-1, -np.inf),
        )
        for order in MATRIX_ORDERS
    ),
    *(
        _of(
            f"norm-axes-{order}",
            lambda a, o=order: (
                np.linalg.norm(a, o, (1, 2)),
                np.linalg.norm(a, o, (2, 0), True),
                np.linalg.norm(a, o, (-1, 1)),
            ),
            STACK,
            covers=(np.linalg.norm,),
            symbolic=_N,
            empty=order not in (-1, -np.inf),
        )
        for order in MATRIX_ORDERS
    ),
    _of("norm-nd", np.linalg.norm, STACK, covers=(np.linalg.norm,), symbolic=_N),
    *(
        Sample(
            f"norm-{d}",
            lambda a: (np.linalg.norm(a), np.linalg.norm(a, 1, 0), np.linalg.norm(a, np.inf)),
            (values(3, 4, dtype=d),),
            (np.linalg.norm,),
            rtol=1e-2 if d.itemsize == 2 else 2e-6,
        )
        for d in ALL_DTYPES
    ),
    *(
        _of(
            f"vector_norm-{axis}-{keep}",
            lambda a, x=axis, k=keep: np.linalg.vector_norm(a, axis=x, keepdims=k),
            STACK,
            covers=(np.linalg.vector_norm,),
            symbolic=_N,
        )
        for axis in (None, 1, (0, 2), (2, 1), (0, 1, 2))
        for keep in (False, True)
    ),
    _of(
        "vector_norm-ord",
        lambda a: (
            np.linalg.vector_norm(a, ord=1),
            np.linalg.vector_norm(a, ord=np.inf, axis=0),
            np.linalg.vector_norm(a, ord=3, axis=(0, 1)),
        ),
        STACK,
        covers=(np.linalg.vector_norm,),
    ),
    _of(
        "vector_norm-0d",
        np.linalg.vector_norm,
        np.array(-2.5),
        covers=(np.linalg.vector_norm,),
    ),
    _of(
        "matrix_norm",
        lambda a: (
            np.linalg.matrix_norm(a),
            np.linalg.matrix_norm(a, keepdims=True),
            np.linalg.matrix_norm(a, ord=1),
            np.linalg.matrix_norm(a, ord=-np.inf),
        ),
        STACK,
        covers=(np.linalg.matrix_norm,),
        symbolic=_N,
    ),
]
