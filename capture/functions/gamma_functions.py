"""Gamma functions of real numbers: of moderate size by shifts, beyond by Stirling's series."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from capture.functions.special_functions import horner

_LOG_MIDDLE = (
    -2.7690449962460076e-09,
    4.895547996666177e-09,
    1.1410876794196483e-08,
    -1.8914880762839245e-08,
    -3.4000900914160417e-08,
    5.56900565558137e-08,
    3.415478861046221e-08,
    -4.7044028326599927e-08,
    -9.747685584996339e-08,
    1.650264591643166e-07,
    -1.4589471613129093e-07,
    3.054189675204041e-07,
    -7.124670253724189e-07,
    1.3821292106446805e-06,
    -2.659544551729333e-06,
    5.247856467728795e-06,
    -1.0402662239495317e-05,
    2.0672799717862195e-05,
    -4.1293830632439904e-05,
    8.299851973120186e-05,
    -0.0001680526078696555,
    0.0003433590659763355,
    -0.0007096266366983168,
    0.0014887756297837906,
    -0.003187960055724473,
    0.0070294409699968845,
    -0.016208382218219474,
    0.04025612320001851,
    -0.11513161737597971,
    0.46580963736232694,
)
"""Expansion of ``gammaln(x) / (x - 1) / (x - 2)`` in ``(x - 1.625) / 0.875``."""

_PSI_MIDDLE = (
    2.918622732168261e-11,
    -8.50550766013261e-11,
    8.734528429142953e-11,
    -2.7580994814377e-10,
    1.2469984616707403e-09,
    -3.7083753242807277e-09,
    1.0527692435026686e-08,
    -3.162911147408454e-08,
    9.543298288278275e-08,
    -2.863161166883193e-07,
    8.589060721930695e-07,
    -2.578093954045772e-06,
    7.741234508636364e-06,
    -2.3258242519113285e-05,
    6.995018825112794e-05,
    -0.00021074841138175561,
    0.0006368880303865817,
    -0.0019350666648613071,
    0.005936795278301761,
    -0.018550615381735008,
    0.06013562106019684,
    -0.2118137106407303,
    0.9510558760318328,
)
"""Expansion of ``psi(x) / (x - root)`` in ``2 * x - 3``."""

_PSI_ROOT, _PSI_ROOT_REST = 1.4616321449683622, 9.549995429965697e-17
"""The positive root of ``psi``, in two parts: a quotient near it keeps all digits."""

_STIRLING = (
    -3617 / 122400,
    1 / 156,
    -691 / 360360,
    1 / 1188,
    -1 / 1680,
    1 / 1260,
    -1 / 360,
    1 / 12,
)
"""Coefficients of 1/x, 1/x**3 … in Stirling's series, the highest power first."""

_PSI_SERIES = (
    43867 / 14364,
    -3617 / 8160,
    1 / 12,
    -691 / 32760,
    1 / 132,
    -1 / 240,
    1 / 252,
    -1 / 120,
    1 / 12,
)
"""Coefficients of 1/x**2, 1/x**4 … in the series of ``psi``, the highest power first."""

_TINY = 1e-300
"""Below it ``gamma`` is the reciprocal, and the products of its reflection would underflow."""


def _sine_of_pi(x: Any) -> Any:
    """Return ``sin(pi * x)``, exactly 0 at whole numbers."""
    whole = np.rint(x)
    sine = np.sin((x - whole) * math.pi)
    return np.where(np.mod(whole, 2) == 0, sine, -sine)


def _rising(x: Any, count: int) -> Any:
    """Return ``x * (x + 1) * …`` of ``count`` factors."""
    result = x
    for step in range(1, count):
        result = result * (x + step)
    return result


def _correction(x: Any) -> Any:
    """Return what Stirling's formula for the logarithm lacks, for x from 8."""
    inverse = 1 / x
    return horner(np.square(inverse), _STIRLING) * inverse


def _gamma_of_positive(x: Any) -> Any:
    small = x < 8
    large = np.minimum(np.where(small, x + 8, x), 172)  # there it is infinite already
    # half the power at a time: the whole one overflows before the product does
    power = np.power(large, large * 0.5)
    stirling = np.sqrt(2 * math.pi / large) * (power * np.exp(-large)) * power
    result = stirling * np.exp(_correction(large))
    return np.where(small, result / _rising(np.where(small, x, 1), 8), result)


def gamma(x: Any) -> Any:
    """Return the gamma function of float64, to about 1e-14."""
    size = np.abs(x)
    value = _gamma_of_positive(size)
    sine = _sine_of_pi(x)
    reflected = np.where(sine == 0, np.nan, -math.pi / (x * value * sine))
    return np.where(size < _TINY, 1 / x, np.where(x < 0, reflected, value))


def rgamma(x: Any) -> Any:
    """Return ``1 / gamma(x)`` of float64, 0 at the poles."""
    value = _gamma_of_positive(np.abs(x))
    sine = _sine_of_pi(x)
    poles = (sine == 0) | np.isinf(x)
    reflected = np.where(poles, 0, x * value * sine * (-1 / math.pi))
    return np.where(np.abs(x) < _TINY, x, np.where(x < 0, reflected, 1 / value))


def _log_gamma_of_positive(x: Any) -> Any:
    near_zero = x < 0.75
    middle = np.where(near_zero, x + 1, x)
    near = (middle - 1) * (middle - 2) * horner((middle - 1.625) / 0.875, _LOG_MIDDLE)
    near = near + np.where(near_zero, -np.log(x), 0)  # -0.0 + 0 is SciPy's 0.0 at 1
    small = x < 8
    large = np.where(small, x + 6, x)
    far = (large - 0.5) * (np.log(large) - 1) + (math.log(2 * math.pi) - 1) / 2
    passed = np.where(small, np.log(_rising(np.where(small, x, 1), 6)), 0)
    far = far + _correction(large) - passed
    return np.where(x < 2.5, near, far)


def gammaln(x: Any) -> Any:
    """Return the logarithm of ``abs(gamma(x))`` of float64."""
    size = np.abs(x)
    value = _log_gamma_of_positive(size)
    reflected = math.log(math.pi) - np.log(size * np.abs(_sine_of_pi(x))) - value
    result = np.where(x < 0, reflected, value)
    return np.where(size < 1e-17, -np.log(size), np.where(np.isinf(x), x, result))


def loggamma(x: Any) -> Any:
    """Return the logarithm of ``gamma(x)`` of float64, NaN for negative numbers."""
    return np.where(x < 0, np.nan, gammaln(x))


def psi(x: Any) -> Any:
    """Return the digamma function of float64."""
    size = np.abs(x)
    near_zero = size < 1
    middle = np.where(near_zero, size + 1, size)
    from_root = middle - _PSI_ROOT - _PSI_ROOT_REST
    near = from_root * horner(middle * 2 - 3, _PSI_MIDDLE) - np.where(near_zero, 1 / size, 0)
    small = size < 8
    base, large = np.where(small, size, 1), np.where(small, size + 6, size)
    inverse = np.square(1 / large)
    far = np.log(large) - 0.5 / large - horner(inverse, _PSI_SERIES) * inverse
    passed = sum(1 / (base + step) for step in range(1, 6)) + 1 / base
    far = far - np.where(small, passed, 0)
    value = np.where(size < 2, near, far)
    distance = x - np.rint(x)
    reflected = value + 1 / size - math.pi / np.tan(distance * math.pi)
    reflected = np.where(distance == 0, np.nan, reflected)
    return np.where(size < _TINY, -1 / x, np.where(x < 0, reflected, value))
