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


def softmax(x: Any, **kwargs: Any) -> Any:
    """Return the softmax, reached through the module as in users' code."""
    return scipy.special.softmax(x, **kwargs)


def log_softmax(x: Any, **kwargs: Any) -> Any:
    """Return the logarithm of the softmax."""
    return scipy.special.log_softmax(x, **kwargs)


def logsumexp(x: Any, **kwargs: Any) -> Any:
    """Return the logarithm of a sum of exponentials."""
    return scipy.special.logsumexp(x, **kwargs)


AXES = [softmax, log_softmax, logsumexp]


@st.composite
def calls(draw: Any) -> Call:
    x = draw(operands())
    which = draw(st.integers(0, 3))
    if which == 0:
        return Call(draw(st.sampled_from(NUMPYS)), (x,), slack=1)
    if which == 1:
        kwargs = draw(options(axis=axes(x.value.ndim)))
        function = draw(st.sampled_from(AXES))
        if function is logsumexp and not x.value.size:
            function = softmax  # of nothing, SciPy's logsumexp fails in some shapes
        if function is logsumexp:
            kwargs |= draw(options(keepdims=st.booleans()))
        return Call(function, (x,), kwargs, slack=16, intercept=True)
    ufunc = draw(st.sampled_from(UFUNCS))
    others = [
        draw(operands(broadcast_partner(x.value.shape), NUMPY_DTYPES))
        for _ in range(ufunc.nin - 1)
    ]
    return Call(ufunc, (x, *others), rtol=1e-5, slack=1)


CALLS = calls()
