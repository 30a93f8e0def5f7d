"""What every handler does with its arguments: axes, dtypes, defaults, destinations."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.bytecode import is_augmented_assignment
from capture.coerce import lift, recorder_of
from capture.errors import LostWriteError, UnsupportedError
from capture.location import here, user_frame
from capture.tensor import Tensor
from capture.ufuncs import store
from capture.views import Owned
from ir.shapes import normalize_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_VALUE: Any = np._NoValue
"""NumPy's own mark of an argument that was not given."""


def given(value: Any) -> bool:
    """Whether an argument was passed (neither ``None`` nor NumPy's no-value mark)."""
    return value is not None and value is not NO_VALUE


def as_tensor(operation: str, value: Any, *others: Any) -> Tensor:
    """Return the main argument as a tensor of the scope that the arguments belong to."""
    tensor = lift(recorder_of(operation, value, *others), value)
    tensor._recorder.require_open(operation)
    return tensor


def as_array(operation: str, value: Any, *others: Any) -> Tensor:
    """Return the main argument as :func:`as_tensor` does, a NumPy scalar as a 0-d array."""
    x = as_tensor(operation, value, *others)
    return Tensor(x._recorder, x._value, x._type, Owned()) if x.is_scalar else x


def axis_tuple(axis: Any, rank: int) -> tuple[int, ...]:
    """Return sorted, non-negative axes; ``None`` means all.

    Raises:
        AxisError: An axis is out of bounds.
        ValueError: An axis is named twice.
    """
    if axis is None or axis is NO_VALUE:
        return tuple(range(rank))
    listed: Sequence[Any] = axis if isinstance(axis, tuple | list) else (axis,)
    axes = [normalize_axis(operator.index(item), rank) for item in listed]
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return tuple(sorted(axes))


def fold_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Return the axes of a ufunc's reduction: of a single number, 0 and -1 are none.

    Raises:
        AxisError: An axis is out of bounds.
        ValueError: An axis is named twice.
    """
    if not rank and type(axis) in (int, np.int64) and axis in (0, -1):
        return ()
    return axis_tuple(axis, rank)


def single_axis(axis: Any, rank: int) -> int:
    """Return one axis as a non-negative number.

    Raises:
        AxisError: It is out of bounds.
    """
    return normalize_axis(operator.index(axis), rank)


def refuse(operation: str, **arguments: Any) -> None:
    """Raise when an argument that has no captured meaning was given.

    Raises:
        UnsupportedError: Names the first such argument.
    """
    for name, value in arguments.items():
        if given(value):
            raise UnsupportedError(f"{operation}: {name}= is not captured{here(2)}")


def deliver(operation: str, result: Any, out: Any, casting: str = "same_kind") -> Any:
    """Return the result, written into ``out`` when one is given.

    Raises:
        LostWriteError: ``out`` is a plain ndarray.
    """
    if not given(out):
        return result
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if type(out) is not Tensor:
        if is_augmented_assignment(user_frame()):  # Python binds the name to what we return
            return result
        raise LostWriteError(
            f"{operation}: out= is a plain ndarray, which cannot record the write{here()}\n  ways "
            "out: leave out= away, or make it with capture.constant(array)"
        )
    store(operation, out, result, casting)
    return out


def as_scalar(result: Any) -> Any:
    """Return a fresh result of rank 0 as the NumPy scalar it is; others as they are.

    ``np.where`` gives 0-d arrays where a reduction gives scalars.
    """
    if not result._type.shape:
        result._state = None
    return result
