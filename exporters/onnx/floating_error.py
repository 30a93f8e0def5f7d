"""The error function and its complement where the runtime has none of the dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx.legality import FLOAT32, FLOAT64
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.signs import with_sign_of
from ir.ops import special

if TYPE_CHECKING:
    from collections.abc import Iterable

    from exporters.onnx.term import Term

_NEAR = (
    -4.2320376764874594e-12,
    8.709755232851789e-11,
    -1.2164764337224506e-09,
    1.479243542696247e-08,
    -1.6364645854816389e-07,
    1.6462045711013026e-06,
    -1.4925647581008593e-05,
    0.00012055332903350668,
    -0.0008548327021945428,
    0.005223977625423455,
    -0.026866170645129854,
    0.1128379167095512,
    -0.37612638903183754,
    1.1283791670955126,
)
"""Chebyshev expansion of ``erf(x) / x`` in ``x * x`` for x in [0, 1], as powers."""

_TAIL = (
    1.1538725057793455e-10,
    -4.995575416438566e-10,
    -1.6431253771025e-09,
    5.388011891001858e-09,
    1.4296014049928123e-08,
    -3.631542194344486e-08,
    -1.0493635393160395e-07,
    2.390325677133007e-07,
    7.23761472618713e-07,
    -1.9124949506893315e-06,
    -4.577221723537904e-06,
    1.8862792129959875e-05,
    1.7479093458383227e-05,
    -0.00019788749340760744,
    0.000247403766795792,
    0.0013920612341257951,
    -0.008073603938415224,
    0.022801799600130394,
    -0.041806510665012064,
    0.04665458534669407,
    -0.003496013513368307,
    -0.12216847723549165,
    1.2329951186255526,
)
"""Chebyshev expansion of ``exp(x * x) * erfc(x) * (1 + 2 * x)`` from 0.5 on, as powers of a
variable that maps x to [-1, 1]."""


def _horner(x: Term, coefficients: Iterable[float]) -> Term:
    first, second, *rest = coefficients
    result = x * first + second
    for coefficient in rest:
        result = result * x + coefficient
    return result


def _near(x: Term) -> Term:
    """Return erf of float64 in [-1, 1]."""
    return x * _horner(x * x, _NEAR)


def _tail(size: Term) -> Term:
    """Return erfc of float64 from 0.5 on.

    The square is split, so that its rounding does not enter the exponential.
    """
    size = size.minimum(30.0)
    coarse = (size * 16.0).function("Floor") * 0.0625
    power = (-coarse * coarse).function("Exp")
    power = power * ((coarse - size) * (coarse + size)).function("Exp")
    place = (1.0 - 6.0 / (size + 3.0)) * (7.0 / 6.0) - 1.0 / 6.0
    return power * _horner(place, _TAIL) / (size * 2.0 + 1.0)


@lowers(special.erf)
def erf(context: Context, x: Term) -> Term:
    """ONNX ``Erf``, NaN apart; by two expansions in float64, which the runtime lacks."""
    legality = context.emitter.legality
    if legality.runs("Erf", x.dtype) or x.dtype != FLOAT64:
        found = x.function("Erf")
        return x.is_nan().where(x, found) if legality.faulty("Erf:NaN", FLOAT32) else found
    size = abs(x)
    magnitude = (size < 1.0).where(_near(size), 1.0 - _tail(size.maximum(0.5)))
    return with_sign_of(magnitude, x)


@lowers(special.erfc)
def erfc(context: Context, x: Term) -> Term:
    """Without cancellation, in float64 and rounded once."""
    wide = x.to(FLOAT64)
    size = abs(wide)
    tail = _tail(size.maximum(0.5))
    far = (wide < 0.0).where(2.0 - tail, tail)
    return (size < 0.5).where(1.0 - _near(wide), far).to(x.dtype)
