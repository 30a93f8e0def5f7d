"""Reductions over axes: exact for integers, NaN winning, empty axes refused as in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.legality import HALVES, INT32, INT64, UINT8, Carriers
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.shapes import at_least
from ir.dims import Dim
from ir.ops import reduction as red
from ir.shapes import product
from ir.types import BOOL, FLOATING

if TYPE_CHECKING:
    from exporters.onnx.emitter import Emitter
    from exporters.onnx.term import Term
    from ir.dims import Shape

AXES_ARE_INPUT_SINCE = 18
"""Of sums since 13 already."""


def reduce(key: str, x: Term, axes: tuple[int, ...], keepdims: bool = False) -> Term:
    """Apply an ONNX reduction; its axes became an operand with opset 18 (of sums with 13)."""
    emitter = x.emitter
    if key == "ReduceSum" or emitter.opset >= AXES_ARE_INPUT_SINCE:
        return emitter.apply(key, x, emitter.integers(axes), keepdims=int(keepdims))
    return emitter.apply(key, x, axes=list(axes), keepdims=int(keepdims))


def _parameters(context: Context) -> tuple[tuple[int, ...], bool]:
    op = context.node.op
    assert isinstance(op, red.Reduction)
    return op.axes, op.keepdims


# --- sums and products --------------------------------------------------------------------


@lowers(red.Sum)
def sum_(context: Context, x: Term) -> Term:
    """Bools add by "or"; integers as a product with ones: it wraps, ReduceSum may not."""
    axes, keepdims = _parameters(context)
    if x.dtype == BOOL:
        return _any(context, x, axes, keepdims)
    if not axes:
        return x
    emitter = context.emitter
    if emitter.legality.carrier("ReduceSum", x.dtype, Carriers.RING) is not None:
        return reduce("ReduceSum", x, axes, keepdims)
    ring = emitter.legality.carrier("MatMul", x.dtype, Carriers.RING)
    if ring is None:
        raise emitter.refusal("MatMul", x.dtype, Carriers.RING)
    rows, count = _reduced_last(context, x.to(ring), axes)
    ones = context.sizes.expand(emitter.constant(np.ones((1, 1)), ring), (1, 1), (count, 1))
    total = emitter.node("MatMul", rows, ones)
    kept = product(d for a, d in enumerate(context.shape(0)) if a not in axes)
    return context.sizes.reshape(total, (kept, 1), context.result_shape).to(x.dtype)


def _reduced_last(context: Context, x: Term, axes: tuple[int, ...]) -> tuple[Term, int | Dim]:
    """Return ``x`` as a matrix, the reduced axes along its second, and their size."""
    shape = context.shape(0)
    kept = tuple(axis for axis in range(len(shape)) if axis not in axes)
    order = (*kept, *axes)
    if order != tuple(range(len(shape))):
        x = context.emitter.apply("Transpose", x, perm=list(order))
    moved = tuple(shape[axis] for axis in order)
    count = product(shape[axis] for axis in axes)
    matrix = (product(shape[axis] for axis in kept), count)
    return context.sizes.reshape(x, moved, matrix), count


@lowers(red.Prod)
def prod(context: Context, x: Term) -> Term:
    """Bools multiply by "and"; integers by halving, which wraps where ReduceProd may not."""
    axes, keepdims = _parameters(context)
    if x.dtype == BOOL:
        return _all(context, x, axes, keepdims)
    if not axes:
        return x
    emitter = context.emitter
    if emitter.legality.carrier("ReduceProd", x.dtype, Carriers.RING) is not None:
        return reduce("ReduceProd", x, axes, keepdims)
    ring = INT64 if x.dtype.itemsize == 8 else INT32
    matrix, count = _reduced_last(context, x.to(ring), axes)
    kept = product(d for a, d in enumerate(context.shape(0)) if a not in axes)
    if isinstance(count, Dim):
        column = _halve_at_run_time(context, matrix, kept)
    else:
        column = _halve(context, matrix, kept, count)
    return context.sizes.reshape(column, (kept, 1), context.result_shape).to(x.dtype)


def _columns(emitter: Emitter, x: Term, start: Term, stop: Term) -> Term:
    return emitter.node("Slice", x, start, stop, emitter.integers([1]))


def _ones_column(context: Context, x: Term, kept: int | Dim) -> Term:
    one = context.emitter.constant(np.ones((1, 1)), x.dtype)
    return context.sizes.expand(one, (1, 1), (kept, 1))


def _halve(context: Context, x: Term, kept: int | Dim, count: int) -> Term:
    """Multiply the first half of the columns with the second until one is left."""
    if count == 0:
        return _ones_column(context, x, kept)
    emitter = context.emitter
    while count > 1:
        half = count // 2
        ends = [emitter.integers([end]) for end in (0, half, 2 * half, count)]
        product_ = _columns(emitter, x, ends[0], ends[1]) * _columns(
            emitter, x, ends[1], ends[2]
        )
        if count % 2:
            product_ = emitter.node(
                "Concat", product_, _columns(emitter, x, ends[2], ends[3]), axis=1
            )
        x, count = product_, count - half
    return x


def _halve_at_run_time(context: Context, x: Term, kept: int | Dim) -> Term:
    from exporters.onnx.loops import while_loop

    emitter = context.emitter
    x = emitter.node("Concat", x, _ones_column(context, x, kept), axis=1)
    count = emitter.node("Shape", x, result=INT64, start=1, end=2)
    zero, two = emitter.integers([0]), emitter.integers([2])

    def holds(matrix: Term, count: Term) -> Term:
        return emitter.node("Squeeze", count > 1, emitter.integers([0]))

    def step(matrix: Term, count: Term) -> tuple[Term, ...]:
        half = count / two
        double = half + half
        first = _columns(emitter, matrix, zero, half)
        second = _columns(emitter, matrix, half, double)
        rest = _columns(emitter, matrix, double, count)
        joined = emitter.node("Concat", first * second, rest, axis=1)
        return joined, count - half

    return while_loop(emitter, (x, count), holds, step)[0]


# --- all and any --------------------------------------------------------------------------


@lowers(red.All)
def all_(context: Context, x: Term) -> Term:
    """Whether nothing fails."""
    return _all(context, x, *_parameters(context))


@lowers(red.Any_)
def any_(context: Context, x: Term) -> Term:
    """Whether something holds."""
    return _any(context, x, *_parameters(context))


def _all(context: Context, x: Term, axes: tuple[int, ...], keepdims: bool) -> Term:
    if not axes:
        return x
    if _bool_extreme(context, x, axes, "ReduceMin"):
        return reduce("ReduceMin", x, axes, keepdims)
    return _count(~x, axes, keepdims).equals(0)


def _any(context: Context, x: Term, axes: tuple[int, ...], keepdims: bool) -> Term:
    if not axes:
        return x
    if _bool_extreme(context, x, axes, "ReduceMax"):
        return reduce("ReduceMax", x, axes, keepdims)
    return _count(x, axes, keepdims) > 0


def _bool_extreme(context: Context, x: Term, axes: tuple[int, ...], key: str) -> bool:
    """Whether the extreme of bools answers: it runs, and no axis can be empty."""
    shape = context.shape(0)
    return context.emitter.runs(key, x.dtype) and all(
        at_least(shape[axis], 1) for axis in axes
    )


def _count(x: Term, axes: tuple[int, ...], keepdims: bool) -> Term:
    emitter = x.emitter
    # a count of elements never reaches what ReduceSum gets wrong
    return emitter.node(
        "ReduceSum", x.to(INT64), emitter.integers(axes), keepdims=int(keepdims)
    )


# --- extremes -----------------------------------------------------------------------------


@lowers(red.Max, red.Min)
def extreme(context: Context, x: Term) -> Term:
    """The largest or smallest, NaN winning; over nothing an error, at run time if need be."""
    axes, keepdims = _parameters(context)
    if not axes:
        return x
    key = "ReduceMax" if isinstance(context.node.op, red.Max) else "ReduceMin"
    if x.dtype == BOOL:
        found = reduce(key, x.to(UINT8), axes, keepdims).to(BOOL)
    elif x.dtype in FLOATING:
        found = _with_nan(key, x, axes, keepdims)
    else:
        ordered = in_order(x)
        carrier = context.emitter.legality.carrier(key, ordered.dtype, Carriers.ORDER)
        if carrier is None:
            found = _at_its_position(context, ordered.to(INT64), key.replace("Reduce", "Arg"))
        else:
            found = reduce(key, ordered, axes, keepdims)
        found = back_in_order(found.to(ordered.dtype), x)
    return _refusing_empty(context, found, axes, context.result_shape)


def _at_its_position(context: Context, x: Term, key: str) -> Term:
    """Return the element where ``ArgMax`` or ``ArgMin`` finds the extreme of int64."""
    emitter, (axes, _) = context.emitter, _parameters(context)
    shape = list(context.shape(0))
    if len(axes) == 1:
        axis = axes[0]
        shape[axis] = 1
    else:
        x, _ = _reduced_last(context, x, axes)
        axis, shape = 1, [product(d for a, d in enumerate(shape) if a not in axes), 1]
    found = emitter.apply(key, x, axis=axis, keepdims=1)
    element = emitter.apply("GatherElements", x, found, axis=axis)
    return context.sizes.reshape(element, tuple(shape), context.result_shape)


def _with_nan(key: str, x: Term, axes: tuple[int, ...], keepdims: bool) -> Term:
    found = reduce(key, x, axes, keepdims)
    return _has_nan(x, axes, keepdims).where(np.nan, found)


def _has_nan(x: Term, axes: tuple[int, ...], keepdims: bool) -> Term:
    return reduce("ReduceMax", x.is_nan().to(UINT8), axes, keepdims).to(BOOL)


def in_order(x: Term) -> Term:
    """Return uint64 as int64 in the same order, for operators that lack it."""
    return x.to(INT64) + -(2**63) if x.dtype.name == "uint64" else x


def back_in_order(x: Term, original: Term) -> Term:
    """Undo :func:`in_order`."""
    return (x + -(2**63)).to(original.dtype) if original.dtype.name == "uint64" else x


def _refusing_empty(
    context: Context, found: Term, axes: tuple[int, ...], shape: Shape
) -> Term:
    """Make the result depend on the axes not being empty."""
    open_axes = [a for a in axes if not at_least(context.shape(0)[a], 1)]
    if not open_axes:
        return found
    sizes, emitter = context.sizes, context.emitter
    # a vector that may be empty the optimiser of 1.26 takes away from a sum
    target = sizes.vector(shape or (1,))
    for axis in open_axes:
        target = target + sizes.flag_if_empty(context.shape(0)[axis])
    found = emitter.apply("Reshape", found, target, allowzero=1)
    return found if shape else emitter.apply("Squeeze", found, emitter.integers([0]))


@lowers(red.ArgMax, red.ArgMin)
def arg_extreme(context: Context, x: Term) -> Term:
    """The first position of the extreme, or of the first NaN."""
    op = context.node.op
    assert isinstance(op, red.ArgReduction)
    key = "ArgMax" if isinstance(op, red.ArgMax) else "ArgMin"
    emitter, keepdims = context.emitter, int(op.keepdims)
    if x.dtype in HALVES:
        x = x.to(np.dtype(np.float32))
    found = emitter.apply(key, in_order(x), axis=op.axis, keepdims=keepdims)
    if x.dtype in FLOATING:
        # where a NaN comes first nothing compares above it, so that found is 0 already
        flags = x.is_nan().to(UINT8)
        nan = emitter.apply("ArgMax", flags, axis=op.axis, keepdims=keepdims)
        found = (nan > 0).where(nan, found)
    return _refusing_empty(context, found, (op.axis,), context.result_shape)
