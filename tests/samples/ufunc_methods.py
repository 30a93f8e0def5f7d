"""``reduce``, ``accumulate``, ``outer``, ``reduceat`` and ``at`` of ufuncs."""

from __future__ import annotations

import numpy as np

from ir.ops import OPS, Elementwise
from tests.samples.base import ALL_DTYPES, BFLOAT16, FEW_DTYPES, INTEGERS, Sample, edges, normal, values

BINARY = [op.ufunc for op in OPS.values() if isinstance(op, Elementwise) and op.ufunc.nin == 2 and op.ufunc.nout == 1]
IDENTITY = [u for u in BINARY if u.identity is not None]
_N = {0: {0: "n"}}
F4 = np.dtype("f4")
LOOSE = {np.dtype("f2"): 2e-2, BFLOAT16: 1e-1}

ANY_LENGTH = (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or, np.logical_xor, np.subtract,
              np.hypot, np.logaddexp, np.logaddexp2, np.fmax, np.fmin)
BITWISE = (np.bitwise_and, np.bitwise_or, np.bitwise_xor)


def _works(ufunc, method, x):
    with np.errstate(all="ignore"):
        try:
            result = getattr(ufunc, method)(x)
        except TypeError:
            return False
    return result.dtype in ALL_DTYPES


def _operand(ufunc, dtype):
    """Return values that every fold takes: small positive ones where it shifts or raises."""
    x = values(4, 3, dtype=dtype)
    if ufunc.__name__ in ("power", "float_power", "left_shift", "right_shift"):
        return np.abs(x) % 4 if dtype != np.bool_ else x
    return x


def _dtypes_of(ufunc, method):
    return [d for d in ALL_DTYPES if _works(ufunc, method, _operand(ufunc, d))]


def _folds(method):
    return [
        Sample(f"{method}-{ufunc.__name__}-{d}", lambda a, f=ufunc, m=method: (getattr(f, m)(a), getattr(f, m)(a, axis=1)),
               (_operand(ufunc, d),), rtol=LOOSE.get(d, 1e-5), atol=1e-2 if d.itemsize == 2 else 1e-6)
        for ufunc in BINARY
        for d in _dtypes_of(ufunc, method)
    ]


MASK = np.array([[True, False, True], [False, False, True], [True, True, True], [False, True, False]])


def _arguments(ufunc, d):
    """Return a fold with every argument the ufunc takes."""
    begin = ufunc.identity if ufunc.identity is not None else 1

    def program(a):
        made = [ufunc.reduce(a, axis=0, keepdims=True), ufunc.reduce(a, axis=-1, initial=begin), ufunc.reduce(a, ())]
        made += [ufunc.reduce(a, axis=1, initial=begin, where=MASK), ufunc.reduce(a[:1]), ufunc.reduce(a[0, 0])]
        if ufunc.identity is not None:
            made += [ufunc.reduce(a, axis=None), ufunc.reduce(a, axis=(0, 1), where=MASK), ufunc.reduce(a[:0])]
        return tuple(made)

    return Sample(f"reduce-arguments-{ufunc.__name__}-{d}", program, (_operand(ufunc, d),), rtol=1e-5, atol=1e-6)


def _into(method):
    def program(a):
        target = np.zeros_like(getattr(np.add, method)(a), dtype=np.float64)
        getattr(np.add, method)(a, out=target)
        small = np.zeros_like(target, dtype=np.int8)
        return target, getattr(np.add, method)(a, out=small)

    return program


INDICES = np.array([0, 3, 1, 1, 4])


