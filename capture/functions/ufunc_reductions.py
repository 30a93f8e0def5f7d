"""Reductions with a closed form: right for any length, also one known only at run time.

Each takes the ufunc, the operand (in the loop's dtype, folded over its last axis), the value
to begin with and the mask, and returns ``None`` where the general fold is the better form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions import plain
from capture.functions.arguments import NO_VALUE
from capture.functions.ufunc_folds import identity_of
from ir.dims import Dim
from ir.ops import interned
from ir.ops.indexing import Take
from ir.types import BOOL, FLOATING, INT64

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.tensor import Tensor

    ClosedForm = Callable[[np.ufunc, Tensor, Tensor | None, Tensor | None], Any]


def _masked(ufunc: np.ufunc, x: Tensor, mask: Tensor | None) -> Any:
    """Return the operand with the identity where the mask is off."""
    return x if mask is None else np.where(mask, x, identity_of(ufunc, x))  # type: ignore[arg-type]


def _begun(ufunc: np.ufunc, start: Tensor | None, result: Any) -> Any:
    return result if start is None else ufunc(start, result)


def _subtract(ufunc: np.ufunc, x: Tensor, start: Tensor | None, mask: Tensor | None) -> Any:
    """The first minus the sum of the others."""
    if x._type.shape[-1] == 0:
        return None
    if start is not None:
        kept = x if mask is None else np.where(mask, x, np.zeros((), x.dtype)[()])
        return start - np.sum(kept, axis=-1, dtype=x.dtype)
    position = plain.iota(x._recorder, x._type.shape[-1])
    others = np.where(position == 0, np.zeros((), x.dtype)[()], x)
    return first_of(x) - np.sum(others, axis=-1, dtype=x.dtype)


def first_of(x: Tensor) -> Tensor:
    """Return the first element of the last axis; an error at run time when it is empty."""
    zero = lift(x._recorder, np.int64(0))
    taken: Tensor = x._recorder.apply(interned(Take, x.ndim - 1), x, zero)
    return taken


def _log_of_sum(ufunc: np.ufunc, x: Tensor, start: Tensor | None, mask: Tensor | None) -> Any:
    """Shifted by the largest element, so that nothing overflows."""
    exp, log = (np.exp, np.log) if ufunc is np.logaddexp else (np.exp2, np.log2)
    kept = _masked(ufunc, x, mask)
    largest = np.max(kept, axis=-1, initial=-np.inf)
    shift = np.where(np.isfinite(largest), largest, np.zeros((), x.dtype)[()])
    total = np.sum(exp(kept - shift[..., np.newaxis]), axis=-1)
    return _begun(ufunc, start, shift + log(total))


def _hypot(ufunc: np.ufunc, x: Tensor, start: Tensor | None, mask: Tensor | None) -> Any:
    """Scaled by the largest element; an infinity wins over NaN, as in hypot itself."""
    size = np.abs(_masked(ufunc, x, mask))
    largest = np.max(size, axis=-1, initial=0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, np.ones((), x.dtype)[()])
    root = scale * np.sqrt(np.sum(np.square(size / scale[..., np.newaxis]), axis=-1))
    infinite = np.any(np.isinf(size), axis=-1)
    return _begun(ufunc, start, np.where(infinite, np.array(np.inf, x.dtype)[()], root))


def _ignoring_nan(
    ufunc: np.ufunc, x: Tensor, start: Tensor | None, mask: Tensor | None
) -> Any:
    """The extreme of what is no NaN; NaN where nothing else is there."""
    extreme = np.max if ufunc is np.fmax else np.min
    if x.dtype not in FLOATING:
        kept: Any = x if mask is None or start is None else np.where(mask, x, start)
        begin: Any = NO_VALUE if start is None else start
        return extreme(kept, axis=-1, initial=begin)
    worst, nan = (
        np.array(v, x.dtype)[()] for v in (-np.inf if ufunc is np.fmax else np.inf, np.nan)
    )
    missing = np.isnan(x) if mask is None else np.isnan(x) | ~mask
    found = extreme(np.where(missing, worst, x), axis=-1)
    return _begun(ufunc, start, np.where(np.all(missing, axis=-1), nan, found))


def _parity(ufunc: np.ufunc, x: Tensor, start: Tensor | None, mask: Tensor | None) -> Any:
    """Whether an odd number of elements hold."""
    holding = cast(_masked(ufunc, x, mask), INT64)
    return _begun(ufunc, start, np.sum(holding, axis=-1) % 2 == 1)


def _bits(ufunc: np.ufunc, x: Tensor, start: Tensor | None, mask: Tensor | None) -> Any:
    """Bools by logic; integers of an unknown number bit by bit."""
    kept = _masked(ufunc, x, mask)
    if x.dtype == BOOL:
        if ufunc is np.bitwise_xor:
            return _parity(ufunc, x, start, mask)
        logic = np.all if ufunc is np.bitwise_and else np.any
        return _begun(ufunc, start, logic(kept, axis=-1))
    if not isinstance(x._type.shape[-1], Dim):
        return None
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    places = np.arange(8 * x.dtype.itemsize, dtype=unsigned)
    one = np.ones((), unsigned)[()]
    bits = cast(kept, unsigned)[..., np.newaxis] >> places & one
    if ufunc is np.bitwise_xor:
        found = np.sum(cast(bits, INT64), axis=-2) % 2
    else:
        found = (np.min if ufunc is np.bitwise_and else np.max)(
            bits, axis=-2, initial=int(ufunc is np.bitwise_and)
        )
    joined = np.sum(cast(found, unsigned) << places, axis=-1, dtype=unsigned)
    return _begun(ufunc, start, cast(joined, x.dtype))


REDUCTIONS: dict[np.ufunc, ClosedForm] = {
    np.subtract: _subtract,
    np.logaddexp: _log_of_sum,
    np.logaddexp2: _log_of_sum,
    np.hypot: _hypot,
    np.fmax: _ignoring_nan,
    np.fmin: _ignoring_nan,
    np.logical_xor: _parity,
    np.bitwise_and: _bits,
    np.bitwise_or: _bits,
    np.bitwise_xor: _bits,
}
"""The closed form of each ufunc that has one."""
