"""``outer``, ``reduceat`` and ``at`` of ufuncs."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, FEW_DTYPES, Sample, normal, values
from tests.samples.ufunc_folds import BINARY, LOOSE, dtypes_of

_N = {0: {0: "n"}}
INDICES = np.array([0, 3, 1, 1, 4])


def _at(ufunc, key, b=None):
    def program(a):
        y = a.copy()
        ufunc.at(y, key) if b is None else ufunc.at(y, key, b)
        return y

    return program


def _at_captured(ufunc):
    def program(a, index, b):
        y = a.copy()
        ufunc.at(y, index, b)
        return y

    return program


X = normal(5, 3)


def _view_at(a):
    y = a * 1
    np.add.at(y.T[1:], ([0, 0], [1, 1]), 10)
    np.add.at(y[::2], [0, 0], 1)
    return y


def _histogram(index):
    counts = np.zeros_like(index, shape=4)
    np.add.at(counts, index, 1)
    return counts


SAMPLES = [
    *(
        Sample(
            f"outer-{u.__name__}",
            u.outer,
            (np.abs(normal(3, 2)) + 1, np.abs(normal(4, seed=1)) + 1),
            rtol=1e-5,
            symbolic=_N,
        )
        for u in BINARY
        if any(loop.startswith("ff") for loop in u.types)
    ),
    *(
        Sample(
            f"outer-{u.__name__}-int",
            u.outer,
            (values(3, 2, dtype="u1") % 4, values(4, dtype="u1", seed=1) % 4 + 1),
            rtol=1e-5,
        )
        for u in BINARY
    ),
    Sample(
        "outer-scalars",
        lambda a: (
            np.add.outer(a, 2.0),
            np.multiply.outer(2, a),
            np.add.outer(a[0], a[1]),
            np.less.outer(a, [0, 1]),
        ),
        (normal(3),),
    ),
    Sample(
        "outer-arguments",
        lambda a: (
            np.add.outer(a, a, dtype="f8"),
            np.add.outer(a, a, out=np.zeros_like(a * a[:, None])),
        ),
        (normal(3),),
    ),
    *(
        Sample(
            f"reduceat-{u.__name__}-{d}",
            lambda a, u=u: (
                u.reduceat(a, [0, 3, 1, 1, 4]),
                u.reduceat(a, (2,), axis=1),
                u.reduceat(a, []),
            ),
            (values(5, 3, dtype=d),),
            rtol=LOOSE.get(d, 1e-5),
            atol=1e-2 if d.itemsize == 2 else 1e-6,
        )
        for u in (
            np.add,
            np.multiply,
            np.maximum,
            np.minimum,
            np.logical_and,
            np.logical_or,
            np.subtract,
            np.fmax,
            np.bitwise_xor,
        )
        for d in FEW_DTYPES
        if d in dtypes_of(u, "reduce")
    ),
    *(
        Sample(
            f"reduceat-captured-{u.__name__}-{d}",
            lambda a, i, u=u: (u.reduceat(a, i), u.reduceat(a.T, i, axis=-1)),
            (values(5, 3, dtype=d), INDICES),
            rtol=1e-5,
            atol=1e-6,
            symbolic={1: {0: "k"}},
            empty=False,
        )
        for u in (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or)
        for d in FEW_DTYPES
    ),
    Sample(
        "reduceat-captured-edges",
        lambda a, i: (np.add.reduceat(a, i), np.maximum.reduceat(a, i)),
        (np.array([0.0, -0.0, np.nan, np.inf, 1]), INDICES),
    ),
    Sample(
        "reduceat-arguments",
        lambda a: (
            np.add.reduceat(a, [0, 2], dtype="f8"),
            np.add.reduceat(a, [0, 2], out=np.zeros_like(a[:2])),
        ),
        (X,),
    ),
    *(
        Sample(
            f"reduceat-steps-{u.__name__}",
            lambda a, i, u=u: (u.reduceat(a, i), u.reduceat(a.T, i, axis=-1)),
            (values(5, 3, dtype=d), INDICES),
            rtol=1e-5,
            symbolic={1: {0: "k"}},
        )
        for u, d in (
            (np.subtract, "f4"),
            (np.hypot, "f8"),
            (np.fmax, "f4"),
            (np.gcd, "i4"),
            (np.bitwise_xor, "u1"),
            (np.logical_xor, "i8"),
        )
    ),
    Sample(
        "reduceat-open",
        lambda a, i: np.add.reduceat(a, i, axis=1),
        (normal(3, 5), INDICES),
        rtol=1e-5,
        atol=1e-6,
        symbolic=_N,
    ),
    *(
        Sample(
            f"at-{u.__name__}-{d}",
            _at(u, [0, 2, 2, -1, 0], np.array([1, 1, 1, 0, 1], d)),
            (values(4, dtype=d),),
        )
        for u in (np.add, np.subtract, np.multiply, np.maximum, np.minimum)
        for d in ALL_DTYPES
        if not (u is np.subtract and d == np.bool_)
    ),
    *(
        Sample(
            f"at-bools-{u.__name__}",
            _at(u, [0, 2, 2, -1], np.array([True, False, True, False])),
            (values(4, dtype=bool),),
        )
        for u in (np.logical_or, np.logical_and, np.bitwise_or, np.bitwise_and)
    ),
    *(
        Sample(f"at-key-{name}", _at(np.add, key, 1.5), (X,))
        for name, key in {
            "int": 1,
            "slice": slice(1, 4),
            "tuple": (slice(None), [0, 0, 2]),
            "pair": ([0, 0, 1], [1, 1, 2]),
            "ellipsis": (..., [0, 0]),
            "grid": ([[0], [0]], [1, 2]),
            "mask": X[:, 0] > 0,
            "negative": [-1, -1, 4],
            "split": ([0, 0], slice(None, None, 2)),
        }.items()
    ),
    Sample("at-0d", lambda a: _at(np.add, (), 2)(a), (np.array(1.5),)),
    Sample("at-rows", _at(np.add, [0, 0, 1], np.arange(9.0).reshape(3, 3)), (X,)),
    Sample("at-wide", _at(np.add, [0, 0, 1], np.array([300, 200, 100])), (np.zeros(3, "i1"),)),
    Sample(
        "at-max-wide", _at(np.maximum, [0, 0, 1], np.array([300, 20, 5])), (np.zeros(3, "i1"),)
    ),
    Sample("at-truncates", _at(np.add, [0, 2], 1.5), (np.zeros(3, int),)),
    Sample(
        "at-unary",
        lambda a: (
            _at(np.negative, [0, 2])(a),
            _at(np.sqrt, slice(1, 3))(abs(a)),
            _at(np.negative, a > 0)(a),
        ),
        (X,),
    ),
    Sample("at-divide", _at(np.divide, ([0, 2], [1, 1]), 4), (X,)),
    Sample(
        "at-repeated",
        lambda a: (
            _at(np.divide, [0, 2, 0, -5], 4)(a),
            _at(np.negative, [0, 0, 1])(a),
            _at(np.logaddexp, ([0, 0], [1, 1]), a[:2, 0])(a),
            _at(np.add, [0, 0, 1], 1.5)(a.astype(int)),
            _at(np.bitwise_xor, [[1, 1], [1, 0]], 5)(a.astype(int)),
        ),
        (X,),
        (),
    ),
    Sample(
        "at-captured-repeated",
        lambda a, i, b: (_at_captured(np.divide)(a, i, b), _at_captured(np.fmin)(a, i, b)),
        (X, np.array([0, 4, 0, 0, 2]), X[::-1].copy()),
        rtol=1e-5,
        symbolic={1: {0: "k"}, 2: {0: "k"}},
    ),
    Sample("at-view", lambda a: _view_at(a), (X,)),
    *(
        Sample(
            f"at-captured-{u.__name__}",
            _at_captured(u),
            (X, np.array([0, 4, 0, 0, 2]), X[::-1].copy()),
            rtol=1e-5,
            symbolic={1: {0: "k"}, 2: {0: "k"}},
        )
        for u in (np.add, np.subtract, np.multiply, np.maximum, np.minimum)
    ),
    Sample("at-captured-mask", lambda a, m: _at_captured(np.add)(a, m, 1.0), (X, X > 0)),
    Sample(
        "at-histogram", lambda i: _histogram(i), (np.array([1, 3, 3, 0, 1, 1]),), symbolic=_N
    ),
    Sample(
        "at-nan",
        _at_captured(np.maximum),
        (
            np.array([0.0, -0.0, np.nan, 1]),
            np.array([0, 0, 2, 3, 3]),
            np.array([-0.0, np.nan, 1, 5, 2]),
        ),
    ),
]