def _at(ufunc, key, b=None):
    def program(a):
        y = a * 1 if a.dtype != bool else a & True
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
SAMPLES = [
    *_folds("reduce"),
    *_folds("accumulate"),
    *(_arguments(ufunc, d) for ufunc in BINARY
      for d in (F4, np.dtype("u1"), np.dtype("i8"), np.dtype(bool)) if d in _dtypes_of(ufunc, "reduce")
      and ufunc not in (np.power, np.float_power, np.remainder, np.fmod)),
    *(Sample(f"{m}-open-{u.__name__}", lambda a, u=u, m=m: getattr(u, m)(a), (normal(4, 3),), rtol=1e-4, atol=1e-5, symbolic=_N,
             empty=u.identity is not None and m == "reduce")
      for u in ANY_LENGTH for m in ("reduce", "accumulate") if (u, m) not in {(f, "accumulate") for f in (np.hypot, np.logaddexp, np.logaddexp2)}),
    *(Sample(f"reduce-open-{u.__name__}-{d}", u.reduce, (values(4, 3, dtype=d),), symbolic=_N)
      for u in BITWISE for d in (*INTEGERS, np.dtype(bool))),
    *(Sample(f"reduce-edges-{u.__name__}", lambda a, u=u: (u.reduce(a, 1), u.accumulate(a, 1)),
             (np.stack([edges("f4", 20), np.roll(edges("f4", 20), 5), np.full(20, np.nan, "f4"), np.full(20, -np.inf, "f4"),
                        np.full(20, np.inf, "f4")]),), rtol=1e-5)
      for u in (np.fmax, np.fmin, np.maximum, np.minimum, np.logical_and, np.logical_xor)),
    *(Sample(f"reduce-special-{u.__name__}", lambda a, u=u: u.reduce(a, 1),
             (np.array([[np.inf, 1, 2], [np.nan, np.inf, 0], [-np.inf] * 3, [0, -0.0, 0], [1e30, 1e30, 1e30], [np.nan, 1, 2],
                        [-np.inf, np.inf, 0], [1e-30, 1e-30, 0], [5, -np.inf, 3]], "f4"),), rtol=1e-5)
      for u in (np.hypot, np.logaddexp, np.logaddexp2)),
    Sample("reduce-multi", lambda a: (np.bitwise_xor.reduce(a, (0, 2)), np.gcd.reduce(a, (2, 0), keepdims=True), np.lcm.reduce(a, 1)),
           (values(3, 4, 5, dtype="i4"),), symbolic=None),
    Sample("reduce-long", lambda a: (np.gcd.reduce(a), np.bitwise_or.reduce(a), np.bitwise_xor.accumulate(a)),
           (values(1000, dtype="i4"),)),
    Sample("reduce-dtype", lambda a: (np.add.reduce(a, dtype="f8"), np.multiply.reduce(a, dtype="f4"), np.divide.reduce(a + 1, dtype="f4"),
           np.bitwise_or.reduce(a, dtype="i2"), np.add.accumulate(a, dtype="i1")), (values(4, 3, dtype="i4"),), rtol=1e-6),
    *(Sample(f"{m}-out", _into(m), (np.full((2, 3), 100, "i1"),)) for m in ("reduce", "accumulate")),
    Sample("reduce-out-floats", lambda a: (np.add.reduce(a, out=np.zeros_like(a[0], dtype="i4")),
           np.maximum.reduce(a, out=np.zeros_like(a[0], dtype="i4"))), (np.full((3, 2), 100.7),)),
    Sample("reduce-0d", lambda a: (np.add.reduce(a), np.add.reduce(a, axis=-1), np.hypot.reduce(a), np.subtract.reduce(a)), (np.array(-2.5),)),
    Sample("reduce-list", lambda a: np.add.reduce([a, a, [1, 2, 3]]), (normal(3),)),
    Sample("reduce-layout", lambda a: _reshaped(np.add.reduce(a.T, 0), np.max(a.T, 1), np.hypot.reduce(a.T, 2), np.gcd.accumulate(
           a.T.astype(int), 1)), (normal(4, 3, 2),), rtol=1e-5),
    *(Sample(f"outer-{u.__name__}", u.outer, (np.abs(normal(3, 2)) + 1, np.abs(normal(4, seed=1)) + 1), rtol=1e-5, symbolic=_N)
      for u in BINARY if _works(u, "outer", F4) or True and u.types and any(t.startswith("ff") for t in u.types)),
    *(Sample(f"outer-{u.__name__}-int", u.outer, (values(3, 2, dtype="u1") % 4, values(4, dtype="u1", seed=1) % 4 + 1), rtol=1e-5)
      for u in BINARY),
    Sample("outer-scalars", lambda a: (np.add.outer(a, 2.0), np.multiply.outer(2, a), np.add.outer(a[0], a[1]), np.less.outer(a, [0, 1])),
           (normal(3),)),
    Sample("outer-arguments", lambda a: (np.add.outer(a, a, dtype="f8"), np.add.outer(a, a, out=np.zeros_like(a * a[:, None]))), (normal(3),)),
    *(Sample(f"reduceat-{u.__name__}-{d}", lambda a, u=u: (u.reduceat(a, [0, 3, 1, 1, 4]), u.reduceat(a, (2,), axis=1), u.reduceat(a, [])),
             (_operand(u, d) if False else values(5, 3, dtype=d),), rtol=LOOSE.get(d, 1e-5), atol=1e-2 if d.itemsize == 2 else 1e-6)
      for u in (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or, np.subtract, np.fmax, np.bitwise_xor)
      for d in FEW_DTYPES if d in _dtypes_of(u, "reduce")),
    *(Sample(f"reduceat-captured-{u.__name__}-{d}", lambda a, i, u=u: (u.reduceat(a, i), u.reduceat(a.T, i, axis=-1)),
             (values(5, 3, dtype=d), INDICES), rtol=1e-5, atol=1e-6, symbolic={1: {0: "k"}}, empty=False)
      for u in (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or) for d in FEW_DTYPES),
    Sample("reduceat-captured-edges", lambda a, i: (np.add.reduceat(a, i), np.maximum.reduceat(a, i)),
           (np.array([0.0, -0.0, np.nan, np.inf, 1]), INDICES)),
    Sample("reduceat-arguments", lambda a: (np.add.reduceat(a, [0, 2], dtype="f8"), np.add.reduceat(a, [0, 2], out=np.zeros_like(a[:2]))), (X,)),
    Sample("reduceat-open", lambda a, i: np.add.reduceat(a, i, axis=1), (normal(3, 5), INDICES), rtol=1e-5, atol=1e-6, symbolic=_N),
    *(Sample(f"at-{u.__name__}-{d}", _at(u, [0, 2, 2, -1, 0], np.array([1, 1, 1, 0, 1], d)), (values(4, dtype=d),))
      for u in (np.add, np.subtract, np.multiply, np.maximum, np.minimum) for d in ALL_DTYPES
      if not (u is np.subtract and d == np.bool_)),
    *(Sample(f"at-bools-{u.__name__}", _at(u, [0, 2, 2, -1], np.array([True, False, True, False])), (values(4, dtype=bool),))
      for u in (np.logical_or, np.logical_and, np.bitwise_or, np.bitwise_and)),
    *(Sample(f"at-key-{name}", _at(np.add, key, 1.5), (X,)) for name, key in {
        "int": 1, "slice": slice(1, 4), "tuple": (slice(None), [0, 0, 2]), "pair": ([0, 0, 1], [1, 1, 2]), "ellipsis": (..., [0, 0]),
        "grid": ([[0], [0]], [1, 2]), "mask": X[:, 0] > 0, "negative": [-1, -1, 4], "split": ([0, 0], slice(None, None, 2))}.items()),
    Sample("at-0d", lambda a: _at(np.add, (), 2)(a), (np.array(1.5),)),
    Sample("at-rows", _at(np.add, [0, 0, 1], np.arange(9.0).reshape(3, 3)), (X,)),
    Sample("at-wide", _at(np.add, [0, 0, 1], np.array([300, 200, 100])), (np.zeros(3, "i1"),)),
    Sample("at-max-wide", _at(np.maximum, [0, 0, 1], np.array([300, 20, 5])), (np.zeros(3, "i1"),)),
    Sample("at-truncates", _at(np.add, [0, 2], 1.5), (np.zeros(3, int),)),
    Sample("at-unary", lambda a: (_at(np.negative, [0, 2])(a), _at(np.sqrt, slice(1, 3))(abs(a)), _at(np.negative, a > 0)(a)), (X,)),
    Sample("at-divide", _at(np.divide, ([0, 2], [1, 1]), 4), (X,)),
    Sample("at-view", lambda a: _view_at(a), (X,)),
    *(Sample(f"at-captured-{u.__name__}", _at_captured(u), (X, np.array([0, 4, 0, 0, 2]), X[::-1].copy()), rtol=1e-5,
             symbolic={1: {0: "k"}, 2: {0: "k"}}) for u in (np.add, np.subtract, np.multiply, np.maximum, np.minimum)),
    Sample("at-captured-mask", lambda a, m: _at_captured(np.add)(a, m, 1.0), (X, X > 0)),
    Sample("at-histogram", lambda i: _histogram(i), (np.array([1, 3, 3, 0, 1, 1]),), symbolic=_N),
    Sample("at-nan", _at_captured(np.maximum), (np.array([0.0, -0.0, np.nan, 1]), np.array([0, 0, 2, 3, 3]),
           np.array([-0.0, np.nan, 1, 5, 2]))),
]


def _view_at(a):
    y = a * 1
    np.add.at(y.T[1:], ([0, 0], [1, 1]), 10)
    np.add.at(y[::2], [0, 0], 1)
    return y


def _histogram(index):
    counts = np.zeros_like(index, shape=4)
    np.add.at(counts, index, 1)
    return counts


def _reshaped(*arrays):
    for y in arrays:
        y.reshape(-1)[0] = 9
    return arrays
