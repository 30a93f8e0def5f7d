"""SciPy's special functions, recognised by name; SciPy itself is never imported."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast
from capture.functions import error_functions, gamma_functions
from capture.functions.softmax import SCIPY_FUNCTIONS
from capture.functions.special_functions import scaled_i0, scaled_i1

if TYPE_CHECKING:
    from collections.abc import Callable


def _expit(x: Any) -> Any:
    power = np.exp(-np.abs(x))  # never overflows, and keeps what is left of small results
    return np.where(x >= 0, 1 / (1 + power), power / (1 + power))


def _logit(x: Any) -> Any:
    middle = (x - 0.5) * 2  # exact near 0.5, where the quotient would cancel
    near = np.log1p(middle) - np.log1p(-middle)
    return np.where((x > 0.3) & (x < 0.65), near, np.log(x / (1 - x)))


def _log_expit(x: Any) -> Any:
    rest = np.log1p(np.exp(-np.abs(x)))
    return np.where(x < 0, x - rest, -rest)


def _times_log(x: Any, log: Any, y: Any) -> Any:
    return np.where((x == 0) & ~np.isnan(y), 0, x * log)


def _xlogy(x: Any, y: Any) -> Any:
    return _times_log(x, np.log(y), y)


def _xlog1py(x: Any, y: Any) -> Any:
    return _times_log(x, np.log1p(y), y)


def _entr(x: Any) -> Any:
    return np.where(x > 0, -x * np.log(x), np.where(x == 0, 0, np.where(x < 0, -np.inf, x)))


def _divergence(x: Any, y: Any, positive: Any, at_zero: Any) -> Any:
    value = np.where((x > 0) & (y > 0), positive, np.inf)
    value = np.where((x == 0) & (y >= 0), at_zero, value)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, value)


def _rel_entr(x: Any, y: Any) -> Any:
    return _divergence(x, y, x * np.log(x / y), 0)


def _kl_div(x: Any, y: Any) -> Any:
    return _divergence(x, y, x * np.log(x / y) - x + y, y)


def _exprel(x: Any) -> Any:
    small = np.abs(x) < np.finfo(x.dtype).eps
    return np.where(small, 1, np.where(np.isposinf(x), x, np.expm1(x) / np.where(small, 1, x)))


def _cosm1(x: Any) -> Any:
    return 0 - np.square(np.sin(x / 2)) * 2


def _boxcox(x: Any, power: Any) -> Any:
    log = np.log(x)
    nothing = np.abs(power) < 1e-19
    return np.where(nothing, log, np.expm1(power * log) / np.where(nothing, 1, power))


def _boxcox1p(x: Any, power: Any) -> Any:
    log = np.log1p(x)
    nothing = np.abs(power) < 1e-19
    return np.where(nothing, log, np.expm1(power * log) / np.where(nothing, 1, power))


def _inv_boxcox(x: Any, power: Any) -> Any:
    nothing = power == 0
    return np.where(
        nothing, np.exp(x), np.exp(np.log1p(power * x) / np.where(nothing, 1, power))
    )


def _inv_boxcox1p(x: Any, power: Any) -> Any:
    nothing = power == 0
    value = np.expm1(np.log1p(power * x) / np.where(nothing, 1, power))
    return np.where(nothing, np.expm1(x), value)


def _huber(delta: Any, r: Any) -> Any:
    size = np.abs(r)
    value = np.where(size <= delta, np.square(r) * 0.5, delta * (size - delta * 0.5))
    return np.where(delta < 0, np.inf, value)


def _pseudo_huber(delta: Any, r: Any) -> Any:
    nothing = (delta == 0) | (r == 0)
    ratio = r / np.where(nothing, 1, delta)
    root = np.sqrt(np.square(ratio) + 1)
    value = np.square(delta) * (np.square(ratio) / (root + 1))  # root - 1 without cancellation
    return np.where(delta < 0, np.inf, np.where(nothing, 0, value))


def _i0(x: Any) -> Any:
    size = np.abs(x)
    return np.exp(size) * scaled_i0(size)


def _i1(x: Any) -> Any:
    return np.exp(np.abs(x)) * scaled_i1(x)


def _in_double(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Return a formula whose parts lose digits or overflow: rounded once, at the end."""
    return lambda *xs: formula(*(cast(x, np.float64) for x in xs))


_FORMULAS: dict[str, Callable[..., Any]] = {
    "boxcox": _in_double(_boxcox),
    "boxcox1p": _in_double(_boxcox1p),
    "cbrt": np.cbrt,
    "cosm1": _cosm1,
    "entr": _entr,
    "erf": error_functions.erf,
    "erfc": error_functions.erfc,
    "erfcinv": _in_double(error_functions.erfcinv),
    "erfcx": _in_double(error_functions.erfcx),
    "erfinv": _in_double(error_functions.erfinv),
    "exp10": lambda x: np.power(10.0, x),
    "exp2": np.exp2,
    "expit": _expit,
    "expm1": np.expm1,
    "exprel": _in_double(_exprel),
    "gamma": _in_double(gamma_functions.gamma),
    "gammaln": _in_double(gamma_functions.gammaln),
    "huber": _huber,
    "i0": _in_double(_i0),
    "i0e": lambda x: scaled_i0(np.abs(x)),
    "i1": _in_double(_i1),
    "i1e": scaled_i1,
    "inv_boxcox": _in_double(_inv_boxcox),
    "inv_boxcox1p": _in_double(_inv_boxcox1p),
    "kl_div": _in_double(_kl_div),
    "log1p": np.log1p,
    "log_expit": _log_expit,
    "log_ndtr": _in_double(error_functions.log_ndtr),
    "loggamma": _in_double(gamma_functions.loggamma),
    "logit": _logit,
    "ndtr": _in_double(error_functions.ndtr),
    "ndtri": _in_double(error_functions.ndtri),
    "pseudo_huber": _pseudo_huber,
    "psi": _in_double(gamma_functions.psi),
    "rel_entr": _in_double(_rel_entr),
    "rgamma": _in_double(gamma_functions.rgamma),
    "xlog1py": _xlog1py,
    "xlogy": _xlogy,
}
"""Formulas by SciPy's name, of floats of one dtype."""


def ufunc_name(ufunc: np.ufunc) -> str:
    """Return ``np.exp`` or ``scipy.special.expit``."""
    ours = _is_scipys(ufunc) and getattr(np, ufunc.__name__, None) is not ufunc
    return f"scipy.special.{ufunc.__name__}" if ours else f"np.{ufunc.__name__}"


def scipy_names() -> dict[str, str]:
    """Return the full name of every function with a captured form, by the name alone."""
    names = (*_FORMULAS, *SCIPY_FUNCTIONS, "digamma")  # that one calls itself psi
    return {name: f"scipy.special.{name}" for name in names}


def _is_scipys(ufunc: np.ufunc) -> bool:
    module = sys.modules.get("scipy.special")
    return module is not None and getattr(module, ufunc.__name__, None) is ufunc


@lru_cache(maxsize=512)
def scipy_formula(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """Return the formula of a ufunc that ``scipy.special`` has under its name."""
    return _FORMULAS.get(ufunc.__name__) if _is_scipys(ufunc) else None
