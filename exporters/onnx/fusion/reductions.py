"""Means, norms, and the largest element where a NaN shows anyway.

``ReduceSumSquare``, ``ReduceL2`` and ``ReduceLogSumExp`` are for other runtimes only: in ONNX
Runtime they are two to nine times slower than the ops they stand for, and lose digits on long axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Number, Pattern, Result, squared
from exporters.onnx.fusion.rules import EXACT, Site, Stage, fuses
from exporters.onnx.reduction import AXES_ARE_INPUT_SINCE
from exporters.onnx.shapes import at_least
from ir.ops import elementwise as ew
from ir.ops import interned
from ir.ops import reduction as red
from ir.ops.reduction import reduced_shape
from ir.ops.shaping import DimValue
from ir.shapes import product
from ir.types import TensorType

if TYPE_CHECKING:
    from exporters.onnx.lowering import Context
    from exporters.onnx.term import Term
    from ir.dims import DimLike
    from ir.graph import Node, Value
    from ir.ops.base import Array

X = Pattern("x")


def _has_axes(node: Node) -> bool:
    """Whether there is something to reduce; ONNX takes no axes for all axes."""
    op = node.op
    assert isinstance(op, red.Reduction)
    return bool(op.axes)


def is_never_empty(node: Node) -> bool:
    """Whether a reduction has axes, and none of them can be empty."""
    op, shape = node.op, node.inputs[0].type.shape
    assert isinstance(op, red.Reduction)
    return bool(op.axes) and all(at_least(shape[axis], 1) for axis in op.axes)


class NativeReduction(Native):
    """Base: a reduction over axes, which became an operand with opset 18."""

    axes: tuple[int, ...]
    keepdims: bool

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        (x,) = operands
        return (TensorType(x.dtype, reduced_shape(x.shape, self.axes, self.keepdims)),)

    def write(self, context: Context, *operands: Term) -> Term:
        """Write the node with its axes where the opset wants them."""
        emitter, keepdims = context.emitter, int(self.keepdims)
        (x,) = operands
        if emitter.opset >= AXES_ARE_INPUT_SINCE:
            axes = emitter.integers(self.axes)
            return emitter.node(self.operator, x, axes, keepdims=keepdims)
        return emitter.node(self.operator, x, axes=list(self.axes), keepdims=keepdims)


# --- means --------------------------------------------------------------------------------


@native("ReduceMean")
class ReduceMean(NativeReduction):
    """The mean over axes that are not empty."""

    axes: tuple[int, ...]
    keepdims: bool

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.asarray(np.mean(operands[0], self.axes, keepdims=self.keepdims)),)


_SUM = Result(red.Sum, X, name="sum", test=is_never_empty)  # of nothing the runtime gives 0
_SIZE = Result(ew.Cast, Result(DimValue, name="size"))


def _mean(site: Site) -> Value:
    op = site.op("sum")
    return site.apply(ReduceMean(op.axes, op.keepdims), site["x"])


def _length(site: Site) -> DimLike:
    op, shape = site.op("sum"), site["x"].type.shape
    return product(shape[axis] for axis in op.axes)


@fuses(
    Result(ew.divide, _SUM, Number(name="count")),
    Result(ew.multiply, _SUM, Number(name="part")),
    dtypes=EXACT,
    kernels=("ReduceMean",),
)
def mean(site: Site) -> Value | None:
    """A sum over axes divided by their length is ``ReduceMean``, where they cannot be empty."""
    length = _length(site)
    if not isinstance(length, int) or not site.keeps_type("sum"):
        return None
    if "count" in site:
        return _mean(site) if site.number("count") == length else None
    exact = site.type.dtype.type(1 / length)
    return _mean(site) if site.array("part").reshape(()) == exact else None


@fuses(
    Result(ew.divide, _SUM, _SIZE),
    dtypes=EXACT,
    kernels=("ReduceMean",),
    shared=True,
)
def mean_over_open_axes(site: Site) -> Value | None:
    """The same where the length is a size of the run that is known to be 1 or more."""
    return _mean(site) if site.op("size").dim == _length(site) else None


# --- logarithms of sums -------------------------------------------------------------------


@native("ReduceMax")
class CarelessMax(NativeReduction):
    """The largest element over axes that are not empty; a NaN may be overlooked."""

    axes: tuple[int, ...]
    keepdims: bool

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.asarray(np.max(operands[0], self.axes, keepdims=self.keepdims)),)


_LARGEST = Result(red.Max, X, name="max", test=is_never_empty)
_POWERS = Result(ew.exp, Result(ew.subtract, X, _LARGEST))
_LOG_SUM_EXP = Result(ew.add, _LARGEST, Result(ew.log, Result(red.Sum, _POWERS, name="sum")))


def _is_over_the_same_axes(site: Site) -> bool:
    """Whether the largest is taken away, and the sum taken, along the same axes, which stay."""
    op: red.Max = site.op("max")
    return op.keepdims and site.op("sum") == red.Sum(op.axes, True)


@fuses(
    _LOG_SUM_EXP,
    stage=Stage.FINISH,
    dtypes=EXACT,
    kernels=("ReduceMax",),
)
def log_sum_exp(site: Site) -> Value | None:
    """In a logarithm of a sum of exponentials the largest need not look for NaN: the sum does."""
    if not _is_over_the_same_axes(site):
        return None
    op: red.Max = site.op("max")
    x, largest = site["x"], site.apply(CarelessMax(op.axes, True), site["x"])
    powers = site.apply(ew.exp, site.apply(ew.subtract, x, largest))
    total = site.apply(interned(red.Sum, op.axes, True), powers)
    return site.apply(ew.add, largest, site.apply(ew.log, total))


# --- for other runtimes -------------------------------------------------------------------


@native("ReduceSumSquare")
class ReduceSumSquare(NativeReduction):
    """The sum of squares over axes."""

    axes: tuple[int, ...]
    keepdims: bool

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        return (np.asarray(np.sum(x * x, self.axes, keepdims=self.keepdims, dtype=x.dtype)),)


@native("ReduceL2")
class ReduceL2(NativeReduction):
    """The square root of the sum of squares over axes."""

    axes: tuple[int, ...]
    keepdims: bool

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        return (np.sqrt(np.sum(x * x, self.axes, keepdims=self.keepdims, dtype=x.dtype)),)


@native("ReduceLogSumExp")
class ReduceLogSumExp(NativeReduction):
    """``log(sum(exp(x)))`` over axes that are not empty, without overflow."""

    axes: tuple[int, ...]
    keepdims: bool

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        largest = x.max(self.axes, keepdims=True)
        total = np.log(np.exp(x - largest).sum(self.axes, keepdims=True)) + largest
        return (np.asarray(total if self.keepdims else total.squeeze(self.axes)),)


_SQUARES = Result(red.Sum, squared(X), name="sum", test=_has_axes)


@fuses(
    Result(ew.sqrt, _SQUARES), level=2, stage=Stage.WHOLES, dtypes=EXACT, kernels=("ReduceL2",)
)
def norm(site: Site) -> Value | None:
    """The root of a sum of squares is ``ReduceL2``, for ``target="standard"``."""
    op = site.op("sum")
    if site.legality.target != "standard":
        return None
    return site.apply(ReduceL2(op.axes, op.keepdims), site["x"])


@fuses(_SQUARES, level=2, stage=Stage.FINISH, dtypes=EXACT, kernels=("ReduceSumSquare",))
def sum_of_squares(site: Site) -> Value | None:
    """A sum of squares is ``ReduceSumSquare``, for ``target="standard"``."""
    op = site.op("sum")
    if site.legality.target != "standard":
        return None
    return site.apply(ReduceSumSquare(op.axes, op.keepdims), site["x"])


@fuses(
    _LOG_SUM_EXP,
    level=2,
    stage=Stage.WHOLES,
    dtypes=EXACT,
    kernels=("ReduceLogSumExp",),
)
def whole_log_sum_exp(site: Site) -> Value | None:
    """A logarithm of a sum of exponentials is one operator, for ``target="standard"``."""
    if site.legality.target != "standard" or not _is_over_the_same_axes(site):
        return None
    op: red.Max = site.op("max")
    return site.apply(ReduceLogSumExp(op.axes, True), site["x"])
