"""How what a model gives differs from NumPy, given how well NumPy's own values are determined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Array = np.ndarray[Any, Any]

_RELATIVE = {"f2": 4e-3, "f4": 2e-5, "f8": 1e-9}
_LARGEST_SCALE = 1e3
_SPREADS = 30
_SHAKES = 4


def shaken(function: Callable[[Array], Sequence[Array]], array: Array) -> list[list[Array]]:
    """Return results for arrays that differ in the last places, which tell how far to trust them.

    Zeros, infinities and NaN stay what they are.
    """
    if array.dtype.kind != "f":
        return [[np.asarray(result) for result in function(array)]]
    rng, eps = np.random.default_rng(1), 4 * np.finfo(array.dtype).eps
    found = []
    for _ in range(_SHAKES):
        factors = 1 + eps * rng.standard_normal(array.shape)
        found.append([np.asarray(r) for r in function((array * factors).astype(array.dtype))])
    return found


def tolerance(*arrays: Array) -> float:
    """Return the relative tolerance of the shortest floats among arrays."""
    return max((_RELATIVE[a.dtype.str[1:]] for a in arrays if a.dtype.kind == "f"), default=0)


def difference(
    got: Array, want: Array, near: Sequence[Array], relative: float, exact: bool
) -> str | None:
    """Return where a result is not NumPy's, or ``None``.

    Args:
        got: What a model gave.
        want: What NumPy gives.
        near: What it gives for inputs next to it; what these do not agree on is not compared.
        relative: How far from NumPy a float may be.
        exact: Whether signs of zeros and digits of what is small beside 1 count.
    """
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"got {got.dtype}{got.shape}, want {want.dtype}{want.shape}"
    g, w = (array.astype(np.float64) for array in (got, want))
    others = [array.astype(np.float64) for array in near if array.shape == want.shape]
    finite = np.isfinite(w)
    stable, spread = np.full(w.shape, len(others) == len(near)), np.zeros(w.shape)
    zero = (w == 0) & (g == 0) & (np.signbit(w) != np.signbit(g))
    for other in others:
        stable &= (np.isfinite(other) == finite) & (np.isnan(other) == np.isnan(w))
        stable &= finite | (other == w) | np.isnan(w)
        zero &= (other == 0) & (np.signbit(other) == np.signbit(w))
        away = np.abs(other - w)
        spread = np.maximum(spread, np.where(np.isfinite(away), away, 0))
    if want.dtype.kind != "f":
        wrong = stable & (spread == 0) & (g != w)
    else:
        scale = min(np.max(np.abs(w[finite]), initial=0 if exact else 1), _LARGEST_SCALE)
        limit = relative * (np.abs(w) + scale / 5) + _SPREADS * spread
        same = np.where(finite, np.abs(g - w) <= limit, (g == w) | (np.isnan(g) & np.isnan(w)))
        wrong = stable & (~same | (zero & exact))
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    return (
        f"{wrong.sum()} of {wrong.size}, at {place}: got {got[place]!r}, want {want[place]!r}"
    )
