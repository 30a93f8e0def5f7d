"""Comparing whole arrays: close, equal, equivalent."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift, prepare, recorder_of
from capture.errors import UnsupportedError
from capture.functions.registry import implements
from capture.location import here
from capture.tensor import Tensor
from ir.dims import prove_eq
from ir.errors import ShapeError
from ir.shapes import broadcast


def _operands(name: str, *values: Any) -> list[Any]:
    recorder = recorder_of(name, *values)
    recorder.require_open(name)
    return [prepare(recorder, value) for value in values]


@implements(np.isclose)
def isclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: Any = False
) -> Any:
    """``numpy.isclose``."""
    x, y, rtol, atol = _operands("isclose", a, b, rtol, atol)
    if type(y) is Tensor:
        y = cast(y, np.result_type(y.dtype, 1.0))
    elif isinstance(y, int):
        y = float(y)
    near = np.less_equal(np.abs(x - y), atol + rtol * np.abs(y)) & np.isfinite(y)
    result = near | (x == y)
    if equal_nan:
        result = result | np.isnan(x) & np.isnan(y)
    return result


@implements(np.allclose)
def allclose(
    a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: Any = False
) -> Any:
    """``numpy.allclose``: a captured bool."""
    return np.all(isclose(a, b, rtol, atol, equal_nan))


@implements(np.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """``numpy.array_equal``: a captured bool, or ``False`` where the shapes surely differ.

    Raises:
        UnsupportedError: Whether the shapes agree depends on a symbolic size.
    """
    recorder = recorder_of("array_equal", a1, a2)
    recorder.require_open("array_equal")
    x, y = lift(recorder, a1), lift(recorder, a2)
    if x.ndim != y.ndim:
        return False
    for m, n in zip(x._type.shape, y._type.shape, strict=True):
        same = prove_eq(m, n)
        if same is None:
            raise UnsupportedError(
                f"array_equal: whether {x._type} and {y._type} have one shape is known only "
                f"when the graph runs{here(2)}\n  way out: declare equal axes with one symbol"
            )
        if not same:
            return False
    equal: Any = x == y
    if equal_nan and all(issubclass(t.dtype.type, np.inexact) for t in (x, y)):
        equal = equal | np.isnan(x) & np.isnan(y)
    return np.all(equal)


@implements(np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> Any:
    """``numpy.array_equiv``: a captured bool, ``False`` where the shapes do not broadcast."""
    recorder = recorder_of("array_equiv", a1, a2)
    recorder.require_open("array_equiv")
    x, y = lift(recorder, a1), lift(recorder, a2)
    try:
        broadcast(x._type.shape, y._type.shape)
    except ShapeError as error:
        if x._type.is_static and y._type.is_static:
            return False
        raise UnsupportedError(f"array_equiv: {error}{here()}") from None
    return np.all(x == y)
