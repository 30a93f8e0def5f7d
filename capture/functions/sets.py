"""Set operations on the elements of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import as_tensor
from capture.functions.positions import gathered
from capture.functions.registry import implements
from capture.functions.searching import insertion_points
from capture.functions.shaping import reshaped
from capture.functions.sorting import order_along, sorted_along
from capture.functions.uniqueness import neighbours, true_positions, unique
from capture.tensor import Tensor
from ir.ops import interned
from ir.ops.shaping import Pad
from ir.shapes import product
from ir.types import BOOL, INTEGER

_FEW = 32
"""Up to this many test elements are compared one by one; more are sorted and searched."""


def _selected(x: Tensor, mask: Any) -> Tensor:
    return gathered(x, true_positions(mask), 0)


def membership(element: Any, test: Any) -> Any:
    """Return whether each element equals one of ``test``, a vector of the same dtype."""
    recorder = element._recorder
    size = test._type.shape[0]
    if isinstance(size, int) and size <= _FEW:
        return np.any(element[..., None] == test, axis=-1)
    ordered = sorted_along(test, 0)
    # one more element, so that the place behind the last can be read
    padded = recorder.apply(interned(Pad, (0,), (1,)), ordered, lift(recorder, 0, test.dtype))
    place: Any = insertion_points(ordered, element, "left")
    return (gathered(padded, place, 0) == element) & (place < test.shape[0])


@implements(np.isin)
def isin(
    element: Any,
    test_elements: Any,
    assume_unique: Any = False,
    invert: Any = False,
    *,
    kind: Any = None,
) -> Any:
    """``numpy.isin``; every ``kind`` gives the same answer."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    x = as_tensor("isin", element, test_elements)
    test = lift(x._recorder, test_elements).ravel()
    if kind == "table" and not all(t.dtype in INTEGER or t.dtype == BOOL for t in (x, test)):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. "
            "Please select 'sort' or None for kind."
        )
    common = np.result_type(x.dtype, test.dtype)
    flat = cast(reshaped(x, (product(x._type.shape),)), common)
    found: Any = membership(flat, cast(test, common))
    if invert:
        found = np.logical_not(found)
    return reshaped(found, x._type.shape)


def _pair(name: str, ar1: Any, ar2: Any) -> tuple[Tensor, Tensor]:
    first = as_tensor(name, ar1, ar2)
    return first, lift(first._recorder, ar2)


@implements(np.intersect1d)
def intersect1d(
    ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False
) -> Any:
    """``numpy.intersect1d``."""
    first, second = _pair("intersect1d", ar1, ar2)
    first_at: Any = None
    second_at: Any = None
    if assume_unique:
        first, second = first.ravel(), second.ravel()
    elif return_indices:
        first, first_at = unique(first, return_index=True)
        second, second_at = unique(second, return_index=True)
    else:
        first, second = unique(first), unique(second)
    both: Any = np.concatenate((first, second))
    if not return_indices:
        ordered = sorted_along(both, 0)
        return _selected(ordered[:-1], ordered[1:] == ordered[:-1])
    order: Any = order_along(both, 0)
    ordered = gathered(both, order, 0)
    twice = true_positions(ordered[1:] == ordered[:-1])
    in_first = gathered(order, twice, 0)
    in_second = gathered(order, twice + 1, 0) - first.shape[0]
    if first_at is not None:
        in_first = gathered(first_at, in_first, 0)
        in_second = gathered(second_at, in_second, 0)
    return gathered(ordered, twice, 0), in_first, in_second


@implements(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """``numpy.union1d``."""
    return unique(np.concatenate(_pair("union1d", ar1, ar2), axis=None))


@implements(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """``numpy.setxor1d``."""
    first, second = _pair("setxor1d", ar1, ar2)
    if not assume_unique:
        first, second = unique(first), unique(second)
    both: Any = np.concatenate((first, second), axis=None)
    ordered: Any = sorted_along(both, 0)
    later, earlier, end = neighbours(ordered)
    differs = later != earlier
    alone = np.concatenate((end, differs)) & np.concatenate((differs, end))
    return _selected(ordered, alone)


@implements(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    """``numpy.setdiff1d``."""
    first, second = _pair("setdiff1d", ar1, ar2)
    first = first.ravel() if assume_unique else unique(first)
    return _selected(first, isin(first, second, invert=True))
