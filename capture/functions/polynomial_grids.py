"""Polynomials of two variables, the lowest power first, as in ``numpy.polynomial``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import polynomial

from capture.coerce import lift, recorder_of
from capture.functions.registry import implements


def _value(c: Any, x: Any, tensor: bool) -> Any:
    """Horner's scheme along the first axis of the coefficients."""
    if tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    result = c[-1] + x * 0
    for power in range(2, len(c) + 1):
        result = c[-power] + result * x
    return result


def _prepared(operation: str, x: Any, y: Any, c: Any) -> tuple[Any, Any, Any]:
    recorder = recorder_of(operation, x, y, c)
    values = [lift(recorder, value) for value in (x, y, c)]
    return tuple(v if v.dtype.kind == "f" else v.astype(np.float64) for v in values)  # type: ignore[return-value]


@implements(polynomial.polyval2d)
def polyval2d(x: Any, y: Any, c: Any) -> Any:
    """``numpy.polynomial.polynomial.polyval2d``."""
    first, second, coefficients = _prepared("polyval2d", x, y, c)
    if first.shape != second.shape:
        raise ValueError("x, y are incompatible")
    return _value(_value(coefficients, first, True), second, False)


@implements(polynomial.polygrid2d)
def polygrid2d(x: Any, y: Any, c: Any) -> Any:
    """``numpy.polynomial.polynomial.polygrid2d``."""
    first, second, coefficients = _prepared("polygrid2d", x, y, c)
    return _value(_value(coefficients, first, True), second, True)
