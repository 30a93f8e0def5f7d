"""Elements in another order along axes: flip, rot90, roll."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import as_array, as_tensor, axis_tuple, single_axis
from capture.functions.positions import counting, gathered, known_value, scalar, window
from capture.functions.registry import implements
from capture.functions.shaping import permuted
from capture.symbolic import as_dim, dim_of
from capture.tensor import Tensor
from capture.views import k_order
from ir.dims import dim_max
from ir.types import INT64, INTEGER

if TYPE_CHECKING:
    from ir.dims import DimLike


@implements(np.flip)
def flip(m: Any, axis: Any = None) -> Any:
    """``numpy.flip``: a view."""
    x = as_tensor("flip", m)
    if isinstance(axis, list):
        raise TypeError("'list' object cannot be interpreted as an integer")
    try:
        axes = axis_tuple(axis, x.ndim)
    except ValueError as error:
        raise (ValueError("repeated axis") if "duplicate" in str(error) else error) from None
    return x[tuple(slice(None, None, -1 if i in axes else 1) for i in range(x.ndim))]


@implements(np.flipud)
def flipud(m: Any) -> Any:
    """``numpy.flipud``."""
    x = as_tensor("flipud", m)
    if not x.ndim:
        raise ValueError("Input must be >= 1-d.")
    return flip(x, 0)


@implements(np.fliplr)
def fliplr(m: Any) -> Any:
    """``numpy.fliplr``."""
    x = as_tensor("fliplr", m)
    if x.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(x, 1)


@implements(np.rot90)
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """``numpy.rot90``: a view, ``k`` quarter turns from the first axis towards the second."""
    x = as_array("rot90", m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == x.ndim:
        raise ValueError("Axes must be different.")
    if any(not -x.ndim <= axis < x.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={x.ndim}.")
    turns = k % 4
    if turns == 0:
        return x[:]
    if turns == 2:
        return flip(x, axes)
    first, second = (single_axis(axis, x.ndim) for axis in axes)
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    if turns == 1:
        return permuted(flip(x, second), order)
    return flip(permuted(x, order), second)


@implements(np.roll)
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """``numpy.roll``: shifts may be symbolic sizes or captured integers."""
    x = as_array("roll", a, shift)
    if axis is None:
        return np.copy(roll(x.ravel(), shift, 0).reshape(x.shape))
    result = x
    for at, amounts in _shifts(x, shift, axis).items():
        result = _rolled(result, amounts, at)
    return Tensor(x._recorder, result._read(), x._type, k_order([x], x._type.shape))


def _shifts(x: Tensor, shift: Any, axis: Any) -> dict[int, list[Any]]:
    """Return the shifts to add up for each axis, broadcasting shifts against axes."""
    axes = list(axis) if isinstance(axis, list | tuple | np.ndarray) else [axis]
    axes = [single_axis(item, x.ndim) for item in axes]
    shift = known_value(x._recorder, shift)
    if type(shift) is Tensor:
        rank = shift.ndim
        listed = list(shift) if rank else [shift]
    elif isinstance(shift, list | tuple):
        rank, listed = 1, list(shift)
    else:
        rank = np.ndim(shift) if as_dim(shift) is None else 0
        listed = np.atleast_1d(shift).tolist() if as_dim(shift) is None else [shift]
    if rank > 1 or any(isinstance(item, list) for item in listed):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    if len(listed) != len(axes) and 1 not in (len(listed), len(axes)):
        raise ValueError(
            "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is "
            f"between arg 0 with shape ({len(listed)},) and arg 1 with shape ({len(axes)},)."
        )
    count = max(len(listed), len(axes)) if listed and axes else 0
    amounts: dict[int, list[Any]] = {}
    for number in range(count):
        at = axes[number if len(axes) > 1 else 0]
        amounts.setdefault(at, []).append(listed[number if len(listed) > 1 else 0])
    return amounts


def _rolled(x: Tensor, amounts: list[Any], axis: int) -> Tensor:
    length = x._type.shape[axis]
    period = dim_max(length, 1)
    if any(type(amount) is Tensor for amount in amounts):
        recorder = x._recorder
        total = scalar(recorder, 0)
        for amount in amounts:
            total = total + _whole(lift(recorder, amount))
        source = (counting(recorder, length) - total) % scalar(recorder, period)
        return gathered(x, source, axis)
    total_shift: DimLike = 0
    for amount in amounts:
        total_shift = total_shift + (int(amount) if as_dim(amount) is None else dim_of(amount))
    offset = total_shift % period
    if offset == 0:
        return x
    kept = length - offset
    joined: Tensor = np.concatenate(  # type: ignore[assignment]
        [window(x, axis, kept, offset), window(x, axis, 0, kept)], axis
    )
    return joined


def _whole(amount: Tensor) -> Tensor:
    if amount.dtype not in INTEGER:
        raise TypeError(f"roll: shifts must be integers, got {amount._type}")
    return cast(amount, INT64)
