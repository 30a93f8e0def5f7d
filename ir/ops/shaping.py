"""Ops that move, repeat or join elements without computing on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ir.dims import Dim, prove_eq, prove_le
from ir.errors import DTypeError, EvaluationError, ShapeError
from ir.ops.base import ParameterizedOp, expect_operands, parameterized
from ir.shapes import product, shape_text
from ir.types import INT64, TensorType

if TYPE_CHECKING:
    from ir.dims import DimLike, Shape
    from ir.ops.base import Array


@parameterized
class Reshape(ParameterizedOp):
    """Same elements in C order under another shape; no ``-1`` (capture resolves it)."""

    name = "reshape"
    shape: tuple[int | Dim, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        if product(x.shape) != product(self.shape) and not prove_eq(
            product(x.shape), product(self.shape)
        ):
            raise ShapeError(f"reshape: {x} does not fill {shape_text(self.shape)}")
        return (TensorType(x.dtype, self.shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (operands[0].reshape(self.shape),)


@parameterized
class Transpose(ParameterizedOp):
    """Axes in another order: result axis ``i`` is operand axis ``axes[i]``."""

    name = "transpose"
    axes: tuple[int, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        if sorted(self.axes) != list(range(x.rank)):
            raise ShapeError(f"transpose: axes {self.axes} do not fit {x}")
        return (TensorType(x.dtype, tuple(x.shape[axis] for axis in self.axes)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (operands[0].transpose(self.axes),)


@parameterized
class BroadcastTo(ParameterizedOp):
    """Repeat axes of size 1, and add leading axes, up to ``shape``."""

    name = "broadcast_to"
    shape: tuple[int | Dim, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        tail = self.shape[len(self.shape) - x.rank :]
        fits = x.rank <= len(self.shape) and all(
            dim == 1 or dim == want or prove_eq(dim, want)
            for dim, want in zip(x.shape, tail, strict=True)
        )
        if not fits:
            raise ShapeError(
                f"broadcast_to: {x} does not broadcast to {shape_text(self.shape)}"
            )
        return (TensorType(x.dtype, self.shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        shape: Any = self.shape  # numbers by now
        return (np.broadcast_to(operands[0], shape),)


@parameterized
class Concatenate(ParameterizedOp):
    """Join operands of one dtype along an existing axis."""

    name = "concatenate"
    axis: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        if not operands:
            raise ShapeError("concatenate: needs at least one operand")
        first = operands[0]
        if not 0 <= self.axis < first.rank:
            raise ShapeError(f"concatenate: axis {self.axis} does not fit {first}")
        total: DimLike = 0
        for other in operands:
            if other.dtype != first.dtype:
                raise DTypeError(f"concatenate: dtypes differ: {first} and {other}")
            if other.rank != first.rank or any(
                axis != self.axis and not (a == b or prove_eq(a, b))
                for axis, (a, b) in enumerate(zip(first.shape, other.shape, strict=True))
            ):
                raise ShapeError(
                    f"concatenate: {first} and {other} differ off axis {self.axis}"
                )
            total = total + other.shape[self.axis]
        shape = (*first.shape[: self.axis], total, *first.shape[self.axis + 1 :])
        return (TensorType(first.dtype, shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.concatenate(operands, axis=self.axis),)


def _slices(
    starts: tuple[DimLike, ...], sizes: tuple[DimLike, ...], steps: tuple[int, ...]
) -> tuple[slice, ...]:
    """Return Python slices for concrete starts, element counts and steps."""
    made = []
    for start, size, step in zip(starts, sizes, steps, strict=True):
        assert isinstance(start, int)
        assert isinstance(size, int)
        stop = start + size * step
        made.append(slice(start, stop if stop >= 0 else None, step) if size else slice(0, 0))
    return tuple(made)


def _check_inside(name: str, x: Array, found: Shape, wanted: Shape) -> None:
    if found != wanted:  # NumPy shortens a slice in silence
        raise EvaluationError(
            f"{name}: a window of {shape_text(wanted)} lies outside an array of "
            f"{shape_text(x.shape)}"
        )


def _check_window(name: str, x: TensorType, *lists: tuple[DimLike, ...]) -> None:
    if any(len(values) != x.rank for values in lists):
        raise ShapeError(f"{name}: starts, sizes and steps must name every axis of {x}")


@parameterized
class Slice(ParameterizedOp):
    """A regular window: along each axis ``sizes`` elements from ``starts`` by ``steps``.

    Every axis is named; starts are non-negative positions of the first element taken.
    """

    name = "slice"
    starts: tuple[int | Dim, ...]
    sizes: tuple[int | Dim, ...]
    steps: tuple[int, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        _check_window("slice", x, self.starts, self.sizes, self.steps)
        for size, dim, step in zip(self.sizes, x.shape, self.steps, strict=True):
            if step == 0 or prove_le(size, dim) is False:
                raise ShapeError(
                    f"slice: {size} elements by {step} do not fit an axis of {dim}"
                )
        return (TensorType(x.dtype, self.sizes),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        window = operands[0][_slices(self.starts, self.sizes, self.steps)]
        _check_inside("slice", operands[0], window.shape, self.sizes)
        return (window,)


@parameterized
class UpdateSlice(ParameterizedOp):
    """Operand 0 with the window of :class:`Slice` replaced by operand 1 (the window's shape)."""

    name = "update_slice"
    starts: tuple[int | Dim, ...]
    steps: tuple[int, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 2)
        x, update = operands
        if x.dtype != update.dtype:
            raise DTypeError(f"update_slice: dtypes differ: {x} and {update}")
        if update.rank != x.rank:
            raise ShapeError(f"update_slice: {update} is no window of {x}")
        _check_window("update_slice", x, self.starts, self.steps)
        return (x,)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, update = operands
        result = x.copy()
        key: Any = (*_slices(self.starts, update.shape, self.steps), ...)
        window = result[key]
        _check_inside("update_slice", x, window.shape, update.shape)
        window[...] = update
        return (result,)


@parameterized
class Pad(ParameterizedOp):
    """Operand 0 surrounded by the 0-d operand 1: ``before`` and ``after`` elements per axis."""

    name = "pad"
    before: tuple[int | Dim, ...]
    after: tuple[int | Dim, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 2)
        x, value = operands
        if x.dtype != value.dtype or value.rank:
            raise DTypeError(f"pad: fill value {value} does not fit {x}")
        if len(self.before) != x.rank or len(self.after) != x.rank:
            raise ShapeError(f"pad: widths must name every axis of {x}")
        shape = tuple(
            b + d + a for b, d, a in zip(self.before, x.shape, self.after, strict=True)
        )
        return (TensorType(x.dtype, shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, value = operands
        widths = list(zip(self.before, self.after, strict=True))
        if not widths:  # numpy.pad takes no 0-d array
            return (x,)
        return (np.pad(x, widths, constant_values=value),)  # type: ignore[arg-type]


@parameterized
class Iota(ParameterizedOp):
    """``numpy.arange(size)`` as int64."""

    name = "iota"
    size: int | Dim

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 0)
        return (TensorType(INT64, (self.size,)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        assert isinstance(self.size, int)
        return (np.arange(self.size, dtype=np.int64),)


@parameterized
class DimValue(ParameterizedOp):
    """The run-time number of a symbolic dimension, as a 0-d int64."""

    name = "dim_value"
    dim: int | Dim

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 0)
        return (TensorType(INT64, ()),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        assert isinstance(self.dim, int)
        return (np.array(self.dim, np.int64),)
