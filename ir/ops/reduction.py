"""Reductions and running reductions over axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ir.errors import DTypeError, ShapeError
from ir.ops.base import ParameterizedOp, expect_operands, parameterized
from ir.types import BOOL, INT64, TensorType

if TYPE_CHECKING:
    from ir.dims import Shape
    from ir.ops.base import Array


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """Return the shape after removing ``axes`` (or leaving them as 1)."""
    if keepdims:
        return tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    return tuple(dim for axis, dim in enumerate(shape) if axis not in axes)


class Reduction(ParameterizedOp):
    """A ufunc folded over ``axes`` (sorted, non-negative) without changing the dtype."""

    ufunc: ClassVar[np.ufunc]
    has_identity: ClassVar[bool] = True
    axes: tuple[int, ...]
    keepdims: bool

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        if any(not 0 <= axis < x.rank for axis in self.axes) or list(self.axes) != sorted(
            set(self.axes)
        ):
            raise ShapeError(f"{self.name}: axes {self.axes} do not fit {x}")
        if not self.has_identity and any(x.shape[axis] == 0 for axis in self.axes):
            raise ShapeError(
                f"{self.name}: zero-size array {x} has no {self.name}imum, "
                "which has no identity"
            )
        self.check_dtype(x)
        return (TensorType(x.dtype, reduced_shape(x.shape, self.axes, self.keepdims)),)

    def check_dtype(self, x: TensorType) -> None:
        """Raise unless the fold keeps the dtype."""
        loop = self.ufunc.resolve_dtypes((x.dtype, x.dtype, None))
        if loop[2] != x.dtype:
            raise DTypeError(f"{self.name}: folding {x} gives {loop[2]}; insert a cast")

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        folded = self.ufunc.reduce(x, axis=self.axes, keepdims=self.keepdims, dtype=x.dtype)
        return (np.asarray(folded),)


@parameterized
class Sum(Reduction):
    """Sum over axes (``numpy.add.reduce``)."""

    name = "sum"
    ufunc = np.add
    axes: tuple[int, ...]
    keepdims: bool = False


@parameterized
class Prod(Reduction):
    """Product over axes (``numpy.multiply.reduce``)."""

    name = "prod"
    ufunc = np.multiply
    axes: tuple[int, ...]
    keepdims: bool = False


@parameterized
class Max(Reduction):
    """Largest element over axes, NaN winning (``numpy.maximum.reduce``)."""

    name = "max"
    ufunc = np.maximum
    has_identity = False
    axes: tuple[int, ...]
    keepdims: bool = False


@parameterized
class Min(Reduction):
    """Smallest element over axes, NaN winning (``numpy.minimum.reduce``)."""

    name = "min"
    ufunc = np.minimum
    has_identity = False
    axes: tuple[int, ...]
    keepdims: bool = False


@parameterized
class All(Reduction):
    """Whether all elements hold (``numpy.logical_and.reduce``)."""

    name = "all"
    ufunc = np.logical_and
    axes: tuple[int, ...]
    keepdims: bool = False


@parameterized
class Any_(Reduction):
    """Whether any element holds (``numpy.logical_or.reduce``)."""

    name = "any"
    ufunc = np.logical_or
    axes: tuple[int, ...]
    keepdims: bool = False


class ArgReduction(ParameterizedOp):
    """Position of an extreme along one axis: the first of ties, a NaN before all."""

    function: ClassVar[Any]
    axis: int
    keepdims: bool

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        if not 0 <= self.axis < x.rank:
            raise ShapeError(f"{self.name}: axis {self.axis} does not fit {x}")
        if x.shape[self.axis] == 0:
            raise ShapeError(
                f"{self.name}: attempt to get {self.name} of an empty sequence: {x}"
            )
        return (TensorType(INT64, reduced_shape(x.shape, (self.axis,), self.keepdims)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        found = type(self).function(operands[0], axis=self.axis, keepdims=self.keepdims)
        return (np.asarray(found),)


@parameterized
class ArgMax(ArgReduction):
    """First position of the largest element (``numpy.argmax``)."""

    name = "argmax"
    function = staticmethod(np.argmax)
    axis: int
    keepdims: bool = False


@parameterized
class ArgMin(ArgReduction):
    """First position of the smallest element (``numpy.argmin``)."""

    name = "argmin"
    function = staticmethod(np.argmin)
    axis: int
    keepdims: bool = False


class RunningReduction(ParameterizedOp):
    """A ufunc accumulated along one axis without changing the dtype."""

    ufunc: ClassVar[np.ufunc]
    axis: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        if not 0 <= self.axis < x.rank:
            raise ShapeError(f"{self.name}: axis {self.axis} does not fit {x}")
        if x.dtype == BOOL and self.ufunc in (np.add, np.multiply):
            raise DTypeError(f"{self.name}: accumulating {x} needs a cast to an integer dtype")
        return (x,)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        return (self.ufunc.accumulate(x, axis=self.axis, dtype=x.dtype),)


@parameterized
class CumSum(RunningReduction):
    """Running sum along an axis (``numpy.add.accumulate``)."""

    name = "cumsum"
    ufunc = np.add
    axis: int


@parameterized
class CumProd(RunningReduction):
    """Running product along an axis (``numpy.multiply.accumulate``)."""

    name = "cumprod"
    ufunc = np.multiply
    axis: int


@parameterized
class CumMax(RunningReduction):
    """Running maximum along an axis (``numpy.maximum.accumulate``)."""

    name = "cummax"
    ufunc = np.maximum
    axis: int


@parameterized
class CumMin(RunningReduction):
    """Running minimum along an axis (``numpy.minimum.accumulate``)."""

    name = "cummin"
    ufunc = np.minimum
    axis: int
