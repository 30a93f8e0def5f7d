"""Basic indexing: integers, slices, ellipsis and newaxis, exact for symbolic axes."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.location import here
from capture.symbolic import as_dim
from ir.dims import Dim, dim_max, dim_min, prove_le
from ir.ops import interned
from ir.ops.shaping import Slice

if TYPE_CHECKING:
    from ir.dims import DimLike, Shape


class NotBasic(Exception):
    """Internal: the key holds an array, a mask or a list."""


class BasicIndex(NamedTuple):
    """A parsed basic key.

    Attributes:
        window: The regular window, every axis named.
        shape: The result's shape.
        key: The key with sizes filled in, for shadows.
        is_element: Whether NumPy gives a scalar (every axis indexed by an integer).
    """

    window: Slice
    shape: Shape
    key: tuple[Any, ...]
    is_element: bool


def _expand(key: tuple[Any, ...], rank: int) -> list[Any]:
    """Return the key as a list that names every axis, with its ellipsis filled."""
    items = list(key)
    ellipses = sum(item is Ellipsis for item in items)
    if ellipses > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    named = sum(item is not None and item is not Ellipsis for item in items)
    if named > rank:
        raise IndexError(
            f"too many indices for array: array is {rank}-dimensional, "
            f"but {named} were indexed"
        )
    fill: list[Any] = [slice(None)] * (rank - named)
    at = next((i for i, item in enumerate(items) if item is Ellipsis), None)
    if at is None:
        return items + fill
    return items[:at] + fill + items[at + 1 :]


def is_basic(item: Any) -> bool:
    """Whether one part of a key is basic: an integer, slice, ellipsis or newaxis."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return True
    if isinstance(item, bool | np.bool_ | list | tuple):
        return False
    if isinstance(item, np.ndarray) or hasattr(type(item), "__capture_record__"):
        return False
    return as_dim(item) is not None or hasattr(item, "__index__")


def _is_captured(end: Any) -> bool:
    return type(end) is not int and hasattr(type(end), "__capture_record__")


def _position(item: Any) -> DimLike:
    dim = as_dim(item)
    return operator.index(item) if dim is None else dim


def _element(item: Any, dim: DimLike, axis: int) -> DimLike:
    """Return the non-negative position of an integer index."""
    index = _position(item)
    if type(index) is int and type(dim) is int:
        if not -dim <= index < dim:
            raise IndexError(
                f"index {index} is out of bounds for axis {axis} with size {dim}{here(2)}"
            )
        return index + dim if index < 0 else index
    if prove_le(dim, index) or prove_le(index, -1 - dim):
        raise IndexError(
            f"index {index} is out of bounds for axis {axis} with size {dim}{here(2)}"
        )
    if type(index) is int:
        return dim + index if index < 0 else index
    if prove_le(0, index):
        return index
    if prove_le(index, -1):
        return dim + index
    raise IndexError(
        f"index {index}: whether it counts from the front or the back is unknown; "
        f"give the symbol bounds with Dim(name, min=...){here(2)}"
    )


def _bound(value: Any, dim: DimLike, default: DimLike, low: Any, high: Any) -> DimLike:
    """Clamp one end of a slice as Python does."""
    if value is None:
        return default
    index = _position(value)
    if type(index) is int and type(dim) is int:
        at = index + dim if index < 0 else index
        return min(max(at, int(low)), int(high))
    if type(index) is int:
        return dim_max(dim + index, low) if index < 0 else dim_min(index, high)
    if prove_le(0, index):
        return dim_min(index, high)
    if prove_le(index, -1):
        return dim_max(dim + index, low)
    raise IndexError(
        f"slice bound {index}: whether it counts from the front or the back is unknown; "
        f"give the symbol bounds with Dim(name, min=...){here(2)}"
    )


def _plain_start(value: Any, start: DimLike) -> DimLike:
    """Return a start that is not clamped at the axis's end: past it the size is clamped to 0.

    So ``x[1:-1]`` and ``x[:-2]`` have one size, ``max(n - 2, 0)``, however they are written.
    """
    if value is None or isinstance(start, int):
        return start
    index = _position(value)
    return index if prove_le(0, index) else start


