"""Unique elements: as many as there are, so of a size known only when the graph runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import lift
from capture.errors import UnsupportedError
from capture.functions.arguments import as_tensor, single_axis
from capture.functions.positions import counting, gathered, scalar, window
from capture.functions.reductions import broadcast_scalar
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis, reshaped
from capture.functions.sorting import lexsort, order_along, sorted_along
from capture.location import here
from capture.tensor import Tensor
from ir.dims import Dim, bounds, dim_max
from ir.ops import interned
from ir.ops.indexing import NonZero, ScatterND
from ir.shapes import product

_MOST_COLUMNS = 64
"""Rows are sorted column by column; above this the graph would drown in sorts."""

# NumPy's named tuples have no public names
_AllResult: Any = type(np.unique_all(np.empty(0)))
_CountsResult: Any = type(np.unique_counts(np.empty(0)))
_InverseResult: Any = type(np.unique_inverse(np.empty(0)))


def true_positions(mask: Any, least: int = 0) -> Tensor:
    """Return where a vector of bools is true; their number is a fresh symbol.

    Args:
        mask: The vector.
        least: How many are true at least.
    """
    recorder = mask._recorder
    key = ("true", recorder.canonical(mask._read()))
    found: Tensor | None = recorder.coordinates.get(key)
    if found is None:
        size = mask._type.shape[0]
        most = size if isinstance(size, int) else None
        count = Dim(recorder.fresh_symbol("unique"), min=least, max=most)
        coordinates = recorder.apply(interned(NonZero, count), mask)
        found = recorder.coordinates[key] = reshaped(coordinates, (count,))
    return found


def neighbours(ordered: Tensor) -> tuple[Any, Any, Tensor]:
    """Return all but the first element, all but the last, and ``[True]`` if there is a first.

    Their sizes add up to the whole for every size of the axis.
    """
    size = ordered._type.shape[0]
    rest = dim_max(size - 1, 0)
    later, earlier = window(ordered, 0, size - rest, rest), window(ordered, 0, 0, rest)
    return later, earlier, broadcast_scalar(lift(ordered._recorder, True), (size - rest,))


def _starts(ordered: Tensor, equal_nan: bool) -> Any:
    """Return where runs of equal elements (or rows) start in something sorted."""
    later, earlier, first = neighbours(ordered)
    differs: Any = np.not_equal(later, earlier)
    if ordered.ndim > 1:
        differs = np.any(differs, axis=1)
    elif equal_nan and issubclass(ordered.dtype.type, np.inexact):
        differs = differs & ~(np.isnan(later) & np.isnan(earlier))
    return np.concatenate((first, differs))


def _unique(
    items: Tensor,
    order: Tensor | None,
    equal_nan: bool,
    wanted: tuple[Any, Any, Any],
) -> list[Tensor]:
    """Return the unique elements of a vector, or rows of a matrix, and what else is wanted.

    Args:
        items: The vector or matrix.
        order: What sorts it stably; ``None`` when nothing but values and counts is wanted.
        equal_nan: Whether all NaN are one.
        wanted: ``return_index``, ``return_inverse`` and ``return_counts``.
    """
    recorder = items._recorder
    size = items._type.shape[0]
    ordered = sorted_along(items, 0) if order is None else gathered(items, order, 0)
    # of one array they are as many each time: unique(x) and unique(x, return_counts=True)
    key = ("unique", recorder.canonical(items._read()), equal_nan)
    at = recorder.coordinates.get(key)
    starts: Any = _starts(ordered, equal_nan) if at is None or wanted[1] else None
    if at is None:
        least = 1 if (bounds(size)[0] or 0) > 0 else 0
        at = recorder.coordinates[key] = true_positions(starts, least)
    results = [gathered(ordered, at, 0)]
    return_index, return_inverse, return_counts = wanted
    if return_index:
        assert order is not None
        results.append(gathered(order, at, 0))
    if return_inverse:
        assert order is not None
        rank: Any = np.cumsum(starts) - 1
        zero: Any = np.zeros_like(rank)
        inverse = recorder.apply(
            interned(ScatterND, "set"), zero, reshaped(order, (size, 1)), rank
        )
        results.append(inverse)
    if return_counts:
        ends: Any = np.concatenate((at, reshaped(scalar(recorder, items.shape[0]), (1,))))
        results.append(ends[1:] - ends[:-1])
    return results


def _row_order(matrix: Tensor) -> Any:
    """Return what sorts rows lexicographically, the first column deciding first.

    Raises:
        UnsupportedError: The rows are too long, or of symbolic length.
    """
    columns = matrix._type.shape[1]
    if not isinstance(columns, int) or columns > _MOST_COLUMNS:
        raise UnsupportedError(
            f"unique: axis= sorts rows column by column; {columns} columns are too many or "
            f"not known{here(2)}\n  way out: reduce each row to one number first; unique of a "
            "vector has no such limit"
        )
    if columns == 0:
        return counting(matrix._recorder, matrix._type.shape[0])
    return lexsort([matrix[:, column] for column in reversed(range(columns))])


@implements(np.unique)
def unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
    sorted: Any = True,
) -> Any:
    """``numpy.unique``, always sorted; with ``axis=``, of rows of up to 64 elements."""
    x = as_tensor("unique", ar)
    wanted = (return_index, return_inverse, return_counts)
    chosen = None if axis is None else single_axis(axis, x.ndim)
    if chosen is None or x.ndim == 1:
        flat = x.ravel()
        order = order_along(flat, 0) if return_index or return_inverse else None
        results = _unique(flat, order, bool(equal_nan), wanted)
    else:
        front = moveaxis(x, chosen, 0)
        rest = front._type.shape[1:]
        matrix = reshaped(front, (front._type.shape[0], product(rest)))
        results = _unique(matrix, _row_order(matrix), False, wanted)
        rows = reshaped(results[0], (results[0]._type.shape[0], *rest))
        results[0] = moveaxis(rows, 0, chosen)
    if return_inverse and axis is None:
        place = 1 + bool(return_index)
        results[place] = reshaped(results[place], x._type.shape)
    return results[0] if len(results) == 1 else tuple(results)


@implements(np.unique_all)
def unique_all(x: Any) -> Any:
    """``numpy.unique_all``."""
    return _AllResult(*unique(x, True, True, True, equal_nan=False))


@implements(np.unique_counts)
def unique_counts(x: Any) -> Any:
    """``numpy.unique_counts``."""
    return _CountsResult(*unique(x, return_counts=True, equal_nan=False))


@implements(np.unique_inverse)
def unique_inverse(x: Any) -> Any:
    """``numpy.unique_inverse``."""
    return _InverseResult(*unique(x, return_inverse=True, equal_nan=False))


@implements(np.unique_values)
def unique_values(x: Any) -> Any:
    """``numpy.unique_values``: NumPy leaves the order open, here it is ascending."""
    return unique(x, equal_nan=False)
