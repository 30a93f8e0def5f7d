"""Sorting: always stable, NaN last.

NumPy leaves open where its default kind puts equal elements, and what a partition looks like
beside the chosen positions. The captured forms settle both: ``argsort`` is stable whatever
``kind=`` says, and a partition is the whole array sorted, which is one of its valid answers.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import lift
from capture.functions.arguments import as_tensor, single_axis
from capture.functions.registry import implements
from capture.functions.writing import destination
from capture.tensor import Tensor
from capture.views import k_order, write
from ir.dims import prove_eq, prove_le, prove_lt
from ir.ops import interned
from ir.ops.indexing import ArgSort, Sort

if TYPE_CHECKING:
    from ir.dims import DimLike

_KINDS = frozenset("qhsm")
"""First letters of quicksort, heapsort, stable and mergesort: all that NumPy looks at."""


def _first_letter(kind: str | bytes) -> str:
    text = kind if isinstance(kind, str) else kind.decode()
    return text[:1].lower()


def _check_kind(kind: Any, order: Any, stable: Any) -> None:
    """Refuse what NumPy refuses; every kind that passes gives the same answer here."""
    if kind is not None and stable is not None:
        raise ValueError(
            "`kind` and keyword parameters can't be provided at the same time. "
            "Use only one of them."
        )
    if kind is not None and not isinstance(kind, str | bytes):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
    if kind is not None and _first_letter(kind) not in _KINDS:
        raise ValueError(
            f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})"
        )
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")


def sorted_along(x: Any, axis: int) -> Any:
    """Return the elements in ascending order along an axis."""
    result: Any = x._recorder.apply(interned(Sort, axis), x)
    result._state = k_order([x], result._type.shape)
    return result


def order_along(x: Any, axis: int) -> Any:
    """Return the positions that sort stably along an axis."""
    return x._recorder.apply(interned(ArgSort, axis), x)


@implements(np.sort)
def sort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Any:
    """``numpy.sort``; every kind gives the same values."""
    x = as_tensor("sort", a)
    if axis is None:
        x, axis = x.ravel(), 0
    chosen = single_axis(axis, x.ndim)
    _check_kind(kind, order, stable)
    return sorted_along(x, chosen)


@implements(np.argsort)
def argsort(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> Any:
    """``numpy.argsort``; stable whatever the kind."""
    x = as_tensor("argsort", a)
    if axis is None:
        x, axis = x.ravel(), 0
    elif not x.ndim:
        x = x.reshape(1)
    chosen = single_axis(axis, x.ndim)
    _check_kind(kind, order, stable)
    return order_along(x, chosen)


def sort_in_place(
    x: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
) -> None:
    """``ndarray.sort``."""
    target = destination("sort", x)
    chosen = single_axis(axis, target.ndim)
    _check_kind(kind, order, stable)
    write(target, sorted_along(target, chosen)._read())


@implements(np.lexsort)
def lexsort(keys: Any, axis: Any = -1) -> Any:
    """``numpy.lexsort``: the last key decides first."""
    if type(keys) is Tensor and not keys.ndim:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    items = list(keys)
    if not items:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    first = as_tensor("lexsort", items[0], *items)
    tensors: list[Any] = [lift(first._recorder, item) for item in items]
    for tensor in tensors[1:]:
        sizes = zip(tensor._type.shape, first._type.shape, strict=False)
        if tensor.ndim != first.ndim or not all(prove_eq(a, b) for a, b in sizes):
            raise ValueError("all keys need to be the same shape")
    if not first.ndim:
        return lift(first._recorder, np.int64(0))
    chosen = single_axis(axis, first.ndim)
    order = order_along(tensors[0], chosen)
    for key in tensors[1:]:
        ordered: Any = np.take_along_axis(key, order, chosen)
        step = order_along(ordered, chosen)
        order = np.take_along_axis(order, step, chosen)
    return order


def _check_positions(kth: Any, size: DimLike) -> None:
    """Refuse positions that are no known integers or certainly outside the axis."""
    if type(kth) is Tensor:
        kth = kth.tolist()
    for item in np.atleast_1d(np.asarray(kth, dtype=object)):
        if isinstance(item, bool | np.bool_):
            raise ValueError("Booleans unacceptable as partition index")
        try:
            position = operator.index(item)
        except TypeError:
            raise TypeError("Partition index must be integer") from None
        if size != 0 and (prove_le(size, position) or prove_lt(position, -size)):
            raise ValueError(f"kth(={position}) out of bounds ({size})")


def _kind_of_partition(kind: Any, order: Any) -> None:
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")


@implements(np.partition)
def partition(
    a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> Any:
    """``numpy.partition``, sorted entirely: one of the valid answers."""
    x = as_tensor("partition", a)
    if axis is None:
        x, axis = x.ravel(), 0
    chosen = single_axis(axis, x.ndim)
    _kind_of_partition(kind, order)
    _check_positions(kth, x._type.shape[chosen])
    return sorted_along(x, chosen)


@implements(np.argpartition)
def argpartition(
    a: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> Any:
    """``numpy.argpartition``, sorted entirely: one of the valid answers."""
    x = as_tensor("argpartition", a)
    if axis is None:
        x, axis = x.ravel(), 0
    elif not x.ndim:
        x = x.reshape(1)
    chosen = single_axis(axis, x.ndim)
    _kind_of_partition(kind, order)
    _check_positions(kth, x._type.shape[chosen])
    return order_along(x, chosen)


def partition_in_place(
    x: Any, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
) -> None:
    """``ndarray.partition``."""
    target = destination("partition", x)
    write(target, partition(target, kth, axis, kind, order)._read())
