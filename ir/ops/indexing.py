"""Reading and writing at computed positions, and sizes that depend on data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ir.dims import Dim
from ir.errors import DTypeError, ShapeError
from ir.ops.base import ParameterizedOp, expect_operands, parameterized
from ir.shapes import broadcast
from ir.types import BOOL, INT64, TensorType

if TYPE_CHECKING:
    from ir.ops.base import Array


def _expect_indices(name: str, indices: TensorType) -> None:
    if indices.dtype != INT64:
        raise DTypeError(f"{name}: indices must be i64, got {indices}")


@parameterized
class Take(ParameterizedOp):
    """Slices of operand 0 along ``axis`` at the positions in operand 1 (negative: from the end).

    The index axes replace ``axis``. A position outside the axis is an error at run time.
    """

    name = "take"
    axis: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 2)
        x, indices = operands
        _expect_indices("take", indices)
        if not 0 <= self.axis < x.rank:
            raise ShapeError(f"take: axis {self.axis} does not fit {x}")
        shape = (*x.shape[: self.axis], *indices.shape, *x.shape[self.axis + 1 :])
        return (TensorType(x.dtype, shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, indices = operands
        return (np.asarray(np.take(x, indices, axis=self.axis)),)


@parameterized
class TakeAlongAxis(ParameterizedOp):
    """One element per position in operand 1; the other axes broadcast."""

    name = "take_along_axis"
    axis: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 2)
        x, indices = operands
        _expect_indices("take_along_axis", indices)
        if x.rank != indices.rank or not 0 <= self.axis < x.rank:
            raise ShapeError(
                f"take_along_axis: {indices} does not fit {x} on axis {self.axis}"
            )
        rest = tuple(1 if a == self.axis else d for a, d in enumerate(x.shape))
        spread = tuple(1 if a == self.axis else d for a, d in enumerate(indices.shape))
        shape = list(broadcast(rest, spread))
        shape[self.axis] = indices.shape[self.axis]
        return (TensorType(x.dtype, tuple(shape)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, indices = operands
        return (np.take_along_axis(x, indices, axis=self.axis),)


def _coordinates(indices: Array) -> tuple[Array, ...]:
    return tuple(np.moveaxis(indices, -1, 0))


def _indexed_window(name: str, x: TensorType, indices: TensorType) -> tuple[int | Dim, ...]:
    _expect_indices(name, indices)
    depth = indices.shape[-1] if indices.rank else None
    if not isinstance(depth, int) or not 0 < depth <= x.rank:
        raise ShapeError(f"{name}: last axis of {indices} must count leading axes of {x}")
    return (*indices.shape[:-1], *x.shape[depth:])


@parameterized
class GatherND(ParameterizedOp):
    """Operand 0 at coordinates: the last axis of operand 1 indexes its leading axes together."""

    name = "gather_nd"

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 2)
        x, indices = operands
        return (TensorType(x.dtype, _indexed_window("gather_nd", x, indices)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, indices = operands
        return (np.asarray(x[_coordinates(indices)]),)


_COMBINE: dict[str, Any] = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@parameterized
class ScatterND(ParameterizedOp):
    """Operand 0 with operand 2 written at the coordinates in operand 1.

    ``combine`` is ``"set"`` (the last of repeated coordinates wins), ``"add"``, ``"multiply"``,
    ``"maximum"`` or ``"minimum"`` (repeated coordinates accumulate, as ``numpy.ufunc.at``).
    """

    name = "scatter_nd"
    combine: str = "set"

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 3)
        x, indices, updates = operands
        if self.combine != "set" and self.combine not in _COMBINE:
            raise ShapeError(f"scatter_nd: combine={self.combine!r} is unknown")
        if x.dtype != updates.dtype:
            raise DTypeError(f"scatter_nd: dtypes differ: {x} and {updates}")
        window = _indexed_window("scatter_nd", x, indices)
        if updates.shape != window:
            raise ShapeError(f"scatter_nd: updates {updates} do not fill {window}")
        return (x,)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, indices, updates = operands
        result = x.copy()
        where = _coordinates(indices)
        if self.combine == "set":
            result[where] = updates
        else:
            _COMBINE[self.combine].at(result, where, updates)
        return (result,)


@parameterized
class NonZero(ParameterizedOp):
    """Coordinates of true elements in C order, i64[count, rank]; ``count`` is a fresh symbol."""

    name = "nonzero"
    defines_symbols = True
    count: int | Dim

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        if x.dtype != BOOL:
            raise DTypeError(f"nonzero: takes bool, got {x}; compare with zero first")
        return (TensorType(INT64, (self.count, x.rank)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.argwhere(operands[0]).astype(np.int64),)


@parameterized
class CountUp(ParameterizedOp):
    """``numpy.arange`` of a captured 0-d i64; ``count`` is a fresh symbol."""

    name = "count_up"
    defines_symbols = True
    count: int | Dim

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        if operands[0] != TensorType(INT64, ()):
            raise DTypeError(f"count_up: takes i64[], got {operands[0]}")
        return (TensorType(INT64, (self.count,)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.arange(int(operands[0]), dtype=np.int64),)


@parameterized
class Sort(ParameterizedOp):
    """Elements in ascending order along ``axis``, NaN last (``numpy.sort``)."""

    name = "sort"
    axis: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        if not 0 <= self.axis < operands[0].rank:
            raise ShapeError(f"sort: axis {self.axis} does not fit {operands[0]}")
        return (operands[0],)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.sort(operands[0], axis=self.axis, kind="stable"),)


@parameterized
class ArgSort(ParameterizedOp):
    """Positions that sort stably along ``axis``, NaN last (``numpy.argsort(kind="stable")``)."""

    name = "argsort"
    axis: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        if not 0 <= self.axis < operands[0].rank:
            raise ShapeError(f"argsort: axis {self.axis} does not fit {operands[0]}")
        return (TensorType(INT64, operands[0].shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.argsort(operands[0], axis=self.axis, kind="stable"),)
