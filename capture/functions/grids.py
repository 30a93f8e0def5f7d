"""Coordinate grids and flat positions: meshgrid, ix_, unravel_index and its kin, vander."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, holds_tensor, lift, recorder_of
from capture.functions.arguments import as_array
from capture.functions.positions import checked, filled, scalar
from capture.functions.registry import implements
from capture.functions.shaping import as_shape, reshaped
from capture.symbolic import as_dim, as_size, dim_of
from capture.tensor import Tensor
from ir.dims import dim_max, dim_min
from ir.ops import interned
from ir.ops.reduction import CumProd
from ir.shapes import product
from ir.types import BOOL, INT64, INTEGER

if TYPE_CHECKING:
    from ir.dims import DimLike


@implements(np.meshgrid)
def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Any, ...]:
    """``numpy.meshgrid``."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    count = len(xi)
    grids: list[Any] = []
    for number, item in enumerate(xi):
        axis = 1 - number if indexing == "xy" and number < 2 <= count else number
        shape = (1,) * axis + (-1,) + (1,) * (count - axis - 1)
        grids.append(np.reshape(as_array("meshgrid", item, *xi), shape))
    if not sparse:
        grids = list(np.broadcast_arrays(*grids))
    return tuple(grid.copy() for grid in grids) if copy else tuple(grids)


@implements(np.ix_)
def ix_(*args: Any) -> tuple[Any, ...]:
    """``numpy.ix_``: a captured mask gives as many positions as it has true elements."""
    made = []
    for number, item in enumerate(args):
        x: Any = as_array("ix_", item) if holds_tensor(item) else np.asarray(item)
        if x.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if type(x) is not Tensor and not x.size:
            x = x.astype(np.intp)
        if x.dtype == BOOL:
            (x,) = np.nonzero(x)
        made.append(x.reshape((1,) * number + (-1,) + (1,) * (len(args) - number - 1)))
    return tuple(made)


def _order(order: str) -> str:
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return order


def _integers(value: Tensor) -> Tensor:
    if value.dtype not in INTEGER and value.dtype != BOOL:
        raise TypeError("only int indices permitted")
    return cast(value, INT64)


@implements(np.unravel_index)
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """``numpy.unravel_index``: a position outside the shape is an error at run time."""
    recorder = recorder_of("unravel_index", indices, shape)
    recorder.require_open("unravel_index")
    rest = _integers(lift(recorder, indices))
    sizes = as_shape(shape)
    if not sizes and rest.ndim:
        raise ValueError("multiple indices are not supported for 0d arrays")
    rest = checked(rest, (rest >= 0) & (rest < scalar(recorder, product(sizes))))
    order = _order(order)
    found: list[Any] = []
    for size in (sizes if order == "F" else sizes[::-1])[:-1]:
        divisor = scalar(recorder, dim_max(size, 1))
        found.append(rest % divisor)
        rest = rest // divisor
    found.extend([rest] if sizes else [])
    return tuple(found if order == "F" else found[::-1])


@implements(np.ravel_multi_index)
def ravel_multi_index(
    multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C"
) -> Any:
    """``numpy.ravel_multi_index``: with ``mode="raise"`` an error at run time."""
    recorder = recorder_of("ravel_multi_index", multi_index, dims)
    recorder.require_open("ravel_multi_index")
    sizes = as_shape(dims)
    indices = [_integers(lift(recorder, item)) for item in multi_index]
    if len(indices) != len(sizes):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(sizes)}")
    modes = [mode] * len(sizes) if isinstance(mode, str) else list(mode)
    if len(modes) != len(sizes):
        raise ValueError(
            f"list of clipmodes has wrong length ({len(modes)} instead of {len(sizes)})"
        )
    order = _order(order)
    total: Any = None
    strides = _strides(sizes, order)
    for index, size, how, stride in zip(indices, sizes, modes, strides, strict=True):
        part = _within(index, scalar(recorder, size), how) * scalar(recorder, stride)
        total = part if total is None else total + part
    return scalar(recorder, 0) if total is None else total


def _strides(sizes: tuple[DimLike, ...], order: str) -> list[DimLike]:
    if order == "F":
        return [product(sizes[:axis]) for axis in range(len(sizes))]
    return [product(sizes[axis + 1 :]) for axis in range(len(sizes))]


def _within(index: Tensor, size: Tensor, mode: Any) -> Any:
    if mode == "raise":
        return checked(index, (index >= 0) & (index < size))
    if mode == "wrap":
        return np.remainder(index, size)
    if mode == "clip":
        return np.minimum(np.maximum(index, 0), size - 1)
    raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")


@implements(np.vander)
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """``numpy.vander``: powers by repeated multiplication, as NumPy computes them."""
    vector = as_array("vander", x, N)
    if vector.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    recorder = vector._recorder
    rows = vector._type.shape[0]
    columns = rows if N is None else _column_count(N)
    if type(columns) is int and columns < 0:
        raise ValueError("negative dimensions are not allowed")
    dtype = np.promote_types(vector.dtype, np.int64)
    base = reshaped(cast(vector, dtype), (rows, 1))
    ones = cast(filled(recorder, 1, (rows, dim_min(columns, 1))), dtype)
    spread: Any = np.broadcast_to(
        base, (as_size(recorder, rows), as_size(recorder, dim_max(columns - 1, 0)))
    )
    powers = recorder.apply(interned(CumProd, 1), spread)
    table: Any = np.concatenate([ones, powers], 1)
    if increasing:
        return table
    return np.flip(table, 1).copy()


def _column_count(given: Any) -> DimLike:
    return operator.index(given) if as_dim(given) is None else dim_of(given)
