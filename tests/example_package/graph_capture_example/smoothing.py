"""A function that loops over numbers, and the form in which it is captured."""

from __future__ import annotations

from typing import Any

import numpy as np

import capture


@capture.dispatched
def smooth(x: Any, weight: float = 0.5) -> Any:
    """Mix each element with the one before it."""
    mixed = [float(x[0])]
    for before, here in zip(x[:-1].tolist(), x[1:].tolist(), strict=True):
        mixed.append(weight * before + (1 - weight) * here)
    return np.array(mixed, x.dtype)


@capture.implements(smooth)
def _smooth(x: Any, weight: float = 0.5) -> Any:
    return np.concatenate([x[:1], weight * x[:-1] + (1 - weight) * x[1:]])
