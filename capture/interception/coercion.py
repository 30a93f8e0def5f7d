"""Coercion inside a scope: ``np.array``, ``np.asarray`` and their kin.

A list that holds captured values becomes a tensor, a tensor is copied exactly where NumPy
copies, and the user's own array stays what it is where NumPy would give the array itself.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, holds_tensor, lift
from capture.interception.lifted import LiftedArray
from capture.interception.replacing import replaces, tracked
from capture.layouts import copied_layout, fresh_layout, is_laid_out
from capture.symbolic import SYMBOLIC_NUMBERS
from capture.tensor import Tensor
from ir.types import supported_dtype

if TYPE_CHECKING:
    from capture.recorder import Recorder


def _coerced(
    recorder: Recorder, value: Any, dtype: Any, order: str | None, copy: bool | None
) -> Any:
    """Return ``np.array(value, dtype, order=order, copy=copy)`` as something that is tracked.

    Raises:
        ValueError: ``copy=False``, and a copy is needed.
    """
    wanted = None if dtype is None else supported_dtype(dtype)
    if type(value) is Tensor:
        return _coerced_tensor(value, wanted, order, copy)
    if type(value) in SYMBOLIC_NUMBERS or holds_tensor(value):
        result = lift(recorder, value, wanted)
        if result is not value:
            result._state = fresh_layout(result._type.shape, order)
        return result
    make: Any = np.array
    made = make(value, wanted, order=order or "K", copy=copy)
    if isinstance(value, np.ndarray) and np.may_share_memory(made, value):
        # the user's own array: writing to it must not be lost, so it stays what it is
        return made if type(made) is not np.ndarray else made.view(LiftedArray)
    return tracked(recorder, made)


def _coerced_tensor(
    tensor: Tensor, dtype: np.dtype[Any] | None, order: str | None, copy: bool | None
) -> Tensor:
    same = (dtype is None or tensor.dtype == dtype) and not tensor.is_scalar
    wanted = "K" if order is None else order.upper()
    if wanted == "A":
        wanted = "F" if is_laid_out(tensor, "F") else "C"
    if same and not copy and (wanted == "K" or is_laid_out(tensor, wanted)):
        return tensor
    if copy is False:
        raise ValueError(
            f"Unable to avoid copy while creating an array from {tensor._type} as requested."
        )
    made = tensor if dtype is None else cast(tensor, dtype)
    layout = copied_layout(tensor, order)
    return Tensor(tensor._recorder, made._read(), made._type, layout)


@replaces("array")
def array(
    recorder: Recorder,
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
    ndmax: int = 0,
) -> Any:
    """``numpy.array``."""
    result = _coerced(recorder, object, dtype, order, copy)
    while result.ndim < ndmin:
        result = result[None]
    return result


def _coercion(name: str, layout: str | None) -> None:
    @replaces(name)
    def coerce(
        recorder: Recorder,
        a: Any,
        dtype: Any = None,
        order: Any = None,
        *,
        device: Any = None,
        copy: bool | None = None,
        like: Any = None,
    ) -> Any:
        result = _coerced(recorder, a, dtype, layout or order, copy)
        return result.reshape(1) if layout and not result.ndim else result


for _name, _layout in (
    ("asarray", None),
    ("asanyarray", None),
    ("ascontiguousarray", "C"),
    ("asfortranarray", "F"),
):
    _coercion(_name, _layout)


@replaces("asarray_chkfinite")
def asarray_chkfinite(recorder: Recorder, a: Any, dtype: Any = None, order: Any = None) -> Any:
    """``numpy.asarray_chkfinite``: captured values are taken as they are, unchecked."""
    return _coerced(recorder, a, dtype, order, None)


@replaces("fromiter")
def fromiter(
    recorder: Recorder, iter: Any, dtype: Any, count: int = -1, *, like: Any = None
) -> Any:
    """``numpy.fromiter``: the iterable is exhausted while capturing."""
    items = list(iter if count < 0 else itertools.islice(iter, count))
    if len(items) < count:
        raise ValueError(
            f"iterator too short: Expected {count} but iterator had only {len(items)} items."
        )
    if not holds_tensor(items):
        return tracked(recorder, np.fromiter(items, dtype))
    return lift(recorder, items, supported_dtype(dtype))
