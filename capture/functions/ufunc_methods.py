"""``ufunc.reduce``, ``ufunc.accumulate`` and ``ufunc.outer`` of captured arrays."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions import plain
from capture.functions.arguments import NO_VALUE, as_tensor, axis_tuple, deliver
from capture.functions.contractions import operands
from capture.functions.reductions import reduce_with
from capture.functions.running import accumulate as running
from capture.functions.stand_ins import reduced_layout
from capture.functions.ufunc_accumulations import ACCUMULATIONS, accumulated
from capture.functions.ufunc_folds import folded
from capture.functions.ufunc_reductions import REDUCTIONS
from capture.ufuncs import METHOD_HANDLERS
from capture.views import k_order
from ir.ops.reduction import All, Any_, CumMax, CumMin, CumProd, CumSum, Max, Min, Prod, Sum
from ir.types import BOOL, DTYPE_NAMES

if TYPE_CHECKING:
    from capture.tensor import Tensor
    from ir.ops.reduction import Reduction, RunningReduction

_REDUCE: dict[np.ufunc, type[Reduction]] = {
    np.add: Sum,
    np.multiply: Prod,
    np.maximum: Max,
    np.minimum: Min,
    np.logical_and: All,
    np.logical_or: Any_,
}
_REDUCE_BOOLS: dict[np.ufunc, type[Reduction]] = {np.add: Any_, np.multiply: All}
_ACCUMULATE: dict[np.ufunc, type[RunningReduction]] = {
    np.add: CumSum,
    np.multiply: CumProd,
    np.maximum: CumMax,
    np.minimum: CumMin,
    np.logical_and: CumMin,
    np.logical_or: CumMax,
}


@lru_cache(maxsize=1024)
def loop_of(
    ufunc: np.ufunc,
    method: str,
    operand: tuple[np.dtype[Any], int],
    out: np.dtype[Any] | None,
    options: tuple[tuple[str, Any], ...],
) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes a method folds in; raises what NumPy raises for these arguments.

    Args:
        ufunc: Which function.
        method: ``"reduce"`` or ``"accumulate"``.
        operand: Dtype and rank of the operand.
        out: Dtype of ``out=``.
        options: The other arguments, with a stand-in for arrays among them.
    """
    dtype, rank = operand
    given = dict(options)
    if method == "reduceat":
        given["indices"] = [0]
    with np.errstate(all="ignore"):
        getattr(ufunc, method)(np.ones((1,) * rank, dtype), **given)
    wanted = given.get("dtype")
    signature = (None if wanted is None else np.dtype(wanted), None, None)
    loop: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes(
        (out, dtype, None), signature=signature, reduction=True, casting="unsafe"
    )
    for resolved in loop:
        if resolved not in DTYPE_NAMES:
            raise TypeError(f"{ufunc.__name__}.{method}: {resolved} is not captured")
    return loop


def _hashable(axis: Any) -> Any:
    return axis if axis is None or isinstance(axis, tuple) else operator.index(axis)


def out_dtype(out: Any) -> np.dtype[Any] | None:
    """Return the dtype of a destination, which the fold is computed in."""
    target = out[0] if isinstance(out, tuple) else out
    return None if target is None else target.dtype


def reduce(
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """``ufunc.reduce``: folds over axes; in any order where NumPy leaves the order open."""
    x = as_tensor(f"{ufunc.__name__}.reduce", array, initial, where, out)
    has_initial = initial is not NO_VALUE and initial is not None
    options = [("axis", _hashable(axis)), ("dtype", dtype), ("keepdims", bool(keepdims))]
    if where is not True and where is not NO_VALUE:
        options.append(("where", np.True_))
        if has_initial:
            options.append(("initial", 1))
    loop = loop_of(ufunc, "reduce", (x.dtype, x.ndim), out_dtype(out), tuple(options))
    axes = axis_tuple(axis, x.ndim) if x.ndim else ()
    folds = _REDUCE_BOOLS if loop[0] == BOOL and ufunc in _REDUCE_BOOLS else _REDUCE
    if ufunc in folds:
        result = reduce_with(folds[ufunc], x, axes, loop[1], None, keepdims, initial, where)
        return deliver(f"{ufunc.__name__}.reduce", result, out, "unsafe")
    start = lift(x._recorder, initial, loop[0]) if has_initial else None
    mask = None if where is True or where is NO_VALUE else cast(lift(x._recorder, where), BOOL)
    flat = _one_axis(cast(x, loop[1]), axes)
    if mask is not None:
        mask = _one_axis(plain.broadcast_to(mask, x._type.shape), axes)
    closed_form = REDUCTIONS.get(ufunc)
    result = None
    if closed_form is not None:
        result = closed_form(ufunc, flat, start, mask)
    if result is None:
        result = folded(ufunc, flat, start, mask)
    if keepdims:
        shape = tuple(1 if i in axes else size for i, size in enumerate(x._type.shape))
        result = plain.reshape(result, shape)
    result = cast(plain.fresh(result), loop[2])
    result._state = reduced_layout(x, axes, result._type.shape)
    return deliver(f"{ufunc.__name__}.reduce", result, out, "unsafe")


def _one_axis(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the operand with its folded axes made one, the last."""
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    moved = plain.transpose(x, [*rest, *axes])
    kept = moved._type.shape[: len(rest)]
    size: Any = 1
    for dim in moved._type.shape[len(rest) :]:
        size = size * dim
    return plain.reshape(moved, (*kept, size))


def accumulate(
    ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None
) -> Any:
    """``ufunc.accumulate``."""
    name = f"{ufunc.__name__}.accumulate"
    x = as_tensor(name, array, out)
    options = (("axis", _hashable(axis)), ("dtype", dtype))
    loop = loop_of(ufunc, "accumulate", (x.dtype, x.ndim), out_dtype(out), options)
    (chosen,) = axis_tuple(axis, x.ndim)
    if ufunc in _ACCUMULATE:
        result = running(_ACCUMULATE[ufunc], x, chosen, loop[1])
        return deliver(name, result, out, "unsafe")
    last = [i for i in range(x.ndim) if i != chosen]
    moved = plain.transpose(cast(x, loop[1]), [*last, chosen])
    closed_form = ACCUMULATIONS.get(ufunc)
    result = None if closed_form is None else closed_form(moved)
    if result is None:
        result = accumulated(ufunc, moved)
    back = [*range(chosen), x.ndim - 1, *range(chosen, x.ndim - 1)]
    result = plain.transpose(cast(result, loop[2]), back)
    result._state = k_order([x], result._type.shape)
    return deliver(name, result, out, "unsafe")


def outer(ufunc: np.ufunc, *arguments: Any, **kwargs: Any) -> Any:
    """``ufunc.outer``: every element of the first with every element of the second."""
    if ufunc.signature is not None:
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")
    if ufunc.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    if len(arguments) != 2:
        raise TypeError("exactly two arguments expected")
    a, b = operands(f"{ufunc.__name__}.outer", *arguments)
    spread = plain.reshape(a, (*a._type.shape, *(1,) * b.ndim)) if b.ndim else a
    return ufunc(spread, b, **kwargs)


METHOD_HANDLERS["reduce"] = reduce
METHOD_HANDLERS["accumulate"] = accumulate
METHOD_HANDLERS["outer"] = outer
