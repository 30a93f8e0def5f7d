"""Error functions and the normal distribution: scaled, logarithmic and inverse forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from capture.functions.special_functions import horner
from ir.ops import special

_SCALED = (
    4.2514714447963895e-10,
    3.1114333809799254e-10,
    -5.1739902140113095e-09,
    -3.744210080962018e-09,
    3.8675334242222354e-08,
    2.3263508708859124e-08,
    -2.5866850716155884e-07,
    -5.7218230603224086e-08,
    1.751637648849062e-06,
    -9.73559896736775e-07,
    -1.1444146237700524e-05,
    2.238423915508223e-05,
    5.164909889268241e-05,
    -0.0002901540805408417,
    0.0002937136655913448,
    0.0017556258528952954,
    -0.009746579558029276,
    0.028362277418956406,
    -0.05869339858963677,
    0.09230432116037748,
    -0.10880393014174886,
    0.0822767384901452,
    0.0035854154854644293,
    -0.14024059858554697,
    1.2375126308378275,
)
"""Expansion of ``(1 + 2 * x) * erfcx(x)`` in ``(x - 3.75) / (x + 3.75)`` for x from 0."""

_NEAR = (
    -2.5466157998892667e-10,
    7.680990475576525e-10,
    1.4461050507676023e-09,
    -8.557984074479201e-09,
    5.039596477958063e-09,
    3.9142671001331085e-08,
    -9.905042307855316e-08,
    -1.0167881522843899e-08,
    5.397895417173957e-07,
    -1.059336931327948e-06,
    -6.839448584111029e-07,
    7.1300663740767115e-06,
    -1.12572237422896e-05,
    -1.5027713926607673e-05,
    9.336736525855553e-05,
    -0.00011688883906368398,
    -0.00026439366376450275,
    0.001232485568550093,
    -0.001271692268923054,
    -0.004137314377403391,
    0.017808361818321756,
    -0.022604447453450232,
    -0.05892256710377839,
    0.7504943200799635,
    1.6536545626831027,
)
"""Expansion of ``erfinv(p) / p`` in ``w / 3.125 - 1`` where ``w = -log(1 - p * p)`` is to 6.25."""

_MIDDLE = (
    2.2633329964520285e-10,
    -7.514284210832406e-10,
    -1.2376985490060937e-10,
    5.347818150200701e-09,
    -1.553471540912653e-08,
    1.805789229048503e-08,
    4.381453211118409e-08,
    -2.6894071905729366e-07,
    5.774561520477973e-07,
    -1.498629583269335e-07,
    -2.8669592783252883e-06,
    9.40990696197223e-06,
    -1.3385618677501734e-05,
    -5.4820677585479496e-06,
    7.842383559137187e-05,
    -0.00022508928742688973,
    0.00043077122999420075,
    -0.0006798558569139953,
    0.001093456383789744,
    -0.002063175087707539,
    0.0032768662191013515,
    1.0073688127440552,
    3.3354857170835537,
)
"""The same in ``sqrt(w) - 3.5`` from 2.5 to 4.5."""

_FAR = (
    -5.781035268435295e-10,
    1.8233539863200903e-09,
    -6.436068995003212e-10,
    -2.852182993116102e-09,
    1.0673476389816464e-09,
    4.540062013549912e-09,
    -2.9390911958197754e-09,
    -1.968284111395245e-09,
    -1.6095666085047708e-09,
    1.294713619513445e-08,
    -3.636490288255956e-08,
    1.0867008792159168e-07,
    -3.3169103114495874e-07,
    9.880925823498088e-07,
    -2.8674831006526026e-06,
    8.069610353852007e-06,
    -2.1784423259628782e-05,
    5.522494679479376e-05,
    -0.00012511541809067425,
    0.00021542347219217432,
    -1.0119456770101896e-05,
    -0.002606300870911167,
    2.2699186085056984,
    6.616838632768759,
)
"""The same in ``(sqrt(w) - 6.75) / 2.25`` from 4.5 to 9."""

_TAIL = (
    8.970192498320037e-12,
    -1.929721074789303e-11,
    -6.518632875323865e-13,
    -5.487939681898296e-12,
    1.1286455284666471e-10,
    -2.6028621751731273e-10,
    5.238699157202478e-10,
    -1.3428601922386422e-09,
    3.577681237372553e-09,
    -9.570533950146333e-09,
    2.658994481334813e-08,
    -7.770659994525913e-08,
    2.422648711462138e-07,
    -8.248200222810826e-07,
    3.180241467246216e-06,
    -1.5589025028785653e-05,
    0.00012016375334972045,
    -0.0007136334385317051,
    -0.005528383068346654,
    0.9932760699785687,
)
"""The same over ``sqrt(w)``, in ``1 / sqrt(w)`` from 1/28 to 1/9, brought to [-1, 1]."""

_TAIL_MIDDLE, _TAIL_SPAN = (1 / 9 + 1 / 28) / 2, (1 / 9 - 1 / 28) / 2


def erf(x: Any) -> Any:
    """Return the error function."""
    return x._recorder.apply(special.erf, x)


def erfc(x: Any) -> Any:
    """Return ``1 - erf(x)`` without cancellation."""
    return x._recorder.apply(special.erfc, x)


def ndtr(x: Any) -> Any:
    """Return the normal distribution function of float64."""
    return erfc(x * -math.sqrt(0.5)) * 0.5


def _scaled_of_positive(x: Any) -> Any:
    return horner(1 - 7.5 / (x + 3.75), _SCALED) / (x * 2 + 1)


def erfcx(x: Any) -> Any:
    """Return ``exp(x * x) * erfc(x)`` of float64."""
    size = np.abs(x)
    scaled = _scaled_of_positive(size)
    coarse = np.rint(np.minimum(size, 32) * 16) / 16  # its square is exact
    power = np.exp(np.square(coarse)) * np.exp((size - coarse) * (size + coarse))
    return np.where(x < 0, power * 2 - scaled, scaled)


def log_ndtr(x: Any) -> Any:
    """Return the logarithm of the normal distribution function of float64."""
    scaled = _scaled_of_positive(np.abs(x) * math.sqrt(0.5))
    below = np.log(scaled * 0.5) - np.square(x) * 0.5
    return np.where(x < -1, below, np.log1p(-ndtr(-x)))


def _inverse(p: Any, product: Any) -> Any:
    """Return ``erfinv(p)`` of float64 from p and an accurate ``(1 - p) * (1 + p)``."""
    log = -np.log(product)
    root = np.sqrt(log)
    tail = horner((1 / root - _TAIL_MIDDLE) / _TAIL_SPAN, _TAIL) * root
    far = np.where(root < 9, horner((root - 6.75) / 2.25, _FAR), tail)
    far = np.where(root < 4.5, horner(root - 3.5, _MIDDLE), far)
    value = np.where(log < 6.25, horner(log / 3.125 - 1, _NEAR), far) * np.abs(p)
    return np.where(p < 0, -value, value)  # as SciPy, 0.0 at -0.0


def erfinv(x: Any) -> Any:
    """Return the inverse of ``erf`` of float64."""
    return _inverse(x, (1 - x) * (1 + x))


def erfcinv(x: Any) -> Any:
    """Return the inverse of ``erfc`` of float64, accurate for the smallest numbers."""
    return -_inverse(x - 1, x * (2 - x))  # as SciPy, -0.0 at 1


def ndtri(x: Any) -> Any:
    """Return the inverse of the normal distribution function of float64."""
    return _inverse(x * 2 - 1, x * (1 - x) * 4) * math.sqrt(2)
