"""Running sums and products along an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import as_tensor, deliver, single_axis
from capture.functions.reductions import accumulator_dtype, broadcast_scalar
from capture.functions.registry import implements
from capture.views import k_order
from ir.ops import interned
from ir.ops.reduction import CumMax, CumMin, CumProd, CumSum
from ir.types import BOOL, supported_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.tensor import Tensor
    from ir.ops.reduction import RunningReduction

_OF_BOOLS: dict[Any, Any] = {
    CumSum: CumMax,
    CumProd: CumMin,
}
"""NumPy adds bools by "or" and multiplies them by "and"."""


def accumulate(op: type[RunningReduction], x: Tensor, axis: int, dtype: Any = None) -> Any:
    """Return the running reduction of ``x`` in ``dtype``, the accumulator's when left out."""
    wanted = accumulator_dtype(x.dtype) if dtype is None else supported_dtype(dtype)
    kind: Any = _OF_BOOLS.get(op, op) if wanted == BOOL else op
    result: Any = x._recorder.apply(interned(kind, axis), cast(x, wanted))
    result._state = k_order([x], result._type.shape)
    return result


def _running(op: type[RunningReduction]) -> Callable[..., Any]:
    def handler(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        x = as_tensor(op.name, a, out)
        if axis is None:
            x, axis = x.ravel(), 0
        elif not x.ndim:  # NumPy takes a 0-d array for one of one element here
            x = x.reshape(1)
        result = accumulate(op, x, single_axis(axis, x.ndim), dtype)
        return deliver(op.name, result, out, "unsafe")

    return handler


cumsum = implements(np.cumsum)(_running(CumSum))
cumprod = implements(np.cumprod)(_running(CumProd))


def _cumulative(name: str, op: type[RunningReduction]) -> Callable[..., Any]:
    def handler(
        x: Any,
        /,
        *,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        include_initial: bool = False,
    ) -> Any:
        tensor = as_tensor(name, x, out)
        if not tensor.ndim:
            tensor = tensor.reshape(1)
        if axis is None:
            if tensor.ndim > 1:
                raise ValueError(
                    "For arrays which have more than one dimension ``axis`` argument is "
                    "required."
                )
            axis = 0
        chosen = single_axis(axis, tensor.ndim)
        result = accumulate(op, tensor, chosen, dtype)
        if include_initial:
            shape = list(result._type.shape)
            shape[chosen] = 1
            identity = lift(result._recorder, op.ufunc.identity, result.dtype)
            initial = broadcast_scalar(identity, tuple(shape))
            result = np.concatenate([initial, result], axis=chosen)
        return deliver(name, result, out, "unsafe")

    return handler


cumulative_sum = implements(np.cumulative_sum)(_cumulative("cumulative_sum", CumSum))
cumulative_prod = implements(np.cumulative_prod)(_cumulative("cumulative_prod", CumProd))
