"""Sums, means, extremes and truth over axes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import (
    NO_VALUE,
    as_tensor,
    axis_tuple,
    deliver,
    fold_axes,
    given,
    single_axis,
)
from capture.functions.registry import implements
from capture.functions.stand_ins import reduced_layout
from capture.location import here
from capture.symbolic import as_size
from capture.tensor import Tensor
from ir.dims import Dim, bounds
from ir.errors import ShapeError
from ir.ops import interned
from ir.ops.elementwise import where as where_op
from ir.ops.reduction import (
    All,
    Any_,
    ArgMax,
    ArgMin,
    Max,
    Min,
    Prod,
    Reduction,
    Sum,
    reduced_shape,
)
from ir.ops.shaping import BroadcastTo, Concatenate, Reshape
from ir.shapes import broadcast, product
from ir.types import BFLOAT16, BOOL, supported_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

_FLOAT32 = np.dtype(np.float32)
_FLOAT64 = np.dtype(np.float64)


def reduce_with(
    op: type[Reduction],
    a: Any,
    axis: Any,
    dtype: np.dtype[Any] | None,
    out: Any,
    keepdims: Any,
    initial: Any,
    where: Any,
) -> Any:
    """Record a reduction with NumPy's ``initial=``, ``where=``, ``out=`` and ``keepdims=``.

    Args:
        op: The reduction.
        a: What to reduce.
        axis: Axes as NumPy takes them.
        dtype: The dtype to fold in, ``None`` for the operand's own.
        out: Destination tensor.
        keepdims: Whether reduced axes stay as 1.
        initial: A value folded in first.
        where: A mask of the elements to fold.

    Raises:
        ShapeError: An empty axis without identity and without ``initial``.
    """
    name = op.name
    x = operand = as_tensor(name, a, initial, where)
    recorder = x._recorder
    if dtype is not None:
        x = cast(x, dtype)
    axes = fold_axes(axis, x.ndim)
    has_initial = initial is not NO_VALUE and initial is not None
    if where is not True and where is not NO_VALUE:
        if op.has_identity:
            neutral = lift(recorder, op.ufunc.identity, x._type.dtype)
        elif has_initial:
            neutral = lift(recorder, initial, x._type.dtype)
        else:
            raise ValueError(
                f"reduction operation '{op.ufunc.__name__}' does not have an identity, so to use "
                "a where mask one has to specify 'initial'"
            )
        mask = cast(lift(recorder, where), BOOL)
        check_mask(name, mask, x)
        x = recorder.apply(where_op, mask, x, neutral)
    keep = bool(keepdims) if keepdims is not NO_VALUE else False
    if has_initial and not op.has_identity:
        if any(x._type.shape[i] == 0 for i in axes):
            start = lift(recorder, initial, x._type.dtype)
            shape = reduced_shape(x._type.shape, axes, keep)
            return deliver(name, broadcast_scalar(start, shape), out)
        x = _never_empty(x, axes, lift(recorder, initial, x._type.dtype))
    result = recorder.apply(interned(op, axes, keep), x)
    if has_initial:
        result = op.ufunc(result, lift(recorder, initial, x._type.dtype))
    result._state = reduced_layout(operand, axes, result._type.shape)
    return deliver(name, result, out)


def check_mask(name: str, mask: Tensor, x: Tensor) -> None:
    """Raise unless ``where=`` broadcasts to the operand: it never makes it larger.

    Raises:
        ShapeError: It does not.
    """
    if broadcast(mask._type.shape, x._type.shape) != x._type.shape:
        raise ShapeError(
            f"{name}: where= {mask._type} does not broadcast to {x._type}{here(2)}"
        )


def _never_empty(x: Tensor, axes: tuple[int, ...], initial: Tensor) -> Tensor:
    """Return ``x`` with one slice of ``initial`` more along axes that may be empty at run time."""
    for axis in axes:
        shape = x._type.shape
        if bounds(shape[axis])[0] == 0:
            more = broadcast_scalar(initial, (*shape[:axis], 1, *shape[axis + 1 :]))
            x = x._recorder.apply(interned(Concatenate, axis), x, more)
    return x


def broadcast_scalar(value: Tensor, shape: tuple[int | Dim, ...]) -> Tensor:
    """Return a 0-d tensor repeated to ``shape``."""
    result: Tensor = value._recorder.apply(BroadcastTo(shape=shape), value)
    return result


@cache
def accumulator_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype NumPy sums and multiplies in: small integers widen to the platform's."""
    return np.add.reduce(np.empty(0, dtype)).dtype  # type: ignore[no-any-return]


