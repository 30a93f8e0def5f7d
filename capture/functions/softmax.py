"""``softmax``, ``log_softmax`` and ``logsumexp`` of ``scipy.special``.

They are Python functions: user code reaches these forms through
:mod:`capture.interception.scipy_functions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast
from capture.functions.arguments import as_tensor

if TYPE_CHECKING:
    from collections.abc import Callable


def softmax(x: Any, axis: Any = None) -> Any:
    """``scipy.special.softmax``."""
    x = as_tensor("softmax", x)
    power = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return power / np.sum(power, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = None) -> Any:
    """``scipy.special.log_softmax``."""
    x = as_tensor("log_softmax", x)
    greatest = np.max(x, axis=axis, keepdims=True)
    rest = x - np.where(np.isfinite(greatest), greatest, np.zeros((), x.dtype)[()])
    return rest - np.log(np.sum(np.exp(rest), axis=axis, keepdims=True))


def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False
) -> Any:
    """``scipy.special.logsumexp``: the greatest terms stay out of the sum, which keeps digits."""
    a = np.atleast_1d(as_tensor("logsumexp", a, b))
    weights: Any = None if b is None else as_tensor("logsumexp", b, a)
    if weights is None:
        common = a.dtype
    else:
        weak = type(b) in (bool, int, float)
        common = np.result_type(a.dtype, b if weak else weights.dtype)
    common = common if common.kind == "f" else np.result_type(common, np.float64)
    a = cast(a, common)
    if weights is not None:
        a, weights = np.broadcast_arrays(a, cast(weights, common))
        a = np.where(weights == 0, -np.inf, a)

    def total(values: Any) -> Any:
        weighted = values if weights is None else values * weights
        return np.sum(weighted, axis=axis, keepdims=True)

    greatest = np.max(a, axis=axis, keepdims=True, initial=-np.inf)
    at_greatest = (a == greatest) & (a > -np.inf)
    shift = np.where(np.isneginf(greatest), 0, greatest)
    unit = np.where(np.isposinf(greatest), greatest, 1)
    first = total(np.where(at_greatest, unit, 0))
    others = total(np.exp(np.where(at_greatest, -np.inf, a) - shift))
    # weights of the greatest terms can cancel, and of nothing there is no greatest
    cancelled = first == 0
    divisor = np.where(cancelled, others, first)
    ratio = np.where(cancelled, 0, others / divisor)
    sign = np.sign(ratio + 1) * np.sign(divisor)
    result = np.log1p(np.where(ratio < -1, -ratio - 2, ratio)) + np.log(np.abs(divisor))
    result = result + greatest
    if not return_sign and weights is not None:
        result = np.where(sign < 0, np.nan, result)
    if not keepdims:
        result, sign = (np.squeeze(value, axis=axis)[()] for value in (result, sign))
    return (result, sign) if return_sign else result


SCIPY_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log_softmax": log_softmax,
    "logsumexp": logsumexp,
    "softmax": softmax,
}
"""Captured forms by SciPy's name."""
