"""``reduce`` and ``accumulate`` of ufuncs."""

from __future__ import annotations

import numpy as np

from ir.ops import OPS, Elementwise
from tests.samples.base import (
    ALL_DTYPES,
    BFLOAT16,
    INTEGERS,
    Sample,
    edges,
    normal,
    values,
)

BINARY = [
    op.ufunc
    for op in OPS.values()
    if isinstance(op, Elementwise) and op.ufunc.nin == 2 and op.ufunc.nout == 1
]
IDENTITY = [u for u in BINARY if u.identity is not None]
_N = {0: {0: "n"}}
F4 = np.dtype("f4")
LOOSE = {np.dtype("f2"): 2e-2, BFLOAT16: 1e-1}
WRONG_IN_NUMPY = (np.arctan2, np.power)
"""NumPy's vector loops of these floats fold only the ends of a contiguous axis."""

ANY_LENGTH = (
    np.add,
    np.multiply,
    np.maximum,
    np.minimum,
    np.logical_and,
    np.logical_or,
    np.logical_xor,
    np.subtract,
    np.hypot,
    np.logaddexp,
    np.logaddexp2,
    np.fmax,
    np.fmin,
)
BITWISE = (np.bitwise_and, np.bitwise_or, np.bitwise_xor)


def works(ufunc, method, x):
    with np.errstate(all="ignore"):
        try:
            result = getattr(ufunc, method)(x)
        except TypeError:
            return False
    if ufunc in WRONG_IN_NUMPY and result.dtype.itemsize > 2 and result.dtype.kind == "f":
        return False
    return result.dtype in ALL_DTYPES


def _tolerances(ufunc, method, x):
    with np.errstate(all="ignore"):
        dtype = getattr(ufunc, method)(x).dtype
    return {"rtol": LOOSE.get(dtype, 1e-5), "atol": 1e-2 if dtype in LOOSE else 1e-6}


def operand(ufunc, dtype):
    """Return values that every fold takes: small positive ones where it shifts or raises."""
    x = values(4, 3, dtype=dtype)
    if ufunc.__name__ in ("power", "float_power", "left_shift", "right_shift"):
        return np.abs(x) % 4 if dtype != np.bool_ else x
    return x


def dtypes_of(ufunc, method):
    return [d for d in ALL_DTYPES if works(ufunc, method, operand(ufunc, d))]


def _folds(method):
    return [
        Sample(
            f"{method}-{ufunc.__name__}-{d}",
            lambda a, f=ufunc, m=method: (getattr(f, m)(a), getattr(f, m)(a, axis=1)),
            (operand(ufunc, d),),
            **_tolerances(ufunc, method, operand(ufunc, d)),
        )
        for ufunc in BINARY
        for d in dtypes_of(ufunc, method)
    ]


MASK = np.array(
    [[True, False, True], [False, False, True], [True, True, True], [False, True, False]]
)


def _arguments(ufunc, d):
    """Return a fold with every argument the ufunc takes."""
    begin = ufunc.identity if ufunc.identity not in (None, -1) else 1

    def program(a):
        made = [
            ufunc.reduce(a, axis=0, keepdims=True),
            ufunc.reduce(a, axis=-1, initial=begin),
            ufunc.reduce(a, ()),
        ]
        made += [
            ufunc.reduce(a, axis=1, initial=begin, where=MASK),
            ufunc.reduce(a[:1]),
            ufunc.reduce(a[0, 0]),
        ]
        if ufunc.identity is not None:
            made += [
                ufunc.reduce(a, axis=None),
                ufunc.reduce(a, axis=(0, 1), where=MASK),
                ufunc.reduce(a[:0]),
            ]
        return tuple(made)

    return Sample(
        f"reduce-arguments-{ufunc.__name__}-{d}",
        program,
        (operand(ufunc, d),),
        **_tolerances(ufunc, "reduce", operand(ufunc, d)),
    )


def _into(method):
    def program(a):
        target = np.zeros_like(getattr(np.add, method)(a), dtype=np.float64)
        getattr(np.add, method)(a, out=target)
        small = np.zeros_like(target, dtype=np.int8)
        return target, getattr(np.add, method)(a, out=small)

    return program


EDGES = np.append(
    edges("f4", 20)[2:], np.float32(0)
)  # which of 0.0 and -0.0 is larger is nobody's promise


def reshaped(*arrays):
    for y in arrays:
        y.reshape(-1)[0] = 9
    return arrays


