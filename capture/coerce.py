"""Operands: whatever Python hands us becomes a tensor, a weak scalar, or a clear refusal."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.errors import UnsupportedError
from capture.layouts import layout_of
from capture.location import here
from capture.symbolic import SYMBOLIC_NUMBERS, SymbolicInt
from capture.tensor import Tensor
from capture.weak import SymbolicFloat, WeakInt
from ir.errors import UnsupportedDTypeError
from ir.ops.elementwise import Cast
from ir.types import supported_dtype

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture.promotion import PromotionKey
    from capture.recorder import Recorder

_HOLDERS = frozenset((Tensor, *SYMBOLIC_NUMBERS))


_NESTING = (list, tuple, deque)
_LEAVES = frozenset((int, float, bool, str, bytes, type(None), np.ndarray))


def _recorders(values: Any) -> Iterator[Recorder]:
    for value in values:
        kind = type(value)
        if kind in _LEAVES:
            continue
        if kind in _HOLDERS:
            yield value._recorder
        elif isinstance(value, _NESTING):
            yield from _recorders(value)
        elif kind is dict:
            yield from _recorders(value.values())
        elif kind is slice:
            yield from _recorders((value.start, value.stop, value.step))


def find_recorder(*values: Any) -> Recorder | None:
    """Return the recorder of the first captured object among arguments, looking into lists."""
    return next(_recorders(values), None)


def recorder_of(operation: str, *values: Any) -> Recorder:
    """Return the recorder of a call's captured arguments.

    Raises:
        UnsupportedError: There is no captured argument.
    """
    recorder = find_recorder(*values)
    if recorder is None:
        raise UnsupportedError(
            f"{operation}: needs a captured array among its arguments{here(2)}"
        )
    return recorder


def holds_tensor(value: Any) -> bool:
    """Whether a value is, or a list nests, something captured."""
    return find_recorder(value) is not None


def promotion_key(value: Any) -> PromotionKey:
    """Return how a prepared operand takes part in promotion."""
    if type(value) is Tensor:
        return value._type.dtype
    if type(value) is SymbolicInt or type(value) is WeakInt:
        return int
    if type(value) is SymbolicFloat:
        return float
    return type(value)


def prepare(recorder: Recorder, value: Any) -> Any:
    """Return a tensor, or a Python or symbolic number that stays weak.

    Raises:
        UnsupportedDTypeError: The value's dtype is refused.
    """
    kind = type(value)
    if kind is Tensor or kind is float or kind is int:
        return value
    if kind in SYMBOLIC_NUMBERS:
        return value
    return lift(recorder, value)


def lift(recorder: Recorder, value: Any, dtype: Any = None) -> Tensor:
    """Return ``value`` as a tensor: constants are registered, lists become arrays.

    Args:
        recorder: Where to register.
        value: A tensor, scalar, ndarray, symbolic size, or nested list of them.
        dtype: The dtype wanted; NumPy's own choice when left out.

    Raises:
        UnsupportedDTypeError: The dtype is refused.
        OverflowError: A Python int does not fit ``dtype``.
    """
    if type(value) is Tensor:
        return value if dtype is None else cast(value, dtype)
    if type(value) in SYMBOLIC_NUMBERS:
        number: Tensor = value.tensor(None if dtype is None else np.dtype(dtype))
        return number
    if isinstance(value, _NESTING) and holds_tensor(value):
        return stack_nested(recorder, value, dtype)
    if isinstance(value, bool | int | float | complex | np.generic):
        wanted = supported_dtype(np.asarray(value).dtype if dtype is None else dtype)
        index = recorder.constants.scalar(value, wanted)
        return Tensor(recorder, index, recorder.builder.types[index])
    if isinstance(value, np.ndarray):
        array = value if dtype is None else value.astype(dtype)
    else:
        try:
            array = np.asarray(value, dtype)
        except (ValueError, TypeError) as error:
            raise UnsupportedError(
                f"cannot capture {type(value).__name__}: {error}"
            ) from error
        if array.dtype == object:
            raise UnsupportedDTypeError(
                f"cannot capture an object of type {type(value).__name__} as an array"
            )
    index = recorder.constants.array(array)
    return Tensor(recorder, index, recorder.builder.types[index], layout_of(array))


def stack_nested(recorder: Recorder, value: Any, dtype: Any = None) -> Tensor:
    """Return ``np.array`` of nested lists that hold tensors.

    A wanted dtype is applied to each item: promotion first could lose what it keeps.
    """
    from capture.functions.joining import stack

    if dtype is None:
        # rows without tensors too: their own dtype takes part in promotion
        items = [lift(recorder, v) if isinstance(v, _NESTING) else v for v in value]
    else:
        items = [lift(recorder, v, dtype) for v in value]
    stacked: Tensor = stack(items)
    return stacked


def cast(tensor: Tensor, dtype: Any) -> Tensor:
    """Return the tensor in another dtype (the same object when it has it already)."""
    wanted = supported_dtype(dtype)
    if tensor._type.dtype is wanted or tensor._type.dtype == wanted:
        return tensor
    result: Tensor = tensor._recorder.apply(Cast(dtype=wanted), tensor)
    return result
