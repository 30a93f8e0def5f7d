"""Where each of NumPy's thirteen quantile methods looks between sorted elements.

A method is a position among the elements, counted from 0, and for those that interpolate the
weight of the element after it. Everything here is NumPy on whatever comes in: where the number
of elements and the quantiles are numbers, so is the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Formula = Callable[[Any, Any], Any]


class Method(NamedTuple):
    """One method.

    Attributes:
        position: The position among ``n`` elements of quantile ``q``; integers are exact.
        weight: From the fraction and the position, the weight of the next element.
    """

    position: Formula
    weight: Formula | None = None


def _kept(fraction: Any, position: Any) -> Any:
    return fraction


def _between(alpha: float, beta: float) -> Method:
    """Return a method of Hyndman and Fan's continuous family."""
    return Method(lambda n, q: n * q + (alpha + q * (1 - alpha - beta)) - 1, _kept)


def _stepped(shift: float, stays: Formula) -> Method:
    """Return a method that steps to the next element unless ``stays`` holds."""

    def position(n: Any, q: Any) -> Any:
        index = n * q - 1 - shift if shift else n * q - 1
        before = np.floor(index)
        chosen = np.where(stays(index - before, index), before, before + 1)
        return np.maximum(chosen.astype(np.intp), 0)

    return Method(position)


def _rounded(function: Any) -> Method:
    return Method(lambda n, q: function((n - 1) * q).astype(np.intp))


METHODS: dict[str, Method] = {
    "inverted_cdf": _stepped(0, lambda fraction, index: fraction == 0),
    "averaged_inverted_cdf": Method(
        lambda n, q: n * q - 1, lambda fraction, position: np.where(fraction == 0, 0.5, 1.0)
    ),
    "closest_observation": _stepped(
        0.5, lambda fraction, index: (fraction == 0) & (np.floor(index) % 2 == 1)
    ),
    "interpolated_inverted_cdf": _between(0, 1),
    "hazen": _between(0.5, 0.5),
    "weibull": _between(0, 0),
    "linear": Method(lambda n, q: (n - 1) * q, _kept),
    "median_unbiased": _between(1 / 3.0, 1 / 3.0),
    "normal_unbiased": _between(3 / 8.0, 3 / 8.0),
    "lower": _rounded(np.floor),
    "higher": _rounded(np.ceil),
    "midpoint": Method(
        lambda n, q: 0.5 * (np.floor((n - 1) * q) + np.ceil((n - 1) * q)),
        lambda fraction, position: np.where(position % 1 == 0, 0.0, 0.5),
    ),
    "nearest": _rounded(np.around),
}


def method_named(name: str) -> Method:
    """Return a method.

    Raises:
        ValueError: NumPy has none of this name.
    """
    try:
        return METHODS[name]
    except KeyError:
        raise ValueError(
            f"{name!r} is not a valid method. Use one of: {METHODS.keys()}"
        ) from None
