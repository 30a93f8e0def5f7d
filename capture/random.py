"""Random draws: recorded on a capture device, eager and seedable on a NumPy device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.active import current_recorder
from capture.coerce import find_recorder, lift
from capture.device import CaptureDevice, NumpyDevice
from capture.errors import ScopeError
from capture.functions.shaping import as_shape
from capture.location import here
from capture.tensor import Tensor
from capture.views import Owned
from ir.ops.random import Bernoulli, RandomIntegers, RandomNormal, RandomUniform
from ir.types import supported_dtype

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from ir.ops import Op

Device = CaptureDevice | NumpyDevice | None

_EAGER = NumpyDevice()


def _recorder(operation: str, device: Device, *values: Any) -> Recorder | None:
    """Return where to record; ``None`` means draw now.

    Raises:
        ScopeError: A capture device without an active scope.
    """
    if isinstance(device, NumpyDevice):
        return None
    if isinstance(device, CaptureDevice):
        return device.active_scope._recorder
    found = find_recorder(*values) or current_recorder()
    if found is not None and found.closed:
        raise ScopeError(f"{operation}: the scope {found.closed}{here(2)}")
    return found


def _recorded(recorder: Recorder, op: Op) -> Any:
    result = recorder.apply(op)
    if not result.ndim:
        result._state = Owned()
    return result


def _eager(device: Device) -> np.random.Generator:
    return (device if isinstance(device, NumpyDevice) else _EAGER).generator


def uniform(
    low: float = 0.0,
    high: float = 1.0,
    size: Any = (),
    *,
    dtype: Any = np.float64,
    device: Device = None,
) -> Any:
    """Draw from the uniform distribution on ``[low, high)``.

    Args:
        low: Lower end.
        high: Upper end.
        size: Shape of the result; sizes may be symbolic.
        dtype: float16, float32 or float64.
        device: A :class:`NumpyDevice` draws now; a capture device records; left out, the scope
            that is open, else NumPy.

    Raises:
        ScopeError: The capture device has no active scope.
        DTypeError: The dtype is not drawn.
    """
    recorder = _recorder("random.uniform", device, size)
    if recorder is None:
        return np.asarray(_eager(device).uniform(low, high, size)).astype(dtype)
    op = RandomUniform(as_shape(size), supported_dtype(dtype), float(low), float(high))
    return _recorded(recorder, op)


def normal(
    loc: float = 0.0,
    scale: float = 1.0,
    size: Any = (),
    *,
    dtype: Any = np.float64,
    device: Device = None,
) -> Any:
    """Draw from the normal distribution.

    Args:
        loc: Mean.
        scale: Standard deviation.
        size: Shape of the result; sizes may be symbolic.
        dtype: float16, float32 or float64.
        device: As for :func:`uniform`.

    Raises:
        ScopeError: The capture device has no active scope.
        DTypeError: The dtype is not drawn.
    """
    recorder = _recorder("random.normal", device, size)
    if recorder is None:
        return np.asarray(_eager(device).normal(loc, scale, size)).astype(dtype)
    op = RandomNormal(as_shape(size), supported_dtype(dtype), float(loc), float(scale))
    return _recorded(recorder, op)


def integers(low: int, high: int, size: Any = (), *, device: Device = None) -> Any:
    """Draw int64 uniformly from ``[low, high)``.

    Args:
        low: Smallest value.
        high: One more than the largest.
        size: Shape of the result; sizes may be symbolic.
        device: As for :func:`uniform`.

    Raises:
        ScopeError: The capture device has no active scope.
        ValueError: The range is empty.
    """
    if not low < high:
        raise ValueError(f"random.integers: low {low} must be below high {high}")
    recorder = _recorder("random.integers", device, size)
    if recorder is None:
        return np.asarray(_eager(device).integers(low, high, size))
    return _recorded(recorder, RandomIntegers(as_shape(size), int(low), int(high)))


def bernoulli(p: Any = 0.5, size: Any = None, *, device: Device = None) -> Any:
    """Draw bools that are true with probability ``p``.

    Args:
        p: Probability, a number or an array (captured or not).
        size: Shape of the result; that of ``p`` when left out.
        device: As for :func:`uniform`.

    Raises:
        ScopeError: The capture device has no active scope.
    """
    recorder = _recorder("random.bernoulli", device, p, size)
    if recorder is None:
        chances = np.asarray(p) if size is None else np.broadcast_to(p, size)
        return np.asarray(_eager(device).random(chances.shape) < chances)
    chance: Any = lift(recorder, p, None if type(p) is Tensor else np.float32)
    if size is not None:
        chance = np.broadcast_to(chance, size)
    return recorder.apply(Bernoulli(), chance)
