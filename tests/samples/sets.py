"""Unique elements and set operations."""

from __future__ import annotations

import numpy as np

from tests.samples.base import (
    ALL_DTYPES,
    BFLOAT16,
    FLOATS,
    Sample,
    edges,
    values,
)

A = np.array([3, 1, 2, 3, 1, 7, 1])
B = np.array([7, 3, 9, 1, 9])
MANY = np.arange(0, 120, 3)
V = np.array([2.0, np.nan, 1.0, 2.0, np.nan, -0.5])
ROWS = np.array([[1, 2], [0, 3], [1, 2], [1, 1], [0, 3]])
_ROWS = {0: {0: "n"}}
_BOTH = {0: {0: "n"}, 1: {0: "m"}}
_SAME = {0: {0: "n"}, 1: {0: "n"}}
ORDERED = tuple(d for d in ALL_DTYPES if d != BFLOAT16)


def _without_negative_zero(dtype):
    """Edge values with one zero: which of 0.0 and -0.0 is kept NumPy leaves open."""
    found = edges(dtype, 20)
    return found[~(np.signbit(found) & (found == 0))] if found.dtype in FLOATS else found


UNIQUE = [
    *(
        Sample(
            f"unique-{d}",
            lambda a: np.unique(a, return_index=True, return_inverse=True, return_counts=True),
            (_without_negative_zero(d),),
            (np.unique,),
        )
        for d in ORDERED
    ),
    Sample(
        "unique",
        lambda a: (
            np.unique(a),
            *np.unique(a, return_counts=True),
            *np.unique(a, return_index=True),
            *np.unique(a, return_inverse=True),
        ),
        (A,),
        (np.unique,),
        symbolic=_ROWS,
    ),
    Sample(
        "unique-nan",
        lambda a: (
            np.unique(a),
            np.unique(a, equal_nan=False),
            *np.unique(a, return_counts=True),
            *np.unique(a, return_inverse=True, equal_nan=False),
        ),
        (V,),
        (np.unique,),
        symbolic=_ROWS,
    ),
    Sample(
        "unique-matrix",
        lambda a: np.unique(a, return_inverse=True),
        (ROWS,),
        (np.unique,),
        symbolic=_ROWS,
    ),
    Sample(
        "unique-axis",
        lambda a: (
            np.unique(a, axis=0),
            *np.unique(a, True, True, True, axis=0),
            np.unique(a, axis=1),
        ),
        (ROWS,),
        (np.unique,),
    ),
    Sample(
        "unique-axis-symbolic",
        lambda a: np.unique(a, axis=0, return_counts=True),
        (ROWS,),
        (np.unique,),
        symbolic=_ROWS,
    ),
    Sample(
        "unique-axis-3d",
        lambda a: np.unique(a, axis=-1, return_index=True),
        (ROWS.reshape(1, 2, 5) // 2,),
        (np.unique,),
    ),
    Sample(
        "unique-axis-float",
        lambda a: np.unique(a, axis=0, return_counts=True),
        (np.array([[1.5, np.nan], [1.5, 2.0], [1.5, 2.0]]),),
        (np.unique,),
    ),
    Sample(
        "unique-0d",
        lambda a: np.unique(a, return_inverse=True, return_counts=True),
        (np.array(4),),
        (np.unique,),
    ),
    Sample(
        "unique-empty",
        lambda a: np.unique(a, True, True, True),
        (np.zeros(0, "i4"),),
        (np.unique,),
    ),
    Sample("unique-then", lambda a: np.diff(np.unique(a)), (A,), (np.unique,), symbolic=_ROWS),
    Sample(
        "unique_all",
        lambda a: (*np.unique_all(a), np.unique_all(a).counts),
        (V,),
        (np.unique_all,),
        symbolic=_ROWS,
    ),
    Sample(
        "unique_counts",
        lambda a: tuple(np.unique_counts(a)),
        (A,),
        (np.unique_counts,),
        symbolic=_ROWS,
    ),
    Sample(
        "unique_inverse",
        lambda a: (np.unique_inverse(a).values, np.unique_inverse(a).inverse_indices),
        (ROWS,),
        (np.unique_inverse,),
        symbolic=_ROWS,
    ),
    Sample(
        "unique_values",
        lambda a: np.sort(np.unique_values(a)),
        (A,),
        (np.unique_values,),
        symbolic=_ROWS,
    ),
]

MEMBERSHIP = [
    Sample(
        "isin",
        lambda a, b: (
            np.isin(a, b),
            np.isin(a, b, invert=True),
            np.isin(a, [1, 2], assume_unique=False),
        ),
        (A, B),
        (np.isin,),
        symbolic=_BOTH,
    ),
    Sample(
        "isin-kinds",
        lambda a, b: (np.isin(a, b, kind="sort"), np.isin(a, b, kind="table")),
        (A, B),
        (np.isin,),
    ),
    Sample(
        "isin-many",
        lambda a: (np.isin(a, MANY), np.isin(a, MANY, invert=True)),
        (np.array([[0, 1, 3], [117, 118, 500]]),),
        (np.isin,),
        symbolic=_ROWS,
    ),
    Sample(
        "isin-many-nan",
        lambda a: np.isin(a, np.append(MANY, np.nan)),
        (np.array([0.0, np.nan, 3.0, -0.0, 117.5]),),
        (np.isin,),
    ),
    Sample("isin-nan", lambda a: np.isin(a, [np.nan, 2.0]), (V,), (np.isin,)),
    Sample("isin-empty", lambda a: (np.isin(a, []), np.isin(a[:0], a)), (A,), (np.isin,)),
    Sample("isin-0d", lambda a: np.isin(a, [1, 2]), (np.array(2),), (np.isin,)),
    *(
        Sample(f"isin-{d}", lambda a: np.isin(a, a[2:5]), (edges(d),), (np.isin,))
        for d in ALL_DTYPES
    ),
    *(
        Sample(
            f"isin-{d}-many",
            lambda a, b: np.isin(a, b),
            (edges(d), values(40, dtype=d)),
            (np.isin,),
        )
        for d in ORDERED
    ),
]

OPERATIONS = [
    *(
        Sample(f"{f.__name__}", f, (A, B), (f,), symbolic=_BOTH)
        for f in (np.intersect1d, np.union1d, np.setdiff1d, np.setxor1d)
    ),
    *(
        Sample(
            f"{f.__name__}-constant",
            lambda a, f=f: (f(a, [1, 9, 3]), f([1, 9, 3], a)),
            (A,),
            (f,),
        )
        for f in (np.intersect1d, np.union1d, np.setdiff1d, np.setxor1d)
    ),
    *(
        Sample(
            f"{f.__name__}-unique",
            lambda a, b, f=f: f(a, b, assume_unique=True),
            (np.array([4, 2, 9]), np.array([9, 1, 4, 5])),
            (f,),
        )
        for f in (np.intersect1d, np.setdiff1d, np.setxor1d)
    ),
    *(
        Sample(f"{f.__name__}-float", f, (V, np.array([2.0, np.nan, 9.0])), (f,))
        for f in (np.intersect1d, np.union1d, np.setdiff1d, np.setxor1d)
    ),
    *(
        Sample(
            f"{f.__name__}-promotes",
            f,
            (ROWS.astype("i2"), np.array([[1.5, 3.0]], "f4")),
            (f,),
        )
        for f in (np.intersect1d, np.union1d, np.setdiff1d, np.setxor1d)
    ),
    Sample(
        "intersect1d-indices",
        lambda a, b: np.intersect1d(a, b, return_indices=True),
        (A, B),
        (np.intersect1d,),
        symbolic=_BOTH,
    ),
    Sample(
        "intersect1d-unique-indices",
        lambda a, b: np.intersect1d(a, b, True, True),
        (np.array([4, 2, 9]), np.array([9, 1, 4])),
        (np.intersect1d,),
    ),
]

SAMPLES = [*UNIQUE, *MEMBERSHIP, *OPERATIONS]
