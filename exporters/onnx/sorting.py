"""Stable sorting by ONNX ``TopK``, NaN last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.legality import FLOAT64, INT64, UINT8, Carriers
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.reduction import back_in_order, in_order
from exporters.onnx.shaping import count_up
from ir.ops import indexing as idx
from ir.types import FLOATING

if TYPE_CHECKING:
    from exporters.onnx.term import Term


def _axis(context: Context) -> int:
    op = context.node.op
    assert isinstance(op, idx.Sort | idx.ArgSort)
    return op.axis


def _ascending(context: Context, x: Term) -> tuple[Term, Term]:
    """Return sorted elements and their positions; of equals the earlier one comes first."""
    emitter, axis = context.emitter, _axis(context)
    carrier = emitter.legality.carrier("TopK", x.dtype, Carriers.ORDER)
    if carrier is None:
        raise emitter.refusal("TopK", x.dtype, Carriers.ORDER)
    count = context.sizes.dim(context.shape(0)[axis])
    values, positions = emitter.nodes(
        "TopK", x.to(carrier), count, results=[carrier, INT64], axis=axis, largest=0, sorted=1
    )
    return values, positions


@lowers(idx.Sort)
def sort(context: Context, x: Term) -> Term:
    """NaN sorts as infinity, and as many of the last elements become NaN again."""
    if x.dtype not in FLOATING:
        values, _ = _ascending(context, in_order(x))
        return back_in_order(values.to(in_order_dtype(x)), x)
    emitter, axis = context.emitter, _axis(context)
    nan = x.is_nan()
    values, _ = _ascending(context, nan.where(np.inf, x))
    count = emitter.node("ReduceSum", nan.to(INT64), emitter.integers([axis]), keepdims=1)
    shape = context.shape(0)
    position = count_up(context, shape[axis])
    line = tuple(shape[axis] if a == axis else 1 for a in range(len(shape)))
    position = context.sizes.reshape(position, (shape[axis],), line)
    numbers = context.sizes.scalar(shape[axis]) - count
    return (position >= numbers).where(np.nan, values).to(x.dtype)


def in_order_dtype(x: Term) -> np.dtype[np.generic]:
    """Return the dtype that :func:`in_order` gives."""
    return INT64 if x.dtype.name == "uint64" else x.dtype


@lowers(idx.ArgSort)
def argsort(context: Context, x: Term) -> Term:
    """Narrow floats leave room above infinity for NaN; float64 sorts a second time by it."""
    if x.dtype not in FLOATING:
        return _ascending(context, in_order(x))[1]
    if x.dtype != FLOAT64:
        wide = x.to(FLOAT64)
        finite = wide.equals(np.inf).where(1e300, wide)
        return _ascending(context, wide.is_nan().where(1e301, finite))[1]
    emitter, axis = context.emitter, _axis(context)
    nan = x.is_nan()
    _, first = _ascending(context, nan.where(np.inf, x))
    flags = emitter.node("GatherElements", nan.to(UINT8), first, axis=axis)
    _, second = _ascending(context, flags)
    return emitter.node("GatherElements", first, second, axis=axis)