@implements(np.sum)
def sum_(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Any:
    """``numpy.sum``."""
    x = as_tensor("sum", a, initial, where)
    wanted = accumulator_dtype(x.dtype) if dtype is None else supported_dtype(dtype)
    return reduce_with(Sum, x, axis, wanted, out, keepdims, initial, where)


@implements(np.prod)
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Any:
    """``numpy.prod``."""
    x = as_tensor("prod", a, initial, where)
    wanted = accumulator_dtype(x.dtype) if dtype is None else supported_dtype(dtype)
    return reduce_with(Prod, x, axis, wanted, out, keepdims, initial, where)


def _plain(op: type[Reduction], dtype: np.dtype[Any] | None = None) -> Callable[..., Any]:
    def handler(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        initial: Any = NO_VALUE,
        where: Any = NO_VALUE,
    ) -> Any:
        return reduce_with(op, a, axis, dtype, out, keepdims, initial, where)

    return handler


max_ = implements(np.max, np.amax)(_plain(Max))
min_ = implements(np.min, np.amin)(_plain(Min))


def _truth(op: type[Reduction]) -> Callable[..., Any]:
    def handler(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = NO_VALUE,
        *,
        where: Any = NO_VALUE,
    ) -> Any:
        return reduce_with(op, a, axis, BOOL, out, keepdims, NO_VALUE, where)

    return handler


all_ = implements(np.all)(_truth(All))
any_ = implements(np.any)(_truth(Any_))


def count(x: Tensor, axes: tuple[int, ...]) -> Any:
    """Return how many elements ``axes`` hold: an int, or a symbolic size."""
    size = product(x._type.shape[axis] for axis in axes)
    return as_size(x._recorder, size)


@implements(np.mean)
def mean(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
) -> Any:
    """``numpy.mean``: half precision is summed in float32, integers in float64, as NumPy does."""
    x = as_tensor("mean", a, where)
    own = x.dtype
    if dtype is not None:
        fold = result = supported_dtype(dtype)
    elif own == np.float16:
        fold, result = _FLOAT32, own
    elif own.kind in "iub":
        fold = result = _FLOAT64
    else:
        fold = result = own
    masked = given(where) and where is not True
    axes = fold_axes(axis, x.ndim) if masked else axis_tuple(axis, x.ndim)
    total = reduce_with(Sum, x, axes, fold, None, keepdims, NO_VALUE, where)
    if masked:
        mask = np.broadcast_to(lift(x._recorder, where), x.shape)
        number = reduce_with(
            Sum, mask, axes, np.dtype(np.int64), None, keepdims, NO_VALUE, True
        )
    else:
        number = count(x, axes)
    divided = np.true_divide(total, number)
    if fold.kind != "f" and fold != BFLOAT16:
        result = divided.dtype if dtype is None else fold
    return deliver("mean", cast(divided, result), out)


def _arg_extreme(op: type[ArgMax] | type[ArgMin]) -> Callable[..., Any]:
    def handler(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = NO_VALUE) -> Any:
        x = as_tensor(op.name, a)
        rank = x.ndim
        keep = bool(keepdims) if keepdims is not NO_VALUE else False
        if axis is None:
            flat = x.ravel() if rank != 1 else x
            result = x._recorder.apply(op(axis=0, keepdims=False), flat)
            if keep:
                result = x._recorder.apply(Reshape(shape=(1,) * rank), result)
        elif not rank:
            axis_tuple(axis, 1)
            result = x._recorder.apply(op(axis=0), x.reshape(1))
        else:
            chosen = single_axis(axis, rank)
            result = x._recorder.apply(op(axis=chosen, keepdims=keep), x)
        return deliver(op.name, result, out)

    return handler


argmax = implements(np.argmax)(_arg_extreme(ArgMax))
argmin = implements(np.argmin)(_arg_extreme(ArgMin))
