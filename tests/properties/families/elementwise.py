"""Every ufunc of numbers on every pair of dtypes, with ``out=``, ``where=``, ``dtype=``."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from capture.ufuncs import ELEMENTWISE, FORMULAS
from tests.properties.calls import Call, Operand
from tests.properties.drawing import (
    NUMPY_DTYPES,
    broadcast_partner,
    filled,
    masks,
    operands,
    options,
)
from tests.samples.base import ALL_DTYPES

REFUSED = (r"where= without out=",)

UFUNCS = [
    ufunc
    for ufunc in (*ELEMENTWISE, *FORMULAS)
    if getattr(np, ufunc.__name__, None) is not None and ufunc.nin <= 2 and not ufunc.signature
]
NUMBERS = st.sampled_from([0, 1, 2, -1, 3, 200, 0.5, -2.5, True, float("inf")])
CASTINGS = st.sampled_from(["no", "safe", "same_kind", "unsafe"])


@st.composite
def partners(draw: Any, x: Operand) -> Any:
    """Return a second operand: an array, a Python number or a NumPy scalar."""
    if draw(st.integers(0, 3)) == 0:
        return draw(NUMBERS)
    return draw(operands(broadcast_partner(x.value.shape), ALL_DTYPES))


@st.composite
def calls(draw: Any) -> Call:
    ufunc = draw(st.sampled_from(UFUNCS))
    x = draw(operands(dtypes=ALL_DTYPES))
    args = [x]
    if ufunc.nin == 2:
        args.append(draw(partners(x)))
        if draw(st.booleans()):
            args.reverse()
    kwargs = draw(options(dtype=st.sampled_from(NUMPY_DTYPES), casting=CASTINGS))
    if not kwargs and draw(st.booleans()):
        args = [draw(st.sampled_from([200, 2**40, -1])) if type(a) is int else a for a in args]
    if draw(st.integers(0, 4)) == 0:
        shapes = [np.shape(a.value) if isinstance(a, Operand) else () for a in args]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            shape = shapes[0]
        dtype = draw(st.sampled_from(NUMPY_DTYPES))
        targets = tuple(Operand(filled(shape, dtype, "ties", i)) for i in range(ufunc.nout))
        kwargs["out"] = targets
        kwargs |= draw(options(where=masks(shape)))
    rtol = 2e-3 if "out" in kwargs else None  # the loop may be of halves
    signed = ufunc not in (np.maximum, np.minimum, np.fmax, np.fmin)
    return Call(ufunc, tuple(args), kwargs, rtol=rtol, signed_zeros=signed)


CALLS = calls()
