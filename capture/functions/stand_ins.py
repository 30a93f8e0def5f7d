"""Small real arrays that stand in for tensors, so that NumPy itself says what it would do.

A stand-in has the dtype, rank and axis order in memory of its tensor, but at most two elements
along an axis. Where a rule depends on nothing else (dtype, layout, view or copy, refusals) the
answer is NumPy's own, whatever its version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.views import Owned, concrete_shape, contiguous_shadow, keeps_c_order, shadow_of

if TYPE_CHECKING:
    from capture.tensor import Tensor
    from ir.dims import Shape


class StandIn(NamedTuple):
    """What NumPy's rules see of an operand.

    Attributes:
        dtype: The dtype.
        shape: 1 where the size is 1, otherwise 2.
        order: Axes from the outermost in memory to the innermost.
        repeated: Axes of a broadcast view, which have no extent in memory.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: tuple[int, ...]
    repeated: tuple[int, ...]

    def array(self) -> np.ndarray[Any, Any]:
        """Return a new array of zeros."""
        sizes = [1 if a in self.repeated else self.shape[a] for a in self.order]
        inverse = sorted(range(len(self.order)), key=self.order.__getitem__)
        return np.broadcast_to(np.zeros(sizes, self.dtype).transpose(inverse), self.shape)

    def writeable_array(self) -> np.ndarray[Any, Any]:
        """Return a new array of zeros that can be written, for ``out=``."""
        return np.zeros(self.shape, self.dtype)


def stand_in(tensor: Tensor) -> StandIn:
    """Describe a tensor."""
    strides = shadow_of(tensor).strides
    shape = tuple(1 if dim == 1 else 2 for dim in tensor._type.shape)
    order = tuple(sorted(range(len(shape)), key=lambda axis: -abs(strides[axis])))
    repeated = tuple(axis for axis, stride in enumerate(strides) if not stride)
    return StandIn(tensor.dtype, shape, order, repeated)


def memory_order(array: np.ndarray[Any, Any]) -> tuple[int, ...] | None:
    """Return axes from the outermost to the innermost, ``None`` for C order."""
    if array.flags.c_contiguous:
        return None
    order = tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))
    return None if order == tuple(range(array.ndim)) else order


def laid_out(shape: Shape, order: tuple[int, ...] | None) -> Owned | None:
    """Return the state of a fresh array with axes in this memory order."""
    if order is None:
        return None
    return Owned(contiguous_shadow(concrete_shape(shape), order))


def reduced_layout(x: Tensor, axes: tuple[int, ...], result: Shape) -> Owned | None:
    """Return the layout NumPy gives the reduction of ``x`` over axes, of this shape."""
    if len(result) < 2 or keeps_c_order(x):
        return None
    array = stand_in(x)._replace(dtype=np.dtype(np.int8)).array()
    folded: Any = np.sum(array, axis=axes, keepdims=len(result) == x.ndim)
    return laid_out(result, memory_order(folded))
