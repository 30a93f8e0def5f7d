"""Python's own functions inside turned code: ``len``, ``int``, ``max`` … of captured values."""

from __future__ import annotations

import builtins
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.flow import is_open
from capture.interception.python_functions import BUILTINS, only_sizes
from capture.symbolic import SYMBOLIC_NUMBERS, SymbolicInt
from capture.syntax.iteration import (
    is_open_sequence,
    make_enumerate,
    make_range,
    make_reversed,
    make_zip,
)
from capture.tensor import Tensor
from capture.weak import WeakInt, weak
from ir.dims import Dim
from ir.types import BOOL, INT64

if TYPE_CHECKING:
    from collections.abc import Callable


def as_number(value: Any) -> Tensor | None:
    """Return an open scalar as a captured one, or ``None`` for anything else."""
    if type(value) in SYMBOLIC_NUMBERS:
        return value.tensor() if is_open(value) else None
    if type(value) is Tensor and value.size == 1 and is_open(value):
        return value.reshape(())[()] if value.ndim else value
    return None


def _int(*args: Any, **kwargs: Any) -> Any:
    """``int``: truncates; stays a Python int to NumPy."""
    if len(args) == 1 and type(args[0]) in (SymbolicInt, WeakInt):
        return args[0]
    number = as_number(args[0]) if len(args) == 1 else None
    return builtins.int(*args, **kwargs) if number is None else weak(number.astype(INT64))


def _float(*args: Any) -> Any:
    """``float``: stays a Python float to NumPy."""
    number = as_number(args[0]) if args else None
    return builtins.float(*args) if number is None else weak(number.astype(np.float64))


def _bool(*args: Any) -> Any:
    number = as_number(args[0]) if args else None
    if number is None:
        return builtins.bool(*args)
    return number if number.dtype == BOOL else number != 0


def _len(value: Any) -> Any:
    if type(value) is Tensor and value._type.shape and isinstance(value._type.shape[0], Dim):
        return value.shape[0]
    return builtins.len(value)


def item(tensor: Tensor, *args: Any) -> Any:
    """Return ``tensor.item()``, a Python number also where it is open."""
    number = None if args else as_number(tensor)
    return tensor.item(*args) if number is None else _scalar(number)


def _scalar(number: Tensor) -> Any:
    """Return the Python number that ``item()`` gives."""
    kind = number.dtype.kind
    if kind == "b":
        return number
    return weak(number.astype(INT64 if kind in "iu" else np.float64))


def _extreme(name: str, comparison: np.ufunc) -> Callable[..., Any]:
    original = BUILTINS[name]

    @functools.wraps(getattr(builtins, name))
    def extreme(*args: Any, **kwargs: Any) -> Any:
        items = list(args)
        if len(args) == 1:
            if is_open_sequence(args[0]) and _is_integer_vector(args[0]):
                return args[0].max() if name == "max" else args[0].min()
            items = list(args[0]) if isinstance(args[0], list | tuple) else []
        numbers = [type(item) in SYMBOLIC_NUMBERS for item in items]
        if kwargs or not any(numbers) or only_sizes(items):
            return original(*args, **kwargs)
        best = items[0]
        for item in items[1:]:
            best = _chosen(comparison, item, best)
        return best

    return extreme


def _is_integer_vector(value: Any) -> bool:
    """Whether NumPy's extreme is Python's too: there is no NaN."""
    return type(value) is Tensor and value.ndim == 1 and value.dtype.kind in "iu"


def _chosen(comparison: np.ufunc, item: Any, best: Any) -> Any:
    """Return the item if it compares so; of Python numbers only, a Python number."""
    chosen = np.where(comparison(item, best), item, best)[()]
    python = all(type(v) in (int, float) or type(v) in SYMBOLIC_NUMBERS for v in (item, best))
    return weak(chosen) if python else chosen


def _round(value: Any, ndigits: Any = None) -> Any:
    number = None if ndigits is not None else as_number(value)
    return (
        builtins.round(value, ndigits)
        if number is None
        else weak(np.rint(number).astype(INT64))
    )


def scalar_type(kind: type[np.generic]) -> Callable[..., Any]:
    """Return a function for ``np.float64(x)`` and the like that also takes captured scalars."""

    def convert(*args: Any) -> Any:
        number = as_number(args[0]) if len(args) == 1 else None
        return kind(*args) if number is None else number.astype(kind)

    return convert


def _any(iterable: Any) -> Any:
    opened = type(iterable) is Tensor and iterable.ndim == 1 and is_open(iterable)
    return iterable.astype(bool).any() if opened else builtins.any(iterable)


def _all(iterable: Any) -> Any:
    opened = type(iterable) is Tensor and iterable.ndim == 1 and is_open(iterable)
    return iterable.astype(bool).all() if opened else builtins.all(iterable)


def _sum(iterable: Any, /, start: Any = 0) -> Any:
    rows = type(iterable) is Tensor and iterable._type.shape
    if rows and isinstance(rows[0], Dim):
        dtype = INT64 if iterable.dtype == BOOL else iterable.dtype
        return iterable.sum(0, dtype=dtype) + start
    return builtins.sum(iterable, start)


_max, _min = _extreme("max", np.greater), _extreme("min", np.less)
REPLACED: dict[Any, Callable[..., Any]] = {
    builtins.all: _all,
    builtins.any: _any,
    builtins.bool: _bool,
    builtins.enumerate: make_enumerate,
    builtins.float: _float,
    builtins.int: _int,
    builtins.len: _len,
    builtins.max: _max,
    builtins.min: _min,
    builtins.range: make_range,
    builtins.reversed: make_reversed,
    builtins.round: _round,
    builtins.sum: _sum,
    builtins.zip: make_zip,
    BUILTINS["max"]: _max,
    BUILTINS["min"]: _min,
}
"""What turned code calls in place of a function."""
