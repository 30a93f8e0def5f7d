"""Extremes that need not look for NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.normalizations import LogSoftmax, Softmax
from exporters.onnx.fusion.patterns import MadeBy, Pattern, Result
from exporters.onnx.fusion.reductions import CarelessMax, NativeReduction, is_never_empty
from exporters.onnx.fusion.rules import EXACT, Site, Stage, fuses
from exporters.onnx.legality import FLOAT32, FLOAT64
from exporters.onnx.shapes import at_least
from ir.ops import reduction as red
from ir.ops.reduction import reduced_shape
from ir.types import INT64, TensorType

if TYPE_CHECKING:
    from ir.graph import Value
    from ir.ops.base import Array

X = Pattern("x")


@native("ReduceMin")
class CarelessMin(NativeReduction):
    """The smallest element over axes that are not empty; a NaN may be overlooked."""

    axes: tuple[int, ...]
    keepdims: bool

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.asarray(np.min(operands[0], self.axes, keepdims=self.keepdims)),)


@fuses(
    Result(red.Max, X, name="max", test=is_never_empty),
    level=2,
    stage=Stage.FINISH,
    dtypes=EXACT,
    kernels=("ReduceMax",),
)
def careless_max(site: Site) -> Value | None:
    """A maximum over axes that cannot be empty is ``ReduceMax``, which overlooks NaN."""
    op = site.op("max")
    return site.apply(CarelessMax(op.axes, op.keepdims), site["x"])


@fuses(
    Result(red.Min, X, name="min", test=is_never_empty),
    level=2,
    stage=Stage.FINISH,
    dtypes=EXACT,
    kernels=("ReduceMin",),
)
def careless_min(site: Site) -> Value | None:
    """A minimum over axes that cannot be empty is ``ReduceMin``, which overlooks NaN."""
    op = site.op("min")
    return site.apply(CarelessMin(op.axes, op.keepdims), site["x"])


class CarelessPosition(Native):
    """Base: the first position of an extreme; a NaN may be overlooked."""

    nonnegative = True
    axis: int
    keepdims: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        shape = reduced_shape(operands[0].shape, (self.axis,), bool(self.keepdims))
        return (TensorType(INT64, shape),)


@native("ArgMax")
class CarelessArgMax(CarelessPosition):
    """The first position of the largest."""

    axis: int
    keepdims: int

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.argmax(operands[0], axis=self.axis, keepdims=bool(self.keepdims)),)


@native("ArgMin")
class CarelessArgMin(CarelessPosition):
    """The first position of the smallest."""

    axis: int
    keepdims: int

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.argmin(operands[0], axis=self.axis, keepdims=bool(self.keepdims)),)


_POSITIONS: dict[type[red.ArgReduction], type[CarelessArgMax | CarelessArgMin]] = {
    red.ArgMax: CarelessArgMax,
    red.ArgMin: CarelessArgMin,
}


@fuses(
    Result(red.ArgMax, X, name="position"),
    Result(red.ArgMin, X, name="position"),
    level=2,
    stage=Stage.FINISH,
)
def careless_position(site: Site) -> Value | None:
    """The position of an extreme is ``ArgMax`` or ``ArgMin``, which overlook NaN."""
    op, x = site.op("position"), site["x"]
    if x.type.dtype not in (FLOAT32, FLOAT64) or not at_least(x.type.shape[op.axis], 1):
        return None
    return site.apply(_POSITIONS[type(op)](op.axis, int(op.keepdims)), x)


@fuses(
    Result(red.ArgMax, MadeBy("x", Softmax, LogSoftmax), name="position"),
    Result(red.ArgMin, MadeBy("x", Softmax, LogSoftmax), name="position"),
    stage=Stage.FINISH,
)
def position_in_softmax(site: Site) -> Value | None:
    """Along a softmax all are NaN or none is, so that ``ArgMax`` need not look for it."""
    axis: int = site.op("x").axis
    return careless_position(site) if site.op("position").axis == axis else None
