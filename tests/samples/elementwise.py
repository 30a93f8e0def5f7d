"""Every elementwise ufunc on every dtype its loops take, and every Python operator."""

from __future__ import annotations

import operator

import numpy as np

from ir.ops import OPS, Elementwise
from tests.samples.base import (
    ALL_DTYPES,
    BFLOAT16,
    FLOATS,
    INTEGERS,
    Sample,
    edges,
    normal,
    values,
)

UFUNCS = [op.ufunc for op in OPS.values() if isinstance(op, Elementwise)]

DOMAIN = {
    "arccos": (-1, 1),
    "arcsin": (-1, 1),
    "arctanh": (-1, 1),
    "arccosh": (1, None),
    "log": (0, None),
    "log2": (0, None),
    "log10": (0, None),
    "log1p": (-1, None),
    "sqrt": (0, None),
}
"""Ranges outside which NumPy only warns and gives NaN: sampled apart."""


def _takes(ufunc: np.ufunc, dtype: np.dtype) -> bool:
    try:
        loop = ufunc.resolve_dtypes((dtype,) * ufunc.nin + (None,) * ufunc.nout)
    except TypeError:
        return False
    return all(resolved in ALL_DTYPES for resolved in loop)


def _operands(ufunc: np.ufunc, dtype: np.dtype) -> tuple:
    name = ufunc.__name__
    low, high = DOMAIN.get(name, (None, None))
    x = edges(dtype, 20, low=low, high=high)
    if ufunc.nin == 1:
        return (x,)
    if name in ("power", "float_power") and dtype in INTEGERS:
        exponent = np.resize(np.array([0, 1, 2, 3, 5], dtype), x.shape)
        return (x, exponent)
    if name in ("left_shift", "right_shift"):
        return (x, np.resize(np.array([0, 1, 3, 7, 8, 63, 64, 100], dtype), x.shape))
    return (x, np.roll(edges(dtype, 20, low=low, high=high), 3))


def _ufunc_samples() -> list[Sample]:
    return [
        Sample(f"{ufunc.__name__}-{dtype}", ufunc, _operands(ufunc, dtype), (ufunc,))
        for ufunc in UFUNCS
        for dtype in ALL_DTYPES
        if _takes(ufunc, dtype)
    ]


def _symbolic_samples() -> list[Sample]:
    made = []
    for ufunc in UFUNCS:
        dtype = np.dtype("f4") if _takes(ufunc, np.dtype("f4")) else np.dtype("i8")
        arrays = tuple(np.abs(values(3, 4, dtype=dtype, seed=i)) for i in range(ufunc.nin))
        if ufunc.__name__ in DOMAIN and DOMAIN[ufunc.__name__][1] == 1:
            arrays = tuple(a / 4 for a in arrays)
        if ufunc.__name__ == "arccosh":
            arrays = tuple(a + 1 for a in arrays)
        axes = {i: {0: "n"} for i in range(ufunc.nin)}
        made.append(
            Sample(
                f"{ufunc.__name__}-symbolic", ufunc, arrays, (ufunc,), symbolic=axes, rtol=1e-5
            )
        )
    return made


BINARY = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
    "matmul",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
)


def _operator_samples() -> list[Sample]:
    made = []
    x, y = np.array([[5, 0, 3], [1, 7, 2]]), np.array([[2, 3, 1], [1, 4, 2]])
    for name in BINARY:
        function = getattr(operator, name)
        if name == "matmul":
            made.append(Sample("operator-matmul", function, (x, y.T), (name,)))
            continue
        made.append(Sample(f"operator-{name}", function, (x, y), (name,)))
        made.append(
            Sample(f"operator-{name}-scalar", lambda a, f=function: f(a, 3), (x,), (name,))
        )
        made.append(Sample(f"operator-r{name}", lambda a, f=function: f(3, a), (y,), (name,)))
    made.extend(
        Sample(f"operator-{name}", getattr(operator, name), (x,), (name,))
        for name in ("neg", "pos", "abs", "invert")
    )
    return made


WEAK = [
    Sample(
        f"weak-{scalar!r}-{dtype}", lambda a, s=scalar: (a + s, s * a, a > s), (edges(dtype),)
    )
    for dtype in ALL_DTYPES
    for scalar in (2, 0.5, True, -0.0)
    if not (dtype == BFLOAT16 and scalar is True)
]

POWERS = [
    Sample(
        "power bool",  # x**2 alone is a square in NumPy, of another dtype than np.power
        lambda x: (x**2, x**3, x[0] ** 2, x[0, ...] ** 2, np.power(x, 2)),
        (np.array([True, False, True]),),
        (np.power,),
    ),
]

STRONG = [
    Sample(
        f"strong-{scalar.dtype}-{dtype}",
        lambda a, s=scalar: (a * s, s - a),
        (values(3, dtype=dtype),),
    )
    for dtype in (*INTEGERS, np.dtype("f2"), np.dtype("f4"), np.dtype("f8"))
    for scalar in (np.float32(0.5), np.float64(0.25), np.int16(3), np.uint8(2), np.int64(7))
]

ARGUMENTS = [
    Sample("ufunc-dtype", lambda a: np.add(a, a, dtype=np.float64), (normal(3),), (np.add,)),
    Sample("ufunc-dtype-int", lambda a: np.multiply(a, 3, dtype=np.int64), (edges("i1"),)),
    Sample("ufunc-broadcast", np.add, (normal(3, 1), normal(4, seed=1))),
    Sample("ufunc-0d", np.add, (np.array(1.5), np.array(2.5))),
    Sample("ufunc-scalar", np.multiply, (np.float32(1.5), normal(2))),
    Sample("ufunc-list", lambda a: a + [1, 2, 3], (normal(2, 3),)),  # noqa: RUF005
    Sample("ufunc-empty", np.add, (np.zeros((0, 3)), np.zeros((1, 3)))),
    Sample(
        "compare-out-of-range",
        lambda a: (a < 300, a == 300, a != -1, a > -1, a <= 300),
        (edges("u1"),),
    ),
    Sample("divmod", divmod, (np.array([7, -7, 5, 0]), np.array([3, 3, -2, 4])), ("divmod",)),
]

WRITTEN = [
    Sample(
        f"where-out-{d}",
        lambda a, d=d: (
            np.greater(a, 0, out=np.full(a.shape, 7, d), where=a != 1),
            np.isfinite(a, out=np.full(a.shape, 3, d), where=a > 0),
            np.not_equal(a.astype("u1"), -1, out=np.full(a.shape, 5, d)),
        ),
        (np.array([1.0, -2.0, 0.0, 3.0]),),
    )
    for d in ("f4", "i8", "i1", "?")
] + [
    Sample(
        "spacing-zeros-bfloat16",
        np.spacing,
        (np.array([-0.0, 0.0, 1.0, -1.0], BFLOAT16),),
        (np.spacing,),
    ),
]

CASTS = [
    Sample(
        f"astype-{source}-{target}",
        lambda a, t=target: a.astype(t),
        (
            edges(
                source,
                low=-100 if source in FLOATS and target in INTEGERS else None,
                high=100 if source in FLOATS and target in INTEGERS else None,
            )
            if not (source in FLOATS and target in INTEGERS and target.kind == "u")
            else edges(source, low=0, high=100),
        ),
        (np.astype, "astype"),
    )
    for source in ALL_DTYPES
    for target in ALL_DTYPES
]

SAMPLES = [
    *_ufunc_samples(),
    *_symbolic_samples(),
    *_operator_samples(),
    *WEAK,
    *POWERS,
    *STRONG,
    *ARGUMENTS,
    *WRITTEN,
    *CASTS,
]
