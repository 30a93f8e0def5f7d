"""SciPy's special functions, and NumPy's sinc, i0, nan_to_num and windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special
from hypothesis import strategies as st

from capture.functions.scipy_special import scipy_names
from tests.properties.calls import Call
from tests.properties.drawing import NUMPY_DTYPES, axes, broadcast_partner, operands, options

REFUSED = ()

UFUNCS = [getattr(scipy.special, name) for name in sorted(scipy_names())]
UFUNCS = [ufunc for ufunc in UFUNCS if isinstance(ufunc, np.ufunc)]
NUMPYS = [np.sinc, np.i0, np.nan_to_num, np.angle, np.fix, np.isreal, np.isposinf, np.isneginf]
NUMPYS += [np.real, np.imag, np.real_if_close, np.round]
AXES = [scipy.special.softmax, scipy.special.log_softmax]


@st.composite
def calls(draw: Any) -> Call:
    x = draw(operands())
    which = draw(st.integers(0, 3))
    if which == 0:
        return Call(draw(st.sampled_from(NUMPYS)), (x,), slack=1)
    if which == 1:
        kwargs = draw(options(axis=axes(x.value.ndim)))
        return Call(draw(st.sampled_from(AXES)), (x,), kwargs, slack=16)
    ufunc = draw(st.sampled_from(UFUNCS))
    others = [
        draw(operands(broadcast_partner(x.value.shape), NUMPY_DTYPES))
        for _ in range(ufunc.nin - 1)
    ]
    return Call(ufunc, (x, *others), rtol=1e-5, slack=1)


CALLS = calls()
