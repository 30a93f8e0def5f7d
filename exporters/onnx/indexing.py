"""Reading and writing at computed positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.legality import INT32
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.shaping import count_up
from ir.ops import indexing as idx
from ir.shapes import broadcast, product
from ir.types import BOOL, FLOATING, INT64

if TYPE_CHECKING:
    from exporters.onnx.term import Term
    from ir.dims import DimLike, Shape

_REDUCTIONS = {
    "set": "ScatterElements",
    "add": "ScatterElements:add",
    "multiply": "ScatterElements:mul",
    "maximum": "ScatterElements:max",
    "minimum": "ScatterElements:min",
}
_STANDARD_NAMES = {
    "set": "none",
    "add": "add",
    "multiply": "mul",
    "maximum": "max",
    "minimum": "min",
}


@lowers(idx.Take)
def take(context: Context, x: Term, indices: Term) -> Term:
    """ONNX ``Gather``, which counts negative positions from the end and checks them."""
    op = context.node.op
    assert isinstance(op, idx.Take)
    return context.emitter.apply("Gather", x, indices, axis=op.axis)


@lowers(idx.TakeAlongAxis)
def take_along_axis(context: Context, x: Term, indices: Term) -> Term:
    """ONNX ``GatherElements``, which does not broadcast: the other axes are expanded first."""
    op = context.node.op
    assert isinstance(op, idx.TakeAlongAxis)
    axis, sizes = op.axis, context.sizes
    data_shape, index_shape = context.shape(0), context.shape(1)
    common = broadcast(_with(data_shape, axis, 1), _with(index_shape, axis, 1))
    x = sizes.expand(x, data_shape, _with(common, axis, data_shape[axis]))
    indices = sizes.expand(indices, index_shape, _with(common, axis, index_shape[axis]))
    return context.emitter.apply("GatherElements", x, indices, axis=axis)


def _with(shape: Shape, axis: int, dim: DimLike) -> Shape:
    return (*shape[:axis], dim, *shape[axis + 1 :])


@lowers(idx.GatherND)
def gather_nd(context: Context, x: Term, indices: Term) -> Term:
    """ONNX ``GatherND``."""
    return context.emitter.apply("GatherND", x, indices)


@lowers(idx.ScatterND)
def scatter_nd(context: Context, x: Term, indices: Term, updates: Term) -> Term:
    """ONNX ``ScatterElements`` on the addressed axes as one.

    ``ScatterND`` writes from several threads: the last of repeated coordinates need not win,
    and sums lose terms. ``ScatterElements`` goes through its updates in order.
    """
    op = context.node.op
    assert isinstance(op, idx.ScatterND)
    key = _REDUCTIONS[op.combine]
    shape, index_shape, window = (context.shape(operand) for operand in range(3))
    depth = index_shape[-1]
    assert isinstance(depth, int)
    if x.dtype == BOOL and op.combine != "set":
        raise context.refuse(f"combine={op.combine!r} has no form for bools", "cast to uint8")
    if not context.emitter.onnxruntime:
        reduction = _STANDARD_NAMES[op.combine]
        return context.emitter.node("ScatterND", x, indices, updates, reduction=reduction)
    sizes = context.sizes
    addressed, inner = product(shape[:depth]), product(shape[depth:])
    count = product(index_shape[:-1])
    rows = sizes.reshape(_row_numbers(context, indices, depth), index_shape[:-1], (count, 1))
    rows = sizes.expand(rows, (count, 1), (count, inner))
    matrix = sizes.reshape(x, shape, (addressed, inner))
    written = sizes.reshape(updates, window, (count, inner))
    if x.dtype in FLOATING and op.combine in ("maximum", "minimum"):
        result = _scatter_extreme(context, key, matrix, rows, written)
    else:
        result = context.emitter.apply(key, matrix, rows, written, axis=0)
    return sizes.reshape(result, (addressed, inner), shape)


def _row_numbers(context: Context, indices: Term, depth: int) -> Term:
    """Return one row number per coordinate tuple; looking them up checks each coordinate."""
    emitter, sizes = context.emitter, context.sizes
    if depth == 1:
        last = emitter.integers([-1])
        return emitter.apply("Squeeze", indices, last)
    axes = context.shape(0)[:depth]
    total = product(axes)
    table = sizes.reshape(count_up(context, total), (total,), axes)
    return emitter.apply("GatherND", table, indices)


def _scatter_extreme(
    context: Context, key: str, matrix: Term, rows: Term, written: Term
) -> Term:
    """Let NaN win, which the runtime's comparison leaves to chance."""
    emitter = context.emitter
    neutral = -np.inf if key.endswith("max") else np.inf
    numbers = [x.is_nan().where(neutral, x) for x in (matrix, written)]
    flags = [x.is_nan().to(INT32) for x in (matrix, written)]
    found = emitter.apply(key, numbers[0], rows, numbers[1], axis=0)
    nan = emitter.apply("ScatterElements:max", flags[0], rows, flags[1], axis=0)
    return nan.to(BOOL).where(np.nan, found)


@lowers(idx.NonZero)
def nonzero(context: Context, x: Term) -> Term:
    """ONNX ``NonZero``, transposed; a 0-d operand has no coordinate, only a count."""
    emitter = context.emitter
    if context.shape(0):
        return emitter.node("Transpose", emitter.apply("NonZero", x), perm=[1, 0])
    column = emitter.apply("NonZero", emitter.apply("Reshape", x, emitter.integers([1])))
    rows = emitter.node("Transpose", column, perm=[1, 0])
    zero = emitter.integers([0])
    return emitter.node("Slice", rows, zero, zero, emitter.integers([1]))


@lowers(idx.CountUp)
def count_up_to(context: Context, count: Term) -> Term:
    """ONNX ``Range`` up to a computed number."""
    emitter = context.emitter
    return emitter.node("Range", emitter.constant(0, INT64), count, emitter.constant(1, INT64))
