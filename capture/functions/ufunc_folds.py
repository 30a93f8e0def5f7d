"""Folding a ufunc over the last axis, where nothing better than its own meaning is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import lift
from capture.functions import plain
from capture.functions.ufunc_loops import fold_in_order
from ir.dims import Dim

if TYPE_CHECKING:
    from capture.tensor import Tensor

ASSOCIATIVE = frozenset(
    (
        np.bitwise_and,
        np.bitwise_or,
        np.bitwise_xor,
        np.logical_xor,
        np.gcd,
        np.lcm,
        np.fmax,
        np.fmin,
    )
)
"""Exact whatever the grouping, so that a fold of n elements takes log2(n) operations."""

LONGEST = 64
"""How many operations a fold without a better form unrolls to; longer ones are loops."""


def unrolled_length(ufunc: np.ufunc, x: Tensor) -> int | None:
    """Return the length of the last axis where a fold over it may be unrolled."""
    size = x._type.shape[-1]
    if isinstance(size, Dim) or (ufunc not in ASSOCIATIVE and size > LONGEST):
        return None
    return size


def identity_of(ufunc: np.ufunc, x: Tensor) -> Tensor | None:
    """Return the neutral element in the operand's dtype, if there is one."""
    if ufunc.identity is None:
        return None
    value = np.array(ufunc.identity).astype(x.dtype)  # -1 is all ones for unsigned dtypes
    return lift(x._recorder, value[()])


def folded(ufunc: np.ufunc, x: Tensor, start: Tensor | None, mask: Tensor | None) -> Tensor:
    """Return the fold over the last axis.

    Args:
        ufunc: What to fold with.
        x: The operand.
        start: The value to begin with.
        mask: Which elements take part; needs a start or an identity.

    Raises:
        ValueError: The axis is empty and there is nothing to begin with.
    """
    size = unrolled_length(ufunc, x)
    begin = start if start is not None else identity_of(ufunc, x)
    if size is None:
        return fold_in_order(ufunc, x, begin, mask)
    if begin is None and not size:
        raise ValueError(
            f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
        )
    if ufunc in ASSOCIATIVE:
        if mask is not None:
            assert begin is not None
            x = np.where(mask, x, _neutral(ufunc, x, begin))  # type: ignore[assignment]
        return _halved(ufunc, x, size, begin)
    result: Any = begin
    if begin is not None:
        result = plain.broadcast_to(begin, x._type.shape[:-1])
    for position in range(size):
        element = x[..., position]
        step = element if result is None else ufunc(result, element)
        if mask is not None and result is not None:
            step = np.where(mask[..., position], step, result)
        result = step
    return plain.fresh(result)


def _neutral(ufunc: np.ufunc, x: Tensor, begin: Tensor) -> Tensor:
    """Return what a masked element becomes; without identity the start, folded in again.

    That is right for every function here that has no identity: repeating an operand of lcm,
    fmax or fmin changes nothing.
    """
    identity = identity_of(ufunc, x)
    return begin if identity is None else identity


def _halved(ufunc: np.ufunc, x: Tensor, size: int, begin: Tensor | None) -> Tensor:
    result: Any = begin
    while size > 1:
        half = size // 2
        if size % 2:
            odd = x[..., -1]
            result = odd if result is None else ufunc(result, odd)
        first, second = plain.window(x, -1, 0, half), plain.window(x, -1, half, half)
        x, size = ufunc(first, second), half
    if size:
        only = x[..., 0]
        result = only if result is None else ufunc(result, only)
    return plain.broadcast_to(plain.fresh(result), x._type.shape[:-1])
