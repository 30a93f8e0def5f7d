"""Reductions that need their elements in order: the reduced axes as one, in front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.coerce import lift
from capture.functions.arguments import NO_VALUE, axis_tuple
from capture.functions.shaping import permuted, reshaped
from capture.functions.sorting import sorted_along
from capture.tensor import Tensor
from ir.dims import bounds
from ir.ops import interned
from ir.ops.reduction import reduced_shape
from ir.ops.shaping import Pad
from ir.shapes import product

if TYPE_CHECKING:
    from ir.dims import DimLike, Shape


class Line(NamedTuple):
    """An array whose reduced axes are one, in front.

    Attributes:
        values: The array.
        axes: The axes it was reduced over, sorted.
        shape: The shape before.
    """

    values: Tensor
    axes: tuple[int, ...]
    shape: Shape

    @property
    def size(self) -> DimLike:
        """How many elements each reduction has."""
        return self.values._type.shape[0]

    def kept(self, result: Any, keepdims: Any) -> Any:
        """Return a result, which may have more leading axes, with its reduced axes as 1."""
        if not keepdims or keepdims is NO_VALUE:
            return result
        lead = result._type.shape[: result.ndim - (self.values.ndim - 1)]
        return reshaped(result, (*lead, *reduced_shape(self.shape, self.axes, True)))


def line_up(x: Tensor, axis: Any) -> Line:
    """Bring the axes to reduce to the front, as one."""
    shape = x._type.shape
    axes = axis_tuple(axis, x.ndim)
    rest = tuple(i for i in range(x.ndim) if i not in axes)
    front = permuted(x, (*axes, *rest))
    size = product(shape[i] for i in axes)
    return Line(reshaped(front, (size, *(shape[i] for i in rest))), axes, shape)


def without_nan(line: Line) -> tuple[Any, Any]:
    """Return the elements sorted with NaN, as infinity, behind, and how many are no NaN.

    Where there may be no elements at all, one more infinity lets position 0 be read.
    """
    values: Any = line.values
    mask = np.isnan(values)
    infinity = lift(values._recorder, np.inf, values.dtype)
    ordered = sorted_along(np.where(mask, infinity, values), 0)
    if not (bounds(line.size)[0] or 0):
        ends = (0,) * values.ndim
        ordered = values._recorder.apply(
            interned(Pad, ends, (1, *ends[1:])), ordered, infinity
        )
    return ordered, np.sum(~mask, axis=0)
