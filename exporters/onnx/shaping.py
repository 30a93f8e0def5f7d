"""Ops that move, repeat or join elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx.legality import INT64
from exporters.onnx.lowering import Context, lowers
from ir.dims import Dim
from ir.ops import shaping as shp

if TYPE_CHECKING:
    from exporters.onnx.term import Term


@lowers(shp.Reshape)
def reshape(context: Context, x: Term) -> Term:
    """ONNX ``Reshape``."""
    return context.sizes.reshape(x, context.shape(0), context.result_shape)


@lowers(shp.Transpose)
def transpose(context: Context, x: Term) -> Term:
    """ONNX ``Transpose``; nothing where no axis moves."""
    op = context.node.op
    assert isinstance(op, shp.Transpose)
    if op.axes == tuple(range(len(op.axes))):
        return x
    return context.emitter.apply("Transpose", x, perm=list(op.axes))


@lowers(shp.BroadcastTo)
def broadcast_to(context: Context, x: Term) -> Term:
    """ONNX ``Expand``."""
    return context.sizes.expand(x, context.shape(0), context.result_shape)


@lowers(shp.Concatenate)
def concatenate(context: Context, *operands: Term) -> Term:
    """ONNX ``Concat``."""
    op = context.node.op
    assert isinstance(op, shp.Concatenate)
    if len(operands) == 1:
        return operands[0]
    return context.emitter.apply("Concat", *operands, axis=op.axis)


@lowers(shp.Pad)
def pad(context: Context, x: Term, value: Term) -> Term:
    """ONNX ``Pad`` with a constant; a 0-d operand has nothing around it."""
    op = context.node.op
    assert isinstance(op, shp.Pad)
    widths = (*op.before, *op.after)
    if all(width == 0 for width in widths):
        return x
    return context.emitter.apply("Pad", x, context.sizes.vector(widths), value)


@lowers(shp.Iota)
def iota(context: Context) -> Term:
    """ONNX ``Range``."""
    op = context.node.op
    assert isinstance(op, shp.Iota)
    return count_up(context, op.size)


def count_up(context: Context, size: int | Dim) -> Term:
    """Return 0, 1 … ``size - 1`` as int64."""
    emitter = context.emitter
    zero, one = emitter.constant(0, INT64), emitter.constant(1, INT64)
    return emitter.node("Range", zero, context.sizes.scalar(size), one)


@lowers(shp.DimValue)
def dim_value(context: Context) -> Term:
    """A run-time size, or the constant it turned out to be."""
    op = context.node.op
    assert isinstance(op, shp.DimValue)
    return context.sizes.scalar(op.dim)
