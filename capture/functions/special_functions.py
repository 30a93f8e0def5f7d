"""``sinc`` and the modified Bessel functions ``i0`` and ``i1``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.functions.arguments import as_array, as_tensor
from capture.functions.registry import implements

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEAR = (
    -1.1852342482684723e-09,
    4.470516727511741e-09,
    -7.723094556846333e-09,
    2.6265363151970112e-08,
    -1.1384114641747256e-07,
    3.675842926555429e-07,
    -1.0883393970072518e-06,
    3.2293390826404927e-06,
    -9.251680584432654e-06,
    2.520232727107692e-05,
    -6.550861389620851e-05,
    0.00016240542162878106,
    -0.00038290209550065975,
    0.0008563152748272306,
    -0.001811886793937724,
    0.003617126448897043,
    -0.0067923998730731695,
    0.011960077907026221,
    -0.01968265469059234,
    0.030177912022978357,
    -0.04298594945479612,
    0.05677703201991695,
    -0.06954119561719381,
    0.07927522590716347,
    -0.08496338091616305,
    0.08734341617552313,
    -0.08904344136075962,
    0.09451562853995103,
    -0.11300432688620549,
    0.2070019212239867,
)
"""Chebyshev expansion of ``exp(-x) * i0(x)`` in ``x / 4 - 1`` for x in [0, 8], as powers."""

_FAR = (
    -6.067631570603006e-11,
    -2.0260604287413626e-11,
    4.577087631643623e-10,
    1.5279202694981569e-10,
    -1.618980683624682e-09,
    -5.715843864202709e-10,
    3.6379546359011143e-09,
    1.5200816953924232e-09,
    -5.95356943826489e-09,
    -3.505966530879332e-09,
    7.430464650325426e-09,
    7.552583062123384e-09,
    -5.404771567579958e-09,
    -1.340891754008974e-08,
    -6.747657956107524e-09,
    7.554691881248808e-09,
    2.1548377974791598e-08,
    3.932584334552952e-08,
    8.872219737904054e-08,
    2.9735985885673923e-07,
    1.4838475658279249e-06,
    1.1143033790932038e-05,
    0.0001362160743919305,
    0.0033605519836678614,
    0.4021765094450081,
)
"""Chebyshev expansion of ``exp(-x) * sqrt(x) * i0(x)`` in ``16 / x - 1`` from 8, as powers."""

_I1_NEAR = (
    3.7284532079392345e-10,
    -1.41695079121077e-09,
    2.603206542331157e-09,
    -8.984420960424589e-09,
    3.802984785138283e-08,
    -1.2424759932738304e-07,
    3.759367306404118e-07,
    -1.1327072698408053e-06,
    3.293899139003749e-06,
    -9.136543922789093e-06,
    2.4233753149624307e-05,
    -6.142360299099794e-05,
    0.0001484212433475852,
    -0.0003411760289073331,
    0.0007445123445061157,
    -0.00153887456203039,
    0.0030057624197775295,
    -0.005534567847563678,
    0.009583962150731578,
    -0.015571309243980052,
    0.023686016957729535,
    -0.03367135552108536,
    0.04467457262125467,
    -0.055280039226991644,
    0.06376740371340721,
    -0.06848260620582691,
    0.0680575999095116,
    -0.061124338029666284,
    0.044687709875608835,
)
"""Expansion of ``exp(-x) * i1(x) / x`` in ``x / 4 - 1`` for x in [0, 8]."""

_I1_FAR = (
    6.305965197150056e-11,
    1.8515118828852956e-11,
    -4.758818838703853e-10,
    -1.4011625179770627e-10,
    1.6848984479705146e-09,
    5.295625441161261e-10,
    -3.794670896208339e-09,
    -1.4387250533041013e-09,
    6.242741219786445e-09,
    3.4262341490077958e-09,
    -7.888351507862078e-09,
    -7.64239413436356e-09,
    5.974437608040264e-09,
    1.4034238782067183e-08,
    6.734464815301592e-09,
    -8.427766093735185e-09,
    -2.337392820814264e-08,
    -4.312917729178349e-08,
    -1.0001288294864884e-07,
    -3.483855761044295e-07,
    -1.8349101326980946e-06,
    -1.5038547200567216e-05,
    -0.00021923576383388928,
    -0.009749577193235737,
    0.38939845902587233,
)
"""Expansion of ``exp(-x) * sqrt(x) * i1(x)`` in ``16 / x - 1`` from 8."""


def horner(x: Any, coefficients: Iterable[float]) -> Any:
    """Return a polynomial in ``x``, the highest power's coefficient first."""
    first, second, *rest = coefficients
    result = x * first + second
    for coefficient in rest:
        result = result * x + coefficient
    return result


def scaled_i0(x: Any) -> Any:
    """Return ``exp(-x) * i0(x)`` of non-negative floats, accurate to a few ulp."""
    near = horner(x / 4 - 1, _NEAR)
    far = horner(16 / x - 1, _FAR) / np.sqrt(x)
    return np.where(x <= 8, near, far)


def scaled_i1(x: Any) -> Any:
    """Return ``exp(-abs(x)) * i1(x)`` of floats, accurate to a few ulp."""
    size = np.abs(x)
    near = horner(size / 4 - 1, _I1_NEAR) * size
    far = horner(16 / size - 1, _I1_FAR) / np.sqrt(size)
    value = np.where(size <= 8, near, far)
    return np.where(x < 0, -value, value)


@implements(np.i0)
def i0(x: Any) -> Any:
    """``numpy.i0``: in the operand's own float dtype; integers as float64."""
    size = as_tensor("i0", x)
    size = np.abs(size if size.dtype.kind == "f" else size.astype(np.float64))  # type: ignore[assignment]
    return as_array("i0", np.exp(size) * scaled_i0(size))


@implements(np.sinc)
def sinc(x: Any) -> Any:
    """``numpy.sinc``."""
    angle = np.pi * as_tensor("sinc", x)
    tiny = np.finfo(angle.dtype).eps if angle.dtype.kind == "f" else 1e-20
    nonzero = np.where(angle, angle, tiny)
    return np.sin(nonzero) / nonzero
