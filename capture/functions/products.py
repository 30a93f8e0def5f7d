"""Products element by element over combined axes: ``outer``, ``kron``, ``cross``."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.errors import UnsupportedError
from capture.functions.arguments import single_axis
from capture.functions.contractions import operands
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis
from capture.location import here
from capture.tensor import Tensor
from capture.views import Owned
from ir.dims import Dim
from ir.shapes import product


@implements(np.outer)
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """``numpy.outer``: of the elements in C order."""
    x, y = operands("outer", a, b) if out is None else operands("outer", a, b, out)[:2]
    column, row = x.reshape(-1, 1), y.reshape(1, -1)
    return np.multiply(column, row, out=out) if out is not None else np.multiply(column, row)


@implements(np.linalg.outer)
def linalg_outer(x1: Any, x2: Any, /) -> Any:
    """``numpy.linalg.outer``: of vectors only."""
    x, y = operands("linalg.outer", x1, x2)
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x.ndim} and x2.ndim={y.ndim}."
        )
    return outer(x, y)


@implements(np.kron)
def kron(a: Any, b: Any) -> Any:
    """``numpy.kron``: blocks of ``b`` scaled by the elements of ``a``."""
    x, y = operands("kron", a, b)
    if not x.ndim or not y.ndim:
        return np.multiply(x, y)
    rank = max(x.ndim, y.ndim)
    left = (1,) * (rank - x.ndim) + x._type.shape
    right = (1,) * (rank - y.ndim) + y._type.shape
    interleave = [size for pair in zip(left, (1,) * rank, strict=True) for size in pair]
    blocks = [size for pair in zip((1,) * rank, right, strict=True) for size in pair]
    scaled = np.multiply(x.reshape(interleave), y.reshape(blocks))
    return scaled.reshape([product(pair) for pair in zip(left, right, strict=True)])


@implements(np.cross)
def cross(
    a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Any:
    """``numpy.cross``: of vectors of 2 or 3 components."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = operands("cross", a, b)
    if not x.ndim or not y.ndim:
        raise ValueError("At least one array has zero dimension")
    x = moveaxis(x, single_axis(axisa, x.ndim), -1)
    y = moveaxis(y, single_axis(axisb, y.ndim), -1)
    sizes = (_components(x), _components(y))
    if not set(sizes) <= {2, 3}:
        raise ValueError(
            "incompatible dimensions for cross product\n(dimension must be 2 or 3)"
        )
    dtype = np.promote_types(x.dtype, y.dtype)
    first = [x[..., i].astype(dtype) for i in range(sizes[0])]
    second = [y[..., i].astype(dtype) for i in range(sizes[1])]
    third = first[0] * second[1] - first[1] * second[0]
    if sizes == (2, 2):
        if not third.ndim:
            third._state = Owned()
        return third
    parts = [*_in_plane(first, second), third]
    vectors = np.stack(np.broadcast_arrays(*parts), axis=-1)
    return moveaxis(vectors, -1, single_axis(axisc, vectors.ndim))


def _components(x: Tensor) -> int:
    size = x._type.shape[-1]
    if isinstance(size, Dim):
        raise UnsupportedError(
            f"cross: the vectors of {x._type} have a symbolic number of components{here(2)}\n"
            "  ways out: declare that axis with the number 2 or 3"
        )
    return size


def _in_plane(first: list[Any], second: list[Any]) -> tuple[Any, Any]:
    """Return the first two components; a vector of two has a third of zero."""
    if len(first) == 2:
        return first[1] * second[2], -(first[0] * second[2])
    if len(second) == 2:
        return -(first[2] * second[1]), first[2] * second[0]
    return (
        first[1] * second[2] - first[2] * second[1],
        first[2] * second[0] - first[0] * second[2],
    )


@implements(np.linalg.cross)
def linalg_cross(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    """``numpy.linalg.cross``: of vectors of 3 components."""
    x, y = operands("linalg.cross", x1, x2)
    sizes = [_components(moveaxis(z, axis, -1)) for z in (x, y)]
    if sizes != [3, 3]:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{sizes[0]} and {sizes[1]} dimensional instead."
        )
    return cross(x, y, axis=axis)
