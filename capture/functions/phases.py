"""Phases of real numbers, and the order of frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.fft

from capture.functions.arguments import as_tensor
from capture.functions.registry import implements


@implements(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    """``numpy.angle`` of real numbers: 0 or pi."""
    x = as_tensor("angle", z)
    phase = np.arctan2(0, x)
    return phase * (180 / np.pi) if deg else phase


def _axes(x: Any, axes: Any) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(x.ndim))
    if isinstance(axes, int | np.integer):
        return (int(axes),)
    return tuple(axes)


@implements(np.fft.fftshift)
def fftshift(x: Any, axes: Any = None) -> Any:
    """``numpy.fft.fftshift``."""
    tensor = as_tensor("fftshift", x)
    chosen = _axes(tensor, axes)
    return np.roll(tensor, tuple(tensor.shape[axis] // 2 for axis in chosen), chosen)


@implements(np.fft.ifftshift)
def ifftshift(x: Any, axes: Any = None) -> Any:
    """``numpy.fft.ifftshift``."""
    tensor = as_tensor("ifftshift", x)
    chosen = _axes(tensor, axes)
    return np.roll(tensor, tuple(-(tensor.shape[axis] // 2) for axis in chosen), chosen)
