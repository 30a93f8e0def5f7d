"""Stable sorting by ONNX ``TopK``, NaN last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from exporters.onnx.legality import FLOAT64, INT64, UINT8, Carriers
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.reduction import back_in_order, in_order
from exporters.onnx.shapes import at_least
from exporters.onnx.shaping import count_up
from ir.dims import dim_min
from ir.ops import indexing as idx
from ir.shapes import product
from ir.types import FLOATING

if TYPE_CHECKING:
    from exporters.onnx.term import Term
    from ir.dims import DimLike, Shape


class Part(NamedTuple):
    """How far to sort.

    Attributes:
        axis: Along which axis.
        length: How many of the first elements are wanted.
    """

    axis: int
    length: DimLike


def _whole(context: Context) -> Part:
    op = context.node.op
    assert isinstance(op, idx.Sort | idx.ArgSort)
    return Part(op.axis, context.shape(0)[op.axis])


@dataclass(frozen=True)
class Sorted:
    """Sorted elements at index 0 and their positions at 1, each reshaped when it is asked for.

    Attributes:
        context: Where nodes go.
        results: Of the node.
        made: Their shape.
        wanted: The shape that they get.
    """

    context: Context
    results: tuple[Term, ...]
    made: Shape
    wanted: Shape

    def __getitem__(self, index: Literal[0, 1]) -> Term:
        return self.context.sizes.reshape(self.results[index], self.made, self.wanted)


def sorted_by_topk(context: Context, x: Term, part: Part, largest: bool = False) -> Sorted:
    """Return sorted elements and their positions; of equals the earlier one comes first.

    Where another axis may be empty, which ends the process of some releases unless no element
    is asked for, as many are asked for as there are in all.
    """
    emitter, shape = context.emitter, context.shape(0)
    carrier = emitter.legality.carrier("TopK", x.dtype, Carriers.ORDER)
    if carrier is None:
        raise emitter.refusal("TopK", x.dtype, Carriers.ORDER)
    others = [dim for axis, dim in enumerate(shape) if axis != part.axis]
    length = part.length
    if emitter.legality.faulty("TopK:no rows", carrier):
        length *= product(dim_min(dim, 1) for dim in others if not at_least(dim, 1))
    results = emitter.nodes(
        "TopK",
        x.to(carrier),
        context.sizes.dim(length),
        results=[carrier, INT64],
        axis=part.axis,
        largest=int(largest),
        sorted=1,
    )
    before, after = shape[: part.axis], shape[part.axis + 1 :]
    made, wanted = ((*before, size, *after) for size in (length, part.length))
    return Sorted(context, results, made, wanted)


@lowers(idx.Sort)
def sort(context: Context, x: Term) -> Term:
    """The elements in order."""
    return first_sorted(context, x, _whole(context))


@lowers(idx.ArgSort)
def argsort(context: Context, x: Term) -> Term:
    """The positions in order."""
    return first_positions(context, x, _whole(context))


def first_sorted(context: Context, x: Term, part: Part) -> Term:
    """NaN sorts as infinity, and as many of the last elements become NaN again."""
    if x.dtype not in FLOATING:
        values = sorted_by_topk(context, in_order(x), part)[0]
        return back_in_order(values.to(in_order_dtype(x)), x)
    emitter, axis = context.emitter, part.axis
    nan = x.is_nan()
    values = sorted_by_topk(context, nan.where(np.inf, x), part)[0]
    count = emitter.node("ReduceSum", nan.to(INT64), emitter.integers([axis]), keepdims=1)
    shape = context.shape(0)
    position = count_up(context, part.length)
    line = tuple(part.length if a == axis else 1 for a in range(len(shape)))
    position = context.sizes.reshape(position, (part.length,), line)
    numbers = context.sizes.scalar(shape[axis]) - count
    return (position >= numbers).where(np.nan, values).to(x.dtype)


def in_order_dtype(x: Term) -> np.dtype[np.generic]:
    """Return the dtype that :func:`in_order` gives."""
    return INT64 if x.dtype.name == "uint64" else x.dtype


def first_positions(context: Context, x: Term, part: Part) -> Term:
    """Narrow floats leave room above infinity for NaN; float64 sorts a second time by it."""
    if x.dtype not in FLOATING:
        return sorted_by_topk(context, in_order(x), part)[1]
    if x.dtype != FLOAT64:
        wide = x.to(FLOAT64).minimum(1e300)  # infinity is 1e300 now, and NaN still NaN
        return sorted_by_topk(context, wide.is_nan().where(1e301, wide), part)[1]
    emitter, axis = context.emitter, part.axis
    nan = x.is_nan()
    whole = Part(axis, context.shape(0)[axis])
    first = sorted_by_topk(context, nan.where(np.inf, x), whole)[1]
    flags = emitter.node("GatherElements", nan.to(UINT8), first, axis=axis)
    second = sorted_by_topk(context, flags, part)[1]
    return emitter.node("GatherElements", first, second, axis=axis)
