"""Products of arrays, norms, and powers of matrices."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, BFLOAT16, FEW_DTYPES, FLOATS, Sample, normal, values

V, W = normal(4), normal(4, seed=1)
M, N = normal(3, 4), normal(5, 4, seed=2)
SQUARE = normal(3, 3, seed=3)
STACK = normal(2, 3, 4, seed=4)
_N = {0: {0: "n"}}
_PRODUCTS = {np.dtype("f2"): 2e-2, BFLOAT16: 6e-2, np.dtype("f4"): 1e-5}


def _of(name, function, *arrays, covers=(), rtol=1e-5, atol=1e-6, **other):
    return Sample(name, function, arrays, covers, rtol=rtol, atol=atol, **other)


def _vectors(dtype):
    return values(5, dtype=dtype), values(5, dtype=dtype, seed=1)


DTYPES = [
    Sample(
        f"{f.__name__}-{d}",
        f,
        _vectors(d),
        (f,),
        rtol=_PRODUCTS.get(d),
        atol=1e-2 if d.itemsize == 2 else 1e-6,
    )
    for f in (np.dot, np.inner, np.vdot, np.outer, np.kron, np.vecdot)
    for d in ALL_DTYPES
    if not (f is np.vecdot and d == BFLOAT16)
]

CROSS = [
    _of(
        f"cross-{i}-{j}",
        np.cross,
        normal(5, i),
        normal(5, j, seed=1),
        covers=(np.cross,),
        symbolic={0: {0: "n"}, 1: {0: "n"}},
    )
    for i in (2, 3)
    for j in (2, 3)
]

AXES = (0, 1, 2, (1, 0), ([1], [2]), ([0, 1], [1, 0]), ([-1, 0], [0, 1]))


def _tensordots():
    a = normal(4, 3, 2)
    fits = {0: (2,), 1: (2, 5), 2: (3, 2, 5), (1, 0): (3, 5)}
    for axes in AXES[:4]:
        yield a, normal(*fits[axes], seed=1), axes
    yield a, normal(5, 2, 3, seed=1), ([1], [2])
    yield a, normal(3, 4, 5, seed=1), ([0, 1], [1, 0])
    yield a, normal(2, 4, seed=1), ([-1, 0], [0, 1])
    yield a, normal(2, 5, seed=1), (-1, 0)
    yield a, a, 3


TENSORDOT = [
    _of(
        f"tensordot-{i}",
        lambda a, b, x=axes: np.tensordot(a, b, x),
        a,
        b,
        covers=(np.tensordot,),
    )
    for i, (a, b, axes) in enumerate(_tensordots())
]

SAMPLES = [
    *DTYPES,
    *CROSS,
    *TENSORDOT,
    _of(
        "tensordot-symbolic",
        lambda a, b: np.tensordot(a, b, ([2, 0], [0, 2])),
        normal(4, 3, 2),
        normal(2, 5, 4),
        covers=(np.tensordot,),
        symbolic={0: {0: "n"}, 1: {2: "n"}},
    ),
    _of(
        "tensordot-symbolic-kept",
        lambda a, b: np.tensordot(a, b, 1),
        normal(4, 3, 2),
        normal(2, 5),
        covers=(np.tensordot,),
        symbolic={0: {0: "n"}, 1: {1: "m"}},
    ),
    _of(
        "tensordot-0d",
        lambda a, b: np.tensordot(a, b, 1),
        V,
        W,
        covers=(np.tensordot,),
        symbolic={0: {0: "n"}, 1: {0: "n"}},
    ),
    _of(
        "tensordot-empty",
        lambda a, b: np.tensordot(a, b, 1),
        np.zeros((3, 0)),
        np.zeros((0, 2)),
        covers=(np.tensordot,),
    ),
    _of(
        "linalg.tensordot",
        lambda a, b: np.linalg.tensordot(a, b, axes=1),
        M,
        normal(4, 2),
        covers=(np.linalg.tensordot,),
    ),
    _of(
        "dot-scalars",
        lambda a: (np.dot(a, 2), np.dot(0.5, a), np.dot(a[0], a[1]), a.dot(a)),
        V,
        covers=(np.dot,),
    ),
    _of("dot-promotes", np.dot, values(3, 4, dtype="i2"), V, covers=(np.dot,)),
    _of(
        "dot-out",
        lambda a, b: np.dot(a, b, out=np.zeros_like(a @ b)),
        M,
        normal(4, 2),
        covers=(np.dot,),
    ),
    _of(
        "dot-nd-symbolic",
        np.dot,
        normal(2, 3, 4),
        normal(5, 4, 2),
        covers=(np.dot,),
        symbolic={0: {0: "n"}, 1: {0: "m"}},
    ),
    _of("dot-vector-nd", np.dot, V, normal(2, 4, 3), covers=(np.dot,)),
    _of(
        "inner-nd", np.inner, STACK, N, covers=(np.inner,), symbolic={0: {0: "n"}, 1: {0: "m"}}
    ),
    _of("inner-nd-nd", np.inner, STACK, normal(3, 2, 4), covers=(np.inner,)),
    _of(
        "inner-scalars",
        lambda a: (np.inner(a, 2), np.inner(a[0], a[1]), np.inner(a, [1, 2, 3, 4])),
        V,
        covers=(np.inner,),
    ),
    _of("vdot-nd", np.vdot, M, normal(2, 6), covers=(np.vdot,)),
    _of(
        "vdot-symbolic",
        np.vdot,
        M,
        M + 1,
        covers=(np.vdot,),
        symbolic={0: {0: "n"}, 1: {0: "n"}},
    ),
    _of("outer-nd", np.outer, M, V, covers=(np.outer,), symbolic={0: {0: "n"}}),
    _of(
        "outer-out",
        lambda a, b: np.outer(a, b, out=np.outer(a, b) * 0),
        V,
        W,
        covers=(np.outer,),
    ),
    _of("outer-scalar", lambda a: (np.outer(a, 2), np.outer(a[0], a)), V, covers=(np.outer,)),
    _of("linalg.outer", np.linalg.outer, V, W, covers=(np.linalg.outer,)),
    _of("kron-nd", np.kron, M, normal(2, 3, 2), covers=(np.kron,), symbolic={0: {0: "n"}}),
    _of(
        "kron-mixed",
        lambda a, b: (np.kron(a, b), np.kron(b, a), np.kron(a, 2.0), np.kron(b[0], b[1])),
        M,
        V,
        covers=(np.kron,),
    ),
    _of(
        "cross-axes",
        lambda a, b: (
            np.cross(a, b, axisa=0, axisb=1),
            np.cross(a, b.T, axis=0),
            np.cross(a, b, 0, 1, 0),
        ),
        normal(3, 5),
        normal(5, 3, seed=1),
        covers=(np.cross,),
    ),
    _of(
        "cross-vector",
        lambda a, b: (np.cross(a, b), np.cross(a[:2], b), np.cross(a[:2], b[:2])),
        V[:3],
        W[:3],
        covers=(np.cross,),
    ),
    _of("cross-broadcast", np.cross, normal(4, 1, 3), normal(5, 3), covers=(np.cross,)),
    *(
        Sample(
            f"cross-{d}",
            np.cross,
            (values(4, 3, dtype=d), values(4, 3, dtype=d, seed=1)),
            (np.cross,),
            rtol=_PRODUCTS.get(d),
            atol=1e-1 if d.itemsize == 2 else 1e-6,
        )
        for d in ALL_DTYPES
        if d != np.bool_
    ),
    _of(
        "linalg.cross",
        lambda a, b: (np.linalg.cross(a, b), np.linalg.cross(a.T, b.T, axis=0)),
        normal(5, 3),
        normal(5, 3, seed=1),
        covers=(np.linalg.cross,),
        symbolic={0: {0: "n"}, 1: {0: "n"}},
    ),
    _of(
        "multi_dot-2",
        lambda a, b: np.linalg.multi_dot([a, b]),
        M,
        N.T,
        covers=(np.linalg.multi_dot,),
    ),
    _of(
        "multi_dot-4",
        lambda a, b: np.linalg.multi_dot([a, b.T, b, a.T]),
        M,
        N,
        covers=(np.linalg.multi_dot,),
        symbolic={0: {0: "n"}},
    ),
    _of(
        "multi_dot-vectors",
        lambda a, b, v: (
            np.linalg.multi_dot([v, b.T, b, v]),
            np.linalg.multi_dot([v, b.T, b]),
            np.linalg.multi_dot([a, b.T, b, v]),
        ),
        M,
        N,
        V,
        covers=(np.linalg.multi_dot,),
        rtol=1e-4,
    ),
    *(
        _of(
            f"matrix_power-{n}",
            lambda a, n=n: np.linalg.matrix_power(a, n),
            SQUARE,
            covers=(np.linalg.matrix_power,),
            rtol=1e-4,
        )
        for n in (0, 1, 2, 3, 5, 10)
    ),
    _of(
        "matrix_power-symbolic",
        lambda a: (np.linalg.matrix_power(a, 0), np.linalg.matrix_power(a, 4)),
        np.stack([SQUARE] * 3),
        covers=(np.linalg.matrix_power,),
        rtol=1e-4,
        symbolic={0: {0: "n"}},
    ),
    *(
        Sample(
            f"matrix_power-{d}",
            lambda a: (np.linalg.matrix_power(a, 0), np.linalg.matrix_power(a, 7)),
            (values(3, 3, dtype=d),),
            (np.linalg.matrix_power,),
            rtol=1e-4,
        )
        for d in FEW_DTYPES
    ),
    _of(
        "vecdot-axes",
        lambda a, b: (
            np.vecdot(a, b, axis=0),
            np.vecdot(a, b, keepdims=True),
            np.vecdot(a, b, axis=0, keepdims=True),
            np.vecdot(a, b.T, axes=[0, 1]),
            np.vecdot(a, b.T, axes=[(1,), (0,), ()]),
            np.vecdot(a, b, dtype=np.float64),
        ),
        M,
        normal(3, 4, seed=1),
        covers=(np.vecdot,),
    ),
    _of(
        "vecdot-broadcast",
        np.vecdot,
        normal(5, 1, 4),
        M,
        covers=(np.vecdot,),
        symbolic={0: {0: "n"}},
    ),
    _of(
        "vecdot-symbolic",
        np.vecdot,
        M.T.copy(),
        M.T.copy() + 1,
        covers=(np.vecdot,),
        symbolic={0: {1: "n"}, 1: {1: "n"}},
    ),
    _of(
        "linalg.vecdot",
        lambda a, b: (np.linalg.vecdot(a, b), np.linalg.vecdot(a, b, axis=0)),
        M,
        normal(3, 4, seed=1),
        covers=(np.linalg.vecdot,),
    ),
    _of(
        "matmul-axes",
        lambda a, b: np.matmul(a, b, axes=[(1, 2), (0, 2), (0, 1)]),
        normal(4, 3, 2),
        normal(2, 4, 5),
        covers=(np.matmul,),
    ),
    _of(
        "matmul-axes-vector",
        lambda a, b: np.matmul(a, b, axes=[0, (0, 1), 1]),
        normal(3),
        normal(3, 4, 5),
        covers=(np.matmul,),
    ),
    _of("matmul-dtype", lambda a: np.matmul(a, a.T, dtype=np.float64), M, covers=(np.matmul,)),
    _of(
        "matmul-casting",
        lambda a: np.matmul(a, a.T, dtype=np.int64, casting="unsafe"),
        M * 3,
        covers=(np.matmul,),
    ),
    _of(
        "matmul-out",
        lambda a: np.matmul(a, a.T, out=np.zeros_like(a @ a.T)),
        M,
        covers=(np.matmul,),
    ),
    _of("linalg.matmul", np.linalg.matmul, M, normal(4, 2), covers=(np.linalg.matmul,)),
    *(
        [
            _of(
                "matvec",
                np.matvec,
                normal(5, 3, 2),
                normal(4, 1, 2),
                covers=(np.matvec,),
                symbolic={0: {1: "n"}},
            ),
            _of(
                "vecmat",
                np.vecmat,
                normal(4, 1, 3),
                normal(5, 3, 2),
                covers=(np.vecmat,),
                symbolic={1: {2: "n"}},
            ),
            _of(
                "matvec-axes",
                lambda a, b: np.matvec(a, b, axes=[(1, 0), 0, 0]),
                normal(2, 3),
                normal(2, 5),
                covers=(np.matvec,),
            ),
        ]
        if hasattr(np, "matvec")
        else []
    ),
    *(
        Sample(
            f"products-edges-{d}",
            lambda a: (np.inner(a, a), np.outer(a, a), np.vecdot(a, a)),
            (np.array([np.nan, np.inf, -0.0, 1.0], d),),
        )
        for d in FLOATS
        if d != BFLOAT16
    ),
]
