"""Polynomials by their coefficients, highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call
from tests.properties.drawing import NUMPY_DTYPES, operands, options

REFUSED = (r"did not return an iterable",)  # NumPy iterates over the argument of poly itself

COEFFICIENTS = st.tuples(st.integers(1, 4))
TAME = ("tame", "ties")
PAIRS = [np.polyadd, np.polysub, np.polymul]


@st.composite
def calls(draw: Any) -> Call:
    p = draw(operands(COEFFICIENTS, NUMPY_DTYPES[1:], TAME))
    which = draw(st.integers(0, 5))
    if which == 0:
        q = draw(operands(COEFFICIENTS, NUMPY_DTYPES[1:], TAME))
        return Call(draw(st.sampled_from(PAIRS)), (p, q), slack=16)
    if which == 1:
        x = draw(operands(kinds=TAME))
        return Call(np.polyval, (p, x), slack=64)
    if which == 2:
        return Call(np.polyder, (p,), draw(options(m=st.integers(0, 3))), slack=8)
    if which == 3:
        constants = st.sampled_from([None, 0, 2.5])
        return Call(np.polyint, (p,), draw(options(m=st.integers(0, 3), k=constants)), slack=8)
    if which == 4:
        q = draw(operands(COEFFICIENTS, NUMPY_DTYPES[1:], ("ties",)))
        return Call(np.polydiv, (p, q), slack=64)
    return Call(np.poly, (p,), slack=64)


CALLS = calls()
