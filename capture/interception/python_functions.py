"""Python's own functions on captured values: ``math.*``, ``max`` and ``min`` of scalars."""

from __future__ import annotations

import builtins
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import find_recorder, lift
from capture.symbolic import SymbolicInt, as_size, dim_of
from capture.tensor import Tensor
from ir.dims import dim_max, dim_min

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ir.dims import DimLike

_UFUNCS: dict[str, Any] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "degrees": np.degrees,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fabs": np.fabs,
    "fmod": np.fmod,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "pow": np.power,
    "radians": np.radians,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}
_TO_INTEGER: dict[str, Any] = {"ceil": np.ceil, "floor": np.floor, "trunc": np.trunc}


def _as_float(value: Any) -> Any:
    """``math`` computes in double precision whatever it is given."""
    recorder = find_recorder(value)
    if recorder is None:
        return value
    return lift(recorder, value).astype(np.float64)


def _wrapped(name: str, captured: Callable[..., Any], original: Any) -> Callable[..., Any]:
    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if find_recorder(args) is None:
            return original(*args, **kwargs)
        return captured(*args, **kwargs)

    return wrapper


def _float_function(ufunc: np.ufunc) -> Callable[..., Any]:
    return lambda *args: ufunc(*map(_as_float, args))


def _integer_function(ufunc: np.ufunc) -> Callable[..., Any]:
    return lambda x: ufunc(_as_float(x)).astype(np.int64)


def _log(x: Any, base: Any = None) -> Any:
    logarithm = np.log(_as_float(x))
    return logarithm if base is None else logarithm / np.log(_as_float(base))


def _hypot(*coordinates: Any) -> Any:
    return functools.reduce(np.hypot, map(_as_float, coordinates))


MATH: dict[str, Callable[..., Any]] = {
    **{
        name: _wrapped(name, _float_function(u), getattr(math, name))
        for name, u in _UFUNCS.items()
        if hasattr(math, name)
    },
    **{
        name: _wrapped(name, _integer_function(u), getattr(math, name))
        for name, u in _TO_INTEGER.items()
    },
    "log": _wrapped("log", _log, math.log),
    "hypot": _wrapped("hypot", _hypot, math.hypot),
}
"""Replacements by the name they have in :mod:`math`."""


def only_sizes(items: Iterable[Any]) -> bool:
    """Whether all items are sizes, so that the result can be one."""
    return all(type(item) in (int, SymbolicInt) for item in items)


def _extreme(
    name: str, comparison: np.ufunc, of_dims: Callable[..., DimLike]
) -> Callable[..., Any]:
    original = getattr(builtins, name)

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recorder = find_recorder(args)
        if recorder is None:
            return original(*args, **kwargs)
        items = list(args[0]) if len(args) == 1 else list(args)
        if only_sizes(items) and not kwargs.keys() - {"default"}:
            return as_size(recorder, of_dims(*map(dim_of, items)))
        captured = [item for item in items if type(item) is Tensor]
        if not captured or not kwargs.keys() <= {"default"} or any(t.ndim for t in captured):
            # with a key, sizes decide by themselves; arrays have no truth value, as in NumPy
            return original(*args, **kwargs)
        best = items[0]
        for item in items[1:]:
            best = np.where(comparison(item, best), item, best)[()]
        return best

    return wrapper


BUILTINS: dict[str, Callable[..., Any]] = {
    "max": _extreme("max", np.greater, dim_max),
    "min": _extreme("min", np.less, dim_min),
}
"""Replacements of built-in functions: the first of equals wins, as in Python; sizes stay sizes."""