SAMPLES = [
    *_folds("reduce"),
    *_folds("accumulate"),
    *(
        _arguments(ufunc, d)
        for ufunc in BINARY
        for d in (F4, np.dtype("u1"), np.dtype("i8"), np.dtype(bool))
        if d in dtypes_of(ufunc, "reduce")
        and ufunc not in (np.power, np.float_power, np.remainder, np.fmod)
    ),
    *(
        Sample(
            f"{m}-open-{u.__name__}",
            lambda a, u=u, m=m: getattr(u, m)(a),
            (normal(4, 3),),
            rtol=1e-4,
            atol=1e-5,
            symbolic=_N,
            empty=u.identity is not None and m == "reduce",
        )
        for u in ANY_LENGTH
        for m in ("reduce", "accumulate")
        if (u, m) not in {(f, "accumulate") for f in (np.hypot, np.logaddexp, np.logaddexp2)}
    ),
    *(
        Sample(
            f"reduce-open-{u.__name__}-{d}", u.reduce, (values(4, 3, dtype=d),), symbolic=_N
        )
        for u in BITWISE
        for d in (*INTEGERS, np.dtype(bool))
    ),
    *(
        Sample(
            f"reduce-edges-{u.__name__}",
            lambda a, u=u: (u.reduce(a, 1), u.accumulate(a, 1)),
            (
                np.stack(
                    [
                        EDGES,
                        np.roll(EDGES, 5),
                        EDGES * np.nan,
                        np.full_like(EDGES, -np.inf),
                        np.full_like(EDGES, np.inf),
                    ]
                ),
            ),
            rtol=1e-5,
        )
        for u in (np.fmax, np.fmin, np.maximum, np.minimum, np.logical_and, np.logical_xor)
    ),
    *(
        Sample(
            f"reduce-special-{u.__name__}",
            lambda a, u=u: u.reduce(a, 1),
            (
                np.array(
                    [
                        [np.inf, 1, 2],
                        [np.nan, np.inf, 0],
                        [-np.inf] * 3,
                        [0, -0.0, 0],
                        [1e30, 1e30, 1e30],
                        [np.nan, 1, 2],
                        [-np.inf, np.inf, 0],
                        [1e-30, 1e-30, 0],
                        [5, -np.inf, 3],
                    ],
                    "f4",
                ),
            ),
            rtol=1e-5,
        )
        for u in (np.hypot, np.logaddexp, np.logaddexp2)
    ),
    Sample(
        "reduce-multi",
        lambda a: (
            np.bitwise_xor.reduce(a, (0, 2)),
            np.gcd.reduce(a, (2, 0), keepdims=True),
            np.lcm.reduce(a, 1),
        ),
        (values(3, 4, 5, dtype="i4"),),
        symbolic=None,
    ),
    Sample(
        "reduce-long",
        lambda a: (np.gcd.reduce(a), np.bitwise_or.reduce(a), np.bitwise_xor.accumulate(a)),
        (values(1000, dtype="i4"),),
    ),
    Sample(
        "reduce-dtype",
        lambda a: (
            np.add.reduce(a, dtype="f8"),
            np.multiply.reduce(a, dtype="f4"),
            np.divide.reduce(a + 1, dtype="f4"),
            np.bitwise_or.reduce(a, dtype="i2"),
            np.add.accumulate(a, dtype="i1"),
        ),
        (values(4, 3, dtype="i4"),),
        rtol=1e-6,
    ),
    *(
        Sample(f"{m}-out", _into(m), (np.full((2, 3), 100, "i1"),))
        for m in ("reduce", "accumulate")
    ),
    Sample(
        "reduce-out-floats",
        lambda a: (
            np.add.reduce(a, out=np.zeros_like(a[0], dtype="i4")),
            np.maximum.reduce(a, out=np.zeros_like(a[0], dtype="i4")),
        ),
        (np.full((3, 2), 100.7),),
    ),
    *(
        Sample(
            f"steps-{u.__name__}",
            lambda a, u=u: (u.reduce(a), u.reduce(a, axis=-1), u.accumulate(a)),
            (values(4, 3, dtype=d) + np.array(1, d),),
            rtol=1e-5,
            symbolic=_N,
            empty=False,
        )
        for u, d in ((np.divide, "f4"), (np.gcd, "i8"), (np.hypot, "f8"), (np.lcm, "i4"))
    ),
    Sample(
        "steps-masked",
        lambda a, m: (
            np.divide.reduce(a, where=m, initial=2),
            np.gcd.reduce(a.astype(int), where=m, axis=1),
        ),
        (normal(4, 3, dtype="f8"), values(4, 3, dtype=bool)),
        symbolic={0: {0: "n"}, 1: {0: "n"}},
    ),
    Sample(
        "steps-long",
        lambda a: (np.divide.reduce(a), np.divide.accumulate(a)),
        (np.linspace(1, 1.1, 200),),
        rtol=1e-12,
    ),
    Sample(
        "reduce-0d",
        lambda a: (
            np.add.reduce(a),
            np.add.reduce(a, axis=-1),
            np.hypot.reduce(a),
            np.subtract.reduce(a),
        ),
        (np.array(-2.5),),
    ),
    Sample(
        "reduce-layout",
        lambda a: reshaped(
            np.add.reduce(a.T, 0),
            np.max(a.T, 1),
            np.hypot.reduce(a.T, 2),
            np.gcd.accumulate(a.T.astype(int), 1),
        ),
        (normal(4, 3, 2),),
        rtol=1e-5,
    ),
]
