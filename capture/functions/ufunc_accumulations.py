"""Running folds over the last axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast
from capture.functions import plain
from capture.functions.running import accumulate
from capture.functions.ufunc_folds import ASSOCIATIVE, unrolled_length
from capture.functions.ufunc_loops import accumulate_in_order
from capture.functions.ufunc_reductions import first_of
from ir.ops.reduction import CumMax, CumMin, CumSum
from ir.types import BOOL, FLOATING, INT64

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.tensor import Tensor


def accumulated(ufunc: np.ufunc, x: Tensor) -> Tensor:
    """Return the running fold over the last axis."""
    size = unrolled_length(ufunc, x)
    if size is None:
        return accumulate_in_order(ufunc, x)
    if ufunc in ASSOCIATIVE:
        return _doubled(ufunc, x, size)
    parts: list[Any] = []
    for position in range(size):
        element = x[..., position]
        parts.append(ufunc(parts[-1], element) if parts else element)
    return np.stack(parts, axis=-1) if parts else x  # type: ignore[return-value]


def _doubled(ufunc: np.ufunc, x: Tensor, size: int) -> Tensor:
    """Fold in the element 1, 2, 4 … places before: each step doubles what is covered."""
    reach = 1
    while reach < size:
        before = plain.window(x, -1, 0, size - reach)
        after = plain.window(x, -1, reach, size - reach)
        joined = [plain.window(x, -1, 0, reach), ufunc(before, after)]
        x = np.concatenate(joined, axis=-1)  # type: ignore[assignment]
        reach *= 2
    return x


def _subtract(x: Tensor) -> Any:
    if x._type.shape[-1] == 0:
        return x
    position = plain.iota(x._recorder, x._type.shape[-1])
    others: Any = np.where(position == 0, np.zeros((), x.dtype)[()], x)
    return first_of(x)[..., np.newaxis] - accumulate(CumSum, others, x.ndim - 1, x.dtype)


def _logical_xor(x: Tensor) -> Any:
    return accumulate(CumSum, cast(cast(x, BOOL), INT64), x.ndim - 1) % 2 == 1


def _ignoring_nan(op: type[CumMax] | type[CumMin], worst: float) -> Callable[[Tensor], Any]:
    def form(x: Tensor) -> Any:
        if x.dtype not in FLOATING:
            return accumulate(op, x, x.ndim - 1, x.dtype)
        missing: Any = np.isnan(x)
        filled: Any = np.where(missing, np.array(worst, x.dtype)[()], x)
        found = accumulate(op, filled, x.ndim - 1, x.dtype)
        nothing = accumulate(CumMin, missing, x.ndim - 1, BOOL)
        return np.where(nothing, np.array(np.nan, x.dtype)[()], found)

    return form


ACCUMULATIONS: dict[np.ufunc, Callable[[Tensor], Any]] = {
    np.subtract: _subtract,
    np.logical_xor: _logical_xor,
    np.fmax: _ignoring_nan(CumMax, -np.inf),
    np.fmin: _ignoring_nan(CumMin, np.inf),
}
"""Running folds with a closed form, right for any length."""
