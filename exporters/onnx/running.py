"""Running reductions along an axis."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from exporters.onnx.legality import INT32, INT64, Carriers
from exporters.onnx.loops import counted_loop, while_loop
from exporters.onnx.lowering import Context, lowers
from ir.dims import Dim
from ir.ops import reduction as red
from ir.types import BOOL, FLOATING

if TYPE_CHECKING:
    from collections.abc import Callable

    from exporters.onnx.term import Term

_UNROLLED = 16
"""Up to this length a float product is written out step by step."""


def _axis(context: Context) -> int:
    op = context.node.op
    assert isinstance(op, red.RunningReduction)
    return op.axis


@lowers(red.CumSum)
def cumsum(context: Context, x: Term) -> Term:
    """ONNX ``CumSum``; narrow integers in a wider ring."""
    return context.emitter.apply("CumSum", x, context.emitter.constant(_axis(context), INT64))


@lowers(red.CumProd)
def cumprod(context: Context, x: Term) -> Term:
    """ONNX ``CumProd`` where the opset has it; before, integers by doubling, floats in order.

    In another order a float product may overflow where the running one does not.
    """
    emitter = context.emitter
    if emitter.legality.carrier("CumProd", x.dtype, Carriers.RING) is not None:
        return emitter.apply("CumProd", x, emitter.constant(_axis(context), INT64))
    if x.dtype not in FLOATING:
        ring = INT64 if x.dtype.itemsize == 8 else INT32
        return _doubling(context, x.to(ring), lambda a, b: a * b).to(x.dtype)
    carrier = emitter.legality.carrier("Mul", x.dtype, Carriers.RING)
    if carrier is None:
        raise emitter.refusal("Mul", x.dtype, Carriers.RING)
    return _in_order(context, x.to(carrier)).to(x.dtype)


@lowers(red.CumMax, red.CumMin)
def cumulative_extreme(context: Context, x: Term) -> Term:
    """By doubling, NaN staying once met."""
    largest = isinstance(context.node.op, red.CumMax)
    if x.dtype == BOOL:
        return _doubling(context, x, (lambda a, b: a | b) if largest else (lambda a, b: a & b))
    key = "Max" if largest else "Min"
    legality = context.emitter.legality
    carrier = x.dtype if x.dtype == INT64 else legality.carrier(key, x.dtype, Carriers.ORDER)
    if carrier is None:
        raise context.emitter.refusal(key, x.dtype, Carriers.ORDER)
    combine: Callable[[Term, Term], Term] = (
        (lambda a, b: a.maximum(b)) if largest else (lambda a, b: a.minimum(b))
    )
    return _doubling(context, x.to(carrier), combine).to(x.dtype)


def _part(x: Term, axis: int, start: Term, stop: Term) -> Term:
    return x.emitter.apply("Slice", x, start, stop, x.emitter.integers([axis]))


def _doubling(context: Context, x: Term, combine: Callable[[Term, Term], Term]) -> Term:
    """Combine each element with that 1, 2, 4 … before it; the order must not matter."""
    emitter, axis = context.emitter, _axis(context)
    length = context.shape(0)[axis]
    zero = emitter.integers([0])

    def shifted(x: Term, shift: Term, size: Term) -> Term:
        head = _part(x, axis, zero, shift)
        tail = combine(_part(x, axis, shift, size), _part(x, axis, zero, size - shift))
        return emitter.apply("Concat", head, tail, axis=axis)

    size = context.sizes.dim(length)
    if not isinstance(length, Dim):
        shift = 1
        while shift < length:
            x = shifted(x, emitter.integers([shift]), size)
            shift *= 2
        return x

    def holds(x: Term, shift: Term) -> Term:
        return emitter.node("Squeeze", shift < size, zero)

    def step(x: Term, shift: Term) -> tuple[Term, ...]:
        return shifted(x, shift, size), shift + shift

    return while_loop(emitter, (x, emitter.integers([1])), holds, step)[0]


def _in_order(context: Context, x: Term) -> Term:
    """Multiply element by element: written out for short axes, else in a loop."""
    emitter, axis, shape = context.emitter, _axis(context), context.shape(0)
    length = shape[axis]
    if length in (0, 1):
        return x
    if not isinstance(length, Dim) and length <= _UNROLLED:
        ends = [emitter.integers([end]) for end in range(length + 1)]
        parts = [_part(x, axis, ends[0], ends[1])]
        for start, stop in itertools.pairwise(ends[1:]):
            parts.append(parts[-1] * _part(x, axis, start, stop))
        return emitter.apply("Concat", *parts, axis=axis)

    def step(index: Term, product: Term) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        product = product * emitter.node("Gather", x, index, axis=axis)
        return (product,), (product,)

    rest = (*shape[:axis], *shape[axis + 1 :])
    one = context.sizes.expand(emitter.constant(1, x.dtype), (), rest)
    stacked = counted_loop(emitter, context.sizes.scalar(length), (one,), step)[1]
    moved = (length, *rest)
    if isinstance(length, Dim):  # no step at all leaves a stack without the other axes
        stacked = emitter.apply("Reshape", stacked, context.sizes.vector(moved), allowzero=1)
    order = [*range(1, axis + 1), 0, *range(axis + 1, len(shape))]
    return stacked if axis == 0 else emitter.apply("Transpose", stacked, perm=order)
