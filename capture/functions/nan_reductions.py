"""Sums, products, extremes and running folds that leave NaN out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import lift
from capture.functions.arguments import NO_VALUE, as_scalar, as_tensor, deliver, given
from capture.functions.positions import checked
from capture.functions.reductions import argmax, argmin, max_, min_, prod, sum_
from capture.functions.registry import implements
from capture.functions.running import cumprod, cumsum
from capture.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable


def replaced(x: Tensor, value: float) -> tuple[Any, Any]:
    """Return ``x`` with NaN replaced, and where it was; no mask where NumPy looks for no NaN.

    NumPy asks for ``np.inexact``, which leaves bfloat16 out.
    """
    if not issubclass(x.dtype.type, np.inexact):
        return x, None
    mask = np.isnan(x)
    return np.where(mask, lift(x._recorder, value, x.dtype), x), mask


def _fold(name: str, value: float, plain: Callable[..., Any]) -> Callable[..., Any]:
    def handler(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        initial: Any = NO_VALUE,
        where: Any = NO_VALUE,
    ) -> Any:
        x, _ = replaced(as_tensor(name, a, initial, where), value)
        return plain(x, axis, dtype, out, keepdims, initial, where)

    return handler


nansum = implements(np.nansum)(_fold("nansum", 0.0, sum_))
nanprod = implements(np.nanprod)(_fold("nanprod", 1.0, prod))


def _running(name: str, value: float, plain: Callable[..., Any]) -> Callable[..., Any]:
    def handler(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        x, _ = replaced(as_tensor(name, a, out), value)
        return plain(x, axis, dtype, out)

    return handler


nancumsum = implements(np.nancumsum)(_running("nancumsum", 0.0, cumsum))
nancumprod = implements(np.nancumprod)(_running("nancumprod", 1.0, cumprod))


def _extreme(name: str, neutral: float, plain: Callable[..., Any]) -> Callable[..., Any]:
    def handler(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        initial: Any = NO_VALUE,
        where: Any = NO_VALUE,
    ) -> Any:
        x, mask = replaced(as_tensor(name, a, initial, where), neutral)
        if mask is None:
            return plain(x, axis, out, keepdims, initial, where)
        nan = lift(x._recorder, np.nan, x.dtype)
        missing = np.all(mask, axis=axis, keepdims=keepdims)
        if given(initial):  # one more element: a NaN counts only where all others are missing
            start = lift(x._recorder, initial, x.dtype)
            if given(where) and where is not True:
                absent = mask | np.logical_not(lift(x._recorder, where))
                missing = np.all(absent, axis=axis, keepdims=keepdims)
            missing = missing & np.isnan(start)
            initial = np.where(np.isnan(start), lift(x._recorder, neutral, x.dtype), start)
        found = plain(x, axis, None, keepdims, initial, where)
        return deliver(name, as_scalar(np.where(missing, nan, found)), out)

    return handler


nanmax = implements(np.nanmax)(_extreme("nanmax", -np.inf, max_))
nanmin = implements(np.nanmin)(_extreme("nanmin", np.inf, min_))


def _arg_extreme(name: str, neutral: float, plain: Callable[..., Any]) -> Callable[..., Any]:
    def handler(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Any:
        x, mask = replaced(as_tensor(name, a), neutral)
        found = plain(x, axis, keepdims=keepdims)
        if mask is not None:
            found = checked(found, np.any(~mask, axis=axis))
        return deliver(name, found, out)

    return handler


nanargmax = implements(np.nanargmax)(_arg_extreme("nanargmax", -np.inf, argmax))
nanargmin = implements(np.nanargmin)(_arg_extreme("nanargmin", np.inf, argmin))
