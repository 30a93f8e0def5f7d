"""Special values and kinds of numbers: infinities, NaN, real and complex."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import lift
from capture.functions.arguments import as_array, as_scalar, as_tensor, deliver
from capture.functions.reductions import broadcast_scalar
from capture.functions.registry import implements
from capture.functions.writing import destination
from capture.tensor import Tensor
from capture.views import write


@implements(np.isposinf)
def isposinf(x: Any, out: Any = None) -> Any:
    """``numpy.isposinf``."""
    value: Any = as_tensor("isposinf", x, out)
    return deliver("isposinf", np.equal(value, np.inf), out)


@implements(np.isneginf)
def isneginf(x: Any, out: Any = None) -> Any:
    """``numpy.isneginf``."""
    value: Any = as_tensor("isneginf", x, out)
    return deliver("isneginf", np.equal(value, -np.inf), out)


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    """``numpy.iscomplexobj``: captured dtypes are real."""
    return False


@implements(np.isrealobj)
def isrealobj(x: Any) -> bool:
    """``numpy.isrealobj``: captured dtypes are real."""
    return True


def _everywhere(name: str, x: Any, answer: bool) -> Tensor:
    value = as_tensor(name, x)
    return broadcast_scalar(lift(value._recorder, answer), value._type.shape)


@implements(np.iscomplex)
def iscomplex(x: Any) -> Any:
    """``numpy.iscomplex``: nowhere."""
    return _everywhere("iscomplex", x, False)


@implements(np.isreal)
def isreal(x: Any) -> Any:
    """``numpy.isreal``: everywhere."""
    return _everywhere("isreal", x, True)


@implements(np.imag)
def imag(val: Any) -> Any:
    """``numpy.imag``: zero everywhere."""
    value: Any = as_tensor("imag", val)
    zeros: Any = np.zeros_like(value)
    return as_scalar(zeros) if value.is_scalar else zeros


@implements(np.real_if_close)
def real_if_close(a: Any, tol: Any = 100) -> Any:
    """``numpy.real_if_close``: the array itself."""
    return as_array("real_if_close", a)


@implements(np.fix)
def fix(x: Any, out: Any = None) -> Any:
    """``numpy.fix``."""
    return deliver("fix", np.trunc(as_tensor("fix", x, out)), out)


@implements(np.nan_to_num)
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """``numpy.nan_to_num``; ``copy=False`` writes into the tensor itself."""
    value: Any = as_tensor("nan_to_num", x, nan, posinf, neginf)
    if not issubclass(value.dtype.type, np.inexact):
        return as_scalar(np.copy(value)) if copy else value
    limits = np.finfo(value.dtype)
    replaced = value
    for found, given in (
        (np.isnan(value), nan),
        (isposinf(value), limits.max if posinf is None else posinf),
        (isneginf(value), limits.min if neginf is None else neginf),
    ):
        number = lift(value._recorder, given, value.dtype)
        replaced = np.where(found, number, replaced)
    if copy:
        return as_scalar(replaced)
    target = destination("nan_to_num", x)
    write(target, replaced._read())
    return target
