"""Products of vectors and matrices."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, BFLOAT16, Sample, normal, values

M, V = normal(3, 4), normal(4, seed=1)

SAMPLES = [
    Sample(
        "matmul",
        lambda a, b: a @ b,
        (M, normal(4, 2)),
        (np.matmul,),
        rtol=1e-5,
        symbolic={0: {0: "n"}},
    ),
    Sample(
        "matmul-inner-symbolic",
        lambda a, b: a @ b,
        (M, normal(4, 2)),
        (np.matmul,),
        rtol=1e-5,
        atol=1e-6,
        symbolic={0: {1: "n"}, 1: {0: "n"}},
    ),
    Sample(
        "matmul-vector", lambda a, b: (a @ b, b @ a.T, b @ b), (M, V), (np.matmul,), rtol=1e-5
    ),
    Sample(
        "matmul-batch",
        np.matmul,
        (normal(5, 3, 4), normal(1, 4, 2)),
        (np.matmul,),
        rtol=1e-5,
        atol=1e-6,
        symbolic={0: {0: "n"}},
    ),
    Sample(
        "matmul-promotes",
        np.matmul,
        (values(2, 3, dtype="i4"), normal(3, 2)),
        (np.matmul,),
        rtol=1e-12,
    ),
    Sample(
        "dot",
        lambda a, b: (np.dot(a, b), a.dot(b), np.dot(b, b), np.dot(a, 2.0)),
        (M, V),
        (np.dot,),
        rtol=1e-5,
    ),
    Sample(
        "dot-nd", np.dot, (normal(2, 3, 4), normal(5, 4, 2)), (np.dot,), rtol=1e-5, atol=1e-6
    ),
    *(
        Sample(
            f"matmul-{d}",
            np.matmul,
            (values(3, 4, dtype=d), values(4, 2, dtype=d, seed=1)),
            (np.matmul,),
            rtol=2e-2 if d.itemsize == 2 else 1e-5,
            atol=1e-6,
        )
        for d in ALL_DTYPES
        if d != BFLOAT16
    ),
    Sample("matmul-empty", np.matmul, (np.zeros((3, 0)), np.zeros((0, 2))), (np.matmul,)),
]
