"""Choosing between values, limiting and rounding them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift, prepare, promotion_key, recorder_of
from capture.functions.arguments import NO_VALUE, as_scalar, as_tensor, deliver, given
from capture.functions.registry import HANDLERS, implements
from capture.promotion import result_dtype
from capture.requiring import agreeing
from capture.tensor import Tensor
from capture.views import Owned, k_order
from ir.errors import ShapeError
from ir.ops.elementwise import where as where_op
from ir.types import BOOL, INTEGER

if TYPE_CHECKING:
    from capture.promotion import PromotionKey


@implements(np.where)
def where(condition: Any, x: Any = NO_VALUE, y: Any = NO_VALUE, /) -> Any:
    """``numpy.where``; Python scalars stay weak, one argument means ``nonzero``."""
    if x is NO_VALUE and y is NO_VALUE:
        return HANDLERS[np.nonzero](condition)
    if x is NO_VALUE or y is NO_VALUE:
        raise ValueError("either both or neither of x and y should be given")
    recorder = recorder_of("where", condition, x, y)
    recorder.require_open("where")
    mask = cast(lift(recorder, condition), BOOL)
    branches = [prepare(recorder, x), prepare(recorder, y)]
    dtype = result_dtype([promotion_key(branch) for branch in branches])
    chosen = [lift(recorder, branch, dtype) for branch in branches]
    try:
        result: Tensor = recorder.apply(where_op, mask, *chosen)
    except ShapeError as error:
        agreed = agreeing([mask, *chosen])
        if agreed is None:
            error.add_note(
                f"  where: operands {mask._type} {chosen[0]._type} {chosen[1]._type}"
            )
            raise
        mask, *chosen = agreed
        result = recorder.apply(where_op, mask, *chosen)
    if not result.ndim:
        result._state = Owned()
    else:
        result._state = k_order([mask, *chosen], result._type.shape)
    return result


@implements(np.clip)
def clip(
    a: Any,
    a_min: Any = NO_VALUE,
    a_max: Any = NO_VALUE,
    out: Any = None,
    *,
    min: Any = NO_VALUE,
    max: Any = NO_VALUE,
    **kwargs: Any,
) -> Any:
    """``numpy.clip``: NumPy documents it as ``minimum(maximum(a, a_min), a_max)``."""
    if min is not NO_VALUE or max is not NO_VALUE:
        if a_min is not NO_VALUE or a_max is not NO_VALUE:
            raise ValueError(
                "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided "
                "is forbidden."
            )
        a_min, a_max = min, max
    x = as_tensor("clip", a, a_min, a_max)
    low, high = (bound if given(bound) else None for bound in (a_min, a_max))
    result: Any = x
    keys = [promotion_key(prepare(x._recorder, b)) for b in (low, high) if b is not None]
    dtype = np.dtype(kwargs.pop("dtype", None) or _clip_dtype(x.dtype, tuple(keys)))
    result = cast(x, dtype)
    if low is not None:
        result = np.maximum(result, lift_bound(x, low, dtype), **kwargs)
    if high is not None:
        result = np.minimum(result, lift_bound(x, high, dtype), **kwargs)
    if low is None and high is None:
        result = as_scalar(np.copy(result))
    return deliver("clip", result, out)


@cache
def _clip_dtype(dtype: np.dtype[Any], bounds: tuple[PromotionKey, ...]) -> np.dtype[Any]:
    """Ask NumPy itself, on empty arrays: its clip has loops of its own."""
    stand_ins: list[Any] = [
        np.empty(0, key) if isinstance(key, np.dtype) else key(0) for key in bounds
    ]
    while len(stand_ins) < 2:
        stand_ins.append(None)
    clipped: np.dtype[Any] = np.clip(np.empty(0, dtype), *stand_ins).dtype
    return clipped


def lift_bound(x: Tensor, bound: Any, dtype: np.dtype[Any]) -> Tensor:
    """Return a bound in the loop's dtype; integers outside it saturate, as NumPy's clip does."""
    if isinstance(bound, int) and type(bound) is int and dtype in INTEGER:
        limits = np.iinfo(dtype)
        bound = max(min(bound, limits.max), limits.min)
    return lift(x._recorder, bound, dtype)


@implements(np.round, np.around)
def round_(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    """``numpy.round``: scale, round half to even, scale back, as NumPy computes it."""
    x = as_tensor("round", a)
    decimals = int(decimals)
    if x.dtype in INTEGER or x.dtype == BOOL:
        if decimals >= 0:
            return deliver(
                "round", as_scalar(np.copy(x)) if x.dtype != BOOL else cast(x, np.float16), out
            )
        scale = 10.0**-decimals
        rounded = np.rint(x / scale) * scale
        return deliver("round", cast(rounded, x.dtype), out)
    if decimals == 0:
        return deliver("round", np.rint(x), out)
    factor = 10.0 ** abs(decimals)  # a weak Python float, as in NumPy
    there, back = (np.multiply, np.divide) if decimals > 0 else (np.divide, np.multiply)
    # NumPy computes each step into an array of x's dtype, to which bfloat16 has to be brought
    rounded = np.rint(cast(there(x, factor), x.dtype))
    return deliver("round", cast(back(rounded, factor), x.dtype), out)
