"""Diagonals: diagonal, trace, diag, diagflat, fill_diagonal."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.access import make_view
from capture.coerce import cast, lift
from capture.errors import ReadOnlyError
from capture.functions.arguments import as_array, as_tensor
from capture.functions.positions import counting, gathered, is_single, scalar
from capture.functions.registry import implements
from capture.functions.shaping import reshaped
from capture.tensor import Tensor
from ir.dims import Dim, dim_max, dim_min, prove_eq
from ir.errors import AxisError
from ir.ops import interned
from ir.ops.indexing import Take
from ir.ops.shaping import Reshape, Slice, Transpose
from ir.shapes import normalize_axis, product

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from capture.views import Shadow
    from ir.dims import DimLike, Shape


class DiagonalStep:
    """The read-only view of a diagonal: the matrix laid flat, by its width plus one."""

    __slots__ = ("axes", "offset", "shape")
    writeable = False

    def __init__(self, offset: int, axes: tuple[int, int], shape: Shape) -> None:
        self.offset = offset
        self.axes = axes
        self.shape = shape

    @property
    def result_shape(self) -> Shape:
        """The other axes, then the diagonal."""
        rest = tuple(d for axis, d in enumerate(self.shape) if axis not in self.axes)
        return (*rest, diagonal_length(*self._sizes(), self.offset))

    def _sizes(self) -> tuple[DimLike, DimLike]:
        first, second = self.axes
        return self.shape[first], self.shape[second]

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Bring the two axes last, lay them flat, and pick every ``width + 1``-th element."""
        first, second = self.axes
        (rows, columns), offset = self._sizes(), self.offset
        if isinstance(columns, Dim) and not isinstance(rows, Dim):  # a known width slices
            first, second, rows, columns, offset = second, first, columns, rows, -offset
        *rest, length = self.result_shape
        others = [axis for axis in range(len(self.shape)) if axis not in self.axes]
        order = (*others, first, second)
        value = parent
        if order != tuple(range(len(order))):
            value = recorder.append(interned(Transpose, order), (value,))
        flat = (*rest, rows * columns)
        value = recorder.append(interned(Reshape, flat), (value,))
        start = offset if offset >= 0 else -offset * columns
        if isinstance(columns, Dim):
            positions = counting(recorder, length) * scalar(recorder, columns + 1)
            positions = positions + scalar(recorder, start)
            return recorder.append(interned(Take, len(rest)), (value, positions._read()))
        starts = (*(0 for _ in rest), 0 if length == 0 else start)
        steps = (*(1 for _ in rest), columns + 1)
        window = interned(Slice, starts, (*rest, length), steps)
        return recorder.append(window, (value,))

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Refuse, as NumPy does."""
        raise ReadOnlyError("assignment destination is read-only")

    def shadow(self, parent: Shadow) -> Shadow:
        """Take the shadow's diagonal."""
        return parent.diagonal(self.offset, *self.axes)


def diagonal_length(rows: DimLike, columns: DimLike, offset: int) -> DimLike:
    """Return how many elements a diagonal has."""
    below, right = max(-offset, 0), max(offset, 0)
    return dim_max(dim_min(rows - below, columns - right), 0)


@implements(np.diagonal)
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """``numpy.diagonal``: a read-only view."""
    x = as_array("diagonal", a)
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    axes = []
    for name, axis in (("axis1", axis1), ("axis2", axis2)):
        try:
            axes.append(normalize_axis(operator.index(axis), x.ndim))
        except AxisError as error:
            raise AxisError(f"{name}: {error}") from None
    if axes[0] == axes[1]:
        raise ValueError("axis1 and axis2 cannot be the same")
    step = DiagonalStep(operator.index(offset), (axes[0], axes[1]), x._type.shape)
    return make_view(x, step, step.result_shape)


@implements(np.linalg.diagonal)
def linalg_diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    """``numpy.linalg.diagonal``: of the last two axes."""
    return diagonal(x, offset, -2, -1)


@implements(np.trace)
def trace(
    a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None, out: Any = None
) -> Any:
    """``numpy.trace``."""
    return np.sum(diagonal(a, offset, axis1, axis2), -1, dtype=dtype, out=out)


@implements(np.linalg.trace)
def linalg_trace(x: Any, /, *, offset: Any = 0, dtype: Any = None) -> Any:
    """``numpy.linalg.trace``: of the last two axes."""
    return trace(x, offset, -2, -1, dtype)


@implements(np.diag)
def diag(v: Any, k: Any = 0) -> Any:
    """``numpy.diag``: a matrix from a vector, the read-only diagonal of a matrix."""
    x = as_array("diag", v)
    if x.ndim == 2:
        return diagonal(x, k)
    if x.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    return diagflat(x, k)


@implements(np.diagflat)
def diagflat(v: Any, k: Any = 0) -> Any:
    """``numpy.diagflat``."""
    x = as_array("diagflat", v).ravel()
    k = operator.index(k)
    padded = np.pad(x, (0, k) if k >= 0 else (-k, 0))
    size = padded._type.shape[0]  # type: ignore[attr-defined]
    on_diagonal = as_column(x._recorder, size) + k == counting(x._recorder, size)
    zero = lift(x._recorder, 0, x.dtype)
    return np.where(on_diagonal, padded[:, None], zero)


def as_column(recorder: Recorder, size: DimLike) -> Any:
    """Return ``arange(size)`` as a column."""
    return counting(recorder, size)[:, None]


@implements(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """``numpy.fill_diagonal``: in place; values repeat along the diagonal."""
    x = as_tensor("fill_diagonal", a)
    if x.ndim < 2:
        raise ValueError("array must be at least 2-d")
    chosen, order = _places(x, wrap)
    value = lift(x._recorder, val, x.dtype) if type(val) is not Tensor else cast(val, x.dtype)
    flat = value.ravel()
    (count,) = flat._type.shape
    if count == 0:
        return
    if is_single(value):
        value = flat.reshape(())
    else:
        if isinstance(count, Dim):  # no value at all changes nothing
            chosen = chosen & (scalar(x._recorder, count) > 0)
            flat = np.pad(flat, (0, 1))
        value = gathered(flat, order % scalar(x._recorder, dim_max(count, 1)), 0)
    x[...] = np.where(chosen, value, x)


def _places(x: Tensor, wrap: bool) -> tuple[Any, Any]:
    """Return which elements are diagonal, and the number of each such element along it."""
    recorder, shape = x._recorder, x._type.shape
    if x.ndim == 2 and not wrap:
        rows = as_column(recorder, shape[0])
        return rows == counting(recorder, shape[1]), rows
    if x.ndim > 2 and not all_equal(shape):
        raise ValueError("All dimensions of input must be of equal length")
    stride: DimLike = shape[1] + 1
    if x.ndim > 2:
        stride = sum((product(shape[:axis]) for axis in range(1, x.ndim)), start=1)
    place = reshaped(counting(recorder, product(shape)), shape)
    step = scalar(recorder, stride)
    return place % step == 0, place // step


def all_equal(shape: Shape) -> bool:
    """Whether all axes are known to have one size."""
    return all(size == shape[0] or prove_eq(size, shape[0]) for size in shape)
