"""Hyperbolic functions in float64, for which the runtime has only float32 kernels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from exporters.onnx.floating_exponential import expm1, log1p, lowers_formula
from exporters.onnx.signs import with_sign_of
from ir.ops import elementwise as ew

if TYPE_CHECKING:
    from exporters.onnx.term import Term

_EXPONENTIAL_ONLY = 22.0
"""From here on ``exp(-x)`` is below half an ulp of ``exp(x)``."""

_LOGARITHM_ONLY = 2.0**28


def _native(op_type: str, x: Term) -> bool:
    return x.emitter.runs(op_type, x.dtype)


def _half_exp(size: Term) -> Term:
    """Return ``exp(size)/2`` up to where that overflows, which is later than ``exp(size)``."""
    root = (size * 0.5).function("Exp")
    return root * 0.5 * root


@lowers_formula(ew.sinh)
def sinh(x: Term) -> Term:
    """From expm1, so that nothing cancels near 0."""
    if _native("Sinh", x):
        return x.function("Sinh")
    size = abs(x)
    above = expm1(size)
    near = (above + above / (above + 1.0)) * 0.5
    return with_sign_of((size < _EXPONENTIAL_ONLY).where(near, _half_exp(size)), x)


@lowers_formula(ew.cosh)
def cosh(x: Term) -> Term:
    """Half the sum of both exponentials."""
    if _native("Cosh", x):
        return x.function("Cosh")
    size = abs(x)
    power = size.function("Exp")
    near = (power + 1.0 / power) * 0.5
    return (size < _EXPONENTIAL_ONLY).where(near, _half_exp(size))


@lowers_formula(ew.arcsinh)
def arcsinh(x: Term) -> Term:
    """From log1p; a plain logarithm where squares would overflow."""
    if _native("Asinh", x):
        return x.function("Asinh")
    size = abs(x)
    square = size * size
    near = log1p(size + square / ((square + 1.0).function("Sqrt") + 1.0))
    return with_sign_of((size < _LOGARITHM_ONLY).where(near, _log_of_double(size)), x)


@lowers_formula(ew.arccosh)
def arccosh(x: Term) -> Term:
    """From log1p of the distance to 1, which is exact."""
    if _native("Acosh", x):
        return x.function("Acosh")
    above = x - 1.0
    near = log1p(above + (above * 2.0 + above * above).function("Sqrt"))
    near = (x < 1.0).where(math.nan, near)
    return (x < _LOGARITHM_ONLY).where(near, _log_of_double(x))


def _log_of_double(x: Term) -> Term:
    return x.function("Log") + math.log(2.0)


@lowers_formula(ew.arctanh)
def arctanh(x: Term) -> Term:
    """Half of ``log1p(2*x/(1 - x))``."""
    if _native("Atanh", x):
        return x.function("Atanh")
    size = abs(x)
    return with_sign_of(log1p(size * 2.0 / (1.0 - size)) * 0.5, x)