def _plain_stop(value: Any, dim: DimLike, stop: DimLike) -> DimLike:
    """Return a stop counted from the end and not clamped at 0, for the same reason."""
    if value is None or isinstance(stop, int):
        return stop
    index = _position(value)
    return dim + index if prove_le(index, -1) else stop


def slice_window(item: slice, dim: DimLike) -> tuple[DimLike, DimLike, int]:
    """Return start, size and step of a slice over an axis."""
    step = 1 if item.step is None else _position(item.step)
    if isinstance(step, Dim):
        raise IndexError(f"slice step {step} must be a known number{here(2)}")
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step > 0:
        start = _bound(item.start, dim, 0, 0, dim)
        stop = _bound(item.stop, dim, dim, 0, dim)
        low, high = _plain_start(item.start, start), _plain_stop(item.stop, dim, stop)
        size = dim_max((high - low + step - 1) // step, 0)
    else:
        start = _bound(item.start, dim, dim - 1, -1, dim - 1)
        stop = _bound(item.stop, dim, -1, -1, dim - 1)
        size = dim_max((start - stop - step - 1) // -step, 0)
        start = dim_max(start, 0)
    if size == 0:
        return 0, 0, 1
    if size == 1:
        step = 1
    return start, size, step


def _frozen(item: Any) -> Any:
    """Return one part of a key in hashable form, with sizes as ints and dims."""
    if type(item) is int or item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        start, stop, step = item.start, item.stop, item.step
        if _is_captured(start) or _is_captured(stop):
            raise NotBasic
        return (
            "slice",
            start if start is None or type(start) is int else _position(start),
            stop if stop is None or type(stop) is int else _position(stop),
            step if step is None or type(step) is int else _position(step),
        )
    if is_basic(item):
        return _position(item)
    raise NotBasic


def parse_basic(key: Any, shape: Shape) -> BasicIndex:
    """Parse a key of integers, slices, ellipsis and newaxis.

    Raises:
        NotBasic: The key holds something else.
        IndexError: As NumPy.
    """
    if type(key) is tuple:
        return _parse(tuple([_frozen(item) for item in key]), shape)
    return _parse((_frozen(key),), shape)


@lru_cache(maxsize=8192)
def _parse(frozen: tuple[Any, ...], shape: Shape) -> BasicIndex:
    key = tuple([slice(*item[1:]) if type(item) is tuple else item for item in frozen])
    starts: list[DimLike] = []
    sizes: list[DimLike] = []
    steps: list[int] = []
    result: list[DimLike] = []
    plain_key: list[Any] = []
    elements = 0
    axis = 0
    items = _expand(key, len(shape))
    for item in items:
        if item is None:
            result.append(1)
            plain_key.append(None)
            continue
        dim = shape[axis]
        if isinstance(item, slice):
            start, size, step = slice_window(item, dim)
            result.append(size)
            plain_key.append(("slice", start, size, step))
        else:
            start, size, step = _element(item, dim, axis), 1, 1
            elements += 1
            plain_key.append(("element", start))
        starts.append(start)
        sizes.append(size)
        steps.append(step)
        axis += 1
    window = interned(Slice, tuple(starts), tuple(sizes), tuple(steps))
    is_element = elements == len(items) and not any(item is Ellipsis for item in key)
    return BasicIndex(window, tuple(result), tuple(plain_key), is_element)


def concrete_key(key: tuple[Any, ...], numbers: Any) -> tuple[Any, ...]:
    """Return a parsed key as NumPy slices once its dims are numbers."""
    made: list[Any] = []
    for item in key:
        if item is None:
            made.append(None)
        elif item[0] == "element":
            made.append(numbers(item[1]))
        else:
            start, size, step = numbers(item[1]), numbers(item[2]), item[3]
            stop = start + size * step
            made.append(
                slice(start, stop if stop >= 0 else None, step) if size else slice(0, 0)
            )
    return tuple(made)
