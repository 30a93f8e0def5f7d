"""``ufunc.at``: an operation in place at positions that may repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.access import accumulate_at
from capture.captured_slices import window_of
from capture.coerce import cast, lift
from capture.functions.arguments import NO_VALUE
from capture.functions.ufunc_loops import write_in_order
from capture.functions.writing import destination
from capture.indexing import NotBasic, parse_basic
from capture.known import UnknownValue
from capture.promotion import loop_dtypes
from capture.tensor import Tensor
from capture.ufuncs import METHOD_HANDLERS
from ir.types import BOOL, FLOATING

_COMBINE: dict[np.ufunc, str] = {
    np.add: "add",
    np.subtract: "add",
    np.multiply: "multiply",
    np.maximum: "maximum",
    np.minimum: "minimum",
}
"""Ufuncs whose repetition is a mode of the IR's scatter (subtract adds the negative)."""

_COMBINE_BOOLS: dict[np.ufunc, str] = {
    np.add: "maximum",
    np.multiply: "minimum",
    np.maximum: "maximum",
    np.minimum: "minimum",
    np.logical_or: "maximum",
    np.logical_and: "minimum",
    np.bitwise_or: "maximum",
    np.bitwise_and: "minimum",
}
"""The same for bools, as 0 and 1."""

_UINT8 = np.dtype(np.uint8)


def at(ufunc: np.ufunc, a: Any, indices: Any, b: Any = NO_VALUE, /) -> None:
    """``ufunc.at``: into a captured array; repeated positions accumulate."""
    target = _target(ufunc, a, b)
    target, indices = window_of(target, indices) or (target, indices)
    if b is NO_VALUE:
        _once_per_position(ufunc, target, indices)
        return
    operand = lift(target._recorder, b)  # a Python scalar is an array here, so it is strong
    loop = loop_dtypes(ufunc, (target.dtype, operand.dtype))
    combine = _combine_mode(ufunc, target, loop)
    if combine is None or _is_basic(target, indices):
        _once_per_position(ufunc, target, indices, operand)
        return
    operand = cast(operand, loop[1])
    if ufunc is np.subtract:
        operand = -operand
    _fold_in(target, indices, operand, combine)


def _target(ufunc: np.ufunc, a: Any, b: Any) -> Tensor:
    """Return the array to write into, after NumPy's own checks.

    Raises:
        LostWriteError: It is a plain ndarray.
    """
    if ufunc.signature is not None:
        raise TypeError(
            f"{ufunc.__name__}.at does not support ufunc with non-trivial signature: "
            f"{ufunc.__name__} has signature {ufunc.signature}."
        )
    if ufunc.nin > 2:
        raise ValueError("Only unary and binary ufuncs supported at this time")
    if ufunc.nout != 1:
        raise ValueError("Only single output ufuncs supported at this time")
    if isinstance(a, np.ndarray):
        destination(f"{ufunc.__name__}.at", a)
    if type(a) is not Tensor or a.is_scalar:
        raise TypeError("first operand must be array")
    if ufunc.nin == 1 and b is not NO_VALUE:
        raise ValueError("second operand provided when ufunc is unary")
    if ufunc.nin == 2 and b is NO_VALUE:
        raise ValueError("second operand needed for ufunc")
    return a


def _combine_mode(ufunc: np.ufunc, target: Tensor, loop: tuple[Any, ...]) -> str | None:
    """Return the scatter mode that repeats the ufunc exactly, if there is one."""
    if target.dtype == BOOL:
        return _COMBINE_BOOLS.get(ufunc) if loop[0] == BOOL else None
    if loop[2] in FLOATING and target.dtype not in FLOATING:
        return None  # NumPy truncates after every single step
    return _COMBINE.get(ufunc)


def _fold_in(target: Tensor, indices: Any, operand: Tensor, combine: str) -> None:
    """Accumulate in the loop's dtype, then write back."""
    inner = _UINT8 if target.dtype == BOOL else operand.dtype
    operand = cast(operand, inner)
    if target.dtype == inner:
        accumulate_at(target, indices, operand, combine)
        return
    wide = cast(target, inner)
    accumulate_at(wide, indices, operand, combine)
    target[...] = cast(wide, target.dtype)


def _is_basic(target: Tensor, key: Any) -> bool:
    try:
        parse_basic(key, target._type.shape)
    except NotBasic:
        return False
    return True


def _once_per_position(ufunc: np.ufunc, target: Tensor, key: Any, operand: Any = None) -> None:
    """Apply the ufunc at once where no position is named twice, else one after another."""
    if not (_is_basic(target, key) or _is_unique(target, key)):
        write_in_order(ufunc, target, key, operand)
    elif operand is None:
        target[key] = ufunc(target[key])
    else:
        target[key] = ufunc(target[key], operand)


def _is_unique(target: Tensor, key: Any) -> bool:
    """Whether a key surely names no position twice."""
    items = key if isinstance(key, tuple) else (key,)
    arrays = [_known(target, item) for item in items]
    masks = [getattr(item, "dtype", None) == BOOL for item in arrays]
    if any(masks) and all(
        m or item is None or isinstance(item, slice) or item is Ellipsis
        for m, item in zip(masks, arrays, strict=True)
    ):
        return True
    if any(type(item) is Tensor for item in arrays) or not target._type.is_static:
        return False
    shape: Any = target._type.shape
    positions = np.arange(int(np.prod(shape))).reshape(shape)[tuple(arrays)]
    return bool(np.unique(positions).size == positions.size)


def _known(target: Tensor, item: Any) -> Any:
    """Return an index item with lists as arrays and known tensors as their values."""
    if isinstance(item, list):
        item = (
            np.asarray(item)
            if not any(type(i) is Tensor for i in item)
            else lift(target._recorder, item)
        )
    if type(item) is not Tensor:
        return item
    try:
        return item._recorder.known.read(item._read())
    except UnknownValue:
        return item


METHOD_HANDLERS["at"] = at
