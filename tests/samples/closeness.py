"""Comparing whole arrays, and special values."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, BFLOAT16, Sample, edges, normal, values

A = np.array([3, 1, 2, 3, 1, 7, 1])
B = np.array([7, 3, 9, 1, 9])
_ROWS = {0: {0: "n"}}
_SAME = {0: {0: "n"}, 1: {0: "n"}}
ORDERED = tuple(d for d in ALL_DTYPES if d != BFLOAT16)

P = np.array([1.0, 1.00001, np.nan, np.inf, -np.inf, 0.0, 5.0])
Q = np.array([1.0, 1.0, np.nan, np.inf, np.inf, -1e-9, 4.0])
CLOSENESS = [
    Sample(
        "isclose",
        lambda a, b: (
            np.isclose(a, b),
            np.isclose(a, b, equal_nan=True),
            np.isclose(a, b, rtol=0, atol=1),
            np.isclose(a, 1.0),
        ),
        (P, Q),
        (np.isclose,),
        symbolic=_SAME,
    ),
    *(
        Sample(
            f"isclose-{d}",
            lambda a: (np.isclose(a, a), np.isclose(a, a[::-1], atol=1), np.isclose(1, a)),
            (values(5, dtype=d),),
            (np.isclose,),
        )
        for d in ALL_DTYPES
        if d != np.dtype(bool)
    ),
    Sample(
        "isclose-arrays",
        lambda a, b: np.isclose(a[:, None], b, rtol=b * 0.1, atol=[0.5]),
        (P, Q),
        (np.isclose,),
    ),
    Sample("isclose-int-float", lambda a, b: np.isclose(a, b), (A, A + 1e-9), (np.isclose,)),
    Sample(
        "allclose",
        lambda a, b: (
            np.allclose(a, a),
            np.allclose(a, b),
            np.allclose(a, a, equal_nan=True),
            np.allclose(a[5:], b[5:], atol=2),
        ),
        (P, Q),
        (np.allclose,),
        symbolic=None,
    ),
    Sample(
        "allclose-symbolic",
        lambda a: np.allclose(a, a + 1e-12),
        (normal(4, dtype="f8"),),
        (np.allclose,),
        symbolic=_ROWS,
    ),
    Sample(
        "array_equal",
        lambda a, b: (
            np.array_equal(a, a),
            np.array_equal(a, b),
            np.array_equal(a, a, equal_nan=True),
            np.array_equal(a, b, equal_nan=True),
            a * np.array_equal(a, a[:2]),
        ),
        (P, Q),
        (np.array_equal,),
    ),
    Sample(
        "array_equal-symbolic",
        lambda a, b: (np.array_equal(a, b), np.array_equal(a, a)),
        (A, A.copy()),
        (np.array_equal,),
        symbolic=_SAME,
    ),
    Sample(
        "array_equiv",
        lambda a, b: (
            np.array_equiv(a, a),
            np.array_equiv(a, np.stack([a, a])),
            np.array_equiv(a, b[:2]),
            np.array_equiv(a, 1),
        ),
        (A, B),
        (np.array_equiv,),
    ),
]

E = np.array([1.5, np.nan, np.inf, -np.inf, -0.0])
KINDS = [
    *(
        Sample(
            f"nan_to_num-{d}",
            lambda a: (np.nan_to_num(a), np.nan_to_num(a, nan=1.0, posinf=2.0, neginf=-3.0)),
            (edges(d, 20),),
            (np.nan_to_num,),
        )
        for d in ALL_DTYPES
    ),
    Sample(
        "nan_to_num-symbolic",
        lambda a: np.nan_to_num(a, nan=7),
        (E,),
        (np.nan_to_num,),
        symbolic=_ROWS,
    ),
    Sample(
        "nan_to_num-in-place",
        lambda a: (lambda b: (np.nan_to_num(b[1:], copy=False), b))(a.copy()),
        (E,),
        (np.nan_to_num,),
    ),
    Sample(
        "nan_to_num-0d",
        lambda a: np.nan_to_num(a),
        (np.array(np.inf, "f4"),),
        (np.nan_to_num,),
    ),
    *(
        Sample(
            f"isposinf-{d}",
            lambda a: (np.isposinf(a), np.isneginf(a)),
            (edges(d, 20),),
            (np.isposinf, np.isneginf),
        )
        for d in ORDERED
    ),
    Sample(
        "isreal",
        lambda a: (
            np.isreal(a),
            np.iscomplex(a),
            a * np.isrealobj(a),
            a * np.iscomplexobj(a),
            np.real_if_close(a),
            np.imag(a),
        ),
        (E,),
        (np.isreal, np.iscomplex, np.isrealobj, np.iscomplexobj, np.real_if_close, np.imag),
        symbolic=_ROWS,
    ),
    *(Sample(f"fix-{d}", np.fix, (edges(d, 20),), (np.fix,)) for d in ORDERED),
]

SAMPLES = [*CLOSENESS, *KINDS]
