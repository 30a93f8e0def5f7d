"""Indexing by integer arrays and boolean masks, alone or mixed with basic parts.

A key is split in two: the basic part (slices, integers, newaxis) becomes a view whose advanced axes
are still whole, and the advanced part gathers from, or scatters into, that view.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.coerce import cast, find_recorder, lift
from capture.errors import UnsupportedError
from capture.known import UnknownValue
from capture.location import here
from capture.symbolic import as_dim
from capture.tensor import Tensor
from ir.dims import Dim, prove_eq, prove_le
from ir.errors import ShapeError
from ir.ops import interned
from ir.ops.elementwise import where as where_op
from ir.ops.indexing import GatherND, NonZero, ScatterND, Take
from ir.ops.shaping import BroadcastTo, Concatenate, Reshape, Transpose
from ir.shapes import broadcast, product, shape_text
from ir.types import BOOL, INT64

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from ir.dims import Shape


class Advanced(NamedTuple):
    """One advanced part of a key.

    Attributes:
        axes: The axes of the basic view that it indexes.
        indices: One i64 tensor per axis; for a mask, columns of ``coordinates``.
        coordinates: For a captured mask, its true coordinates i64[count, rank].
        mask: The captured mask itself.
    """

    axes: tuple[int, ...]
    indices: tuple[Tensor, ...]
    coordinates: Tensor | None = None
    mask: Tensor | None = None


class SplitKey(NamedTuple):
    """A key split into its two parts.

    Attributes:
        basic: A basic key; advanced axes are whole in it.
        parts: The advanced parts, in order.
        front: Whether the indexed axes go first (the parts are separated by basic ones).
    """

    basic: tuple[Any, ...]
    parts: tuple[Advanced, ...]
    front: bool


def _is_integer(item: Any) -> bool:
    if type(item) is Tensor or isinstance(item, bool | np.bool_ | np.ndarray | list | tuple):
        return False
    return as_dim(item) is not None or hasattr(item, "__index__")


def _index_array(recorder: Recorder, item: Any) -> Any:
    """Return an index as a captured tensor, or as a known ndarray where its value is known."""
    if type(item) is not Tensor:
        if find_recorder(item) is None:
            array = np.asarray(item)
            return array.astype(np.intp) if array.size == 0 and array.dtype != bool else array
        item = lift(recorder, item)
    if item.dtype != BOOL:
        return item
    try:  # a known mask gives a static size
        return recorder.known.read(item._read())
    except UnknownValue:
        return item


def split_key(tensor: Tensor, key: Any) -> SplitKey:
    """Split a key that holds arrays, lists or masks.

    Raises:
        IndexError: As NumPy: too many indices, a float index, a mask that does not fit.
        UnsupportedError: A 0-d boolean index.
    """
    recorder = tensor._recorder
    items = list(key) if isinstance(key, tuple) else [key]
    parsed: list[Any] = []
    for item in items:
        if item is None or item is Ellipsis or isinstance(item, slice) or _is_integer(item):
            parsed.append(item)
        else:
            parsed.append(_checked_index(tensor, _index_array(recorder, item)))
    parsed = _fill_ellipsis(parsed, tensor.ndim)
    basic: list[Any] = []
    parts: list[Advanced] = []
    positions: list[int] = []  # of advanced and integer items in the key
    source = target = 0
    has_array = any(_width(item) for item in parsed if _is_array(item))
    for position, item in enumerate(parsed):
        if item is None:
            basic.append(None)
            target += 1
        elif isinstance(item, slice):
            basic.append(item)
            source, target = source + 1, target + 1
        elif _is_array(item):
            width = _width(item)
            axes = tuple(range(target, target + width))
            sizes = tensor._type.shape[source : source + width]
            parts.append(_part(recorder, item, axes, sizes, source))
            basic.extend([slice(None)] * width)
            positions.append(position)
            source, target = source + width, target + width
        else:
            basic.append(item)
            positions.append(position)
            source += 1
    gaps = any(b - a > 1 for a, b in pairwise(positions))
    return SplitKey(tuple(basic), tuple(parts), has_array and gaps)


def _is_array(item: Any) -> bool:
    return type(item) is Tensor or isinstance(item, np.ndarray)


def _width(item: Any) -> int:
    """How many axes an advanced item indexes."""
    return item.ndim if item.dtype == BOOL else 1


def _checked_index(tensor: Tensor, item: Any) -> Any:
    if item.dtype == BOOL:
        if not item.ndim:
            raise UnsupportedError(
                f"getitem: a 0-d boolean index into {tensor._type} is not captured; use "
                f"np.where{here(2)}"
            )
        return item
    if item.dtype.kind not in "iu":
        raise IndexError(
            "arrays used as indices must be of integer (or boolean) type, "
            f"got {item.dtype}{here(2)}"
        )
    return item


def _fill_ellipsis(items: list[Any], rank: int) -> list[Any]:
    width = 0
    for item in items:
        if item is not None and item is not Ellipsis:
            width += _width(item) if _is_array(item) else 1
    if width > rank:
        raise IndexError(
            f"too many indices for array: array is {rank}-dimensional, but {width} were indexed"
        )
    at = next((i for i, item in enumerate(items) if item is Ellipsis), len(items))
    if any(item is Ellipsis for item in items[at + 1 :]):
        raise IndexError("an index can only have a single ellipsis ('...')")
    return [*items[:at], *[slice(None)] * (rank - width), *items[at + 1 :]]


def _part(
    recorder: Recorder, item: Any, axes: tuple[int, ...], sizes: Shape, source: int
) -> Advanced:
    if item.dtype == BOOL:
        if type(item) is Tensor:
            item = _required_mask(item, sizes)
        shape = item._type.shape if type(item) is Tensor else item.shape
        _check_mask(shape, sizes, source)
        if type(item) is Tensor:
            coordinates = nonzero(item)
            columns = tuple(coordinates[:, axis] for axis in range(len(axes)))
            return Advanced(axes, columns, coordinates, item)
        return Advanced(axes, tuple(lift(recorder, found) for found in np.nonzero(item)))
    if type(item) is not Tensor and isinstance(item, np.ndarray):
        _check_bounds(item, sizes[0], source)
        item = lift(recorder, item.astype(np.int64))
    return Advanced(axes, (cast(item, INT64),))


def _required_mask(mask: Tensor, sizes: Shape) -> Tensor:
    """Return a mask whose sizes have to turn out those of the axes: masks never repeat.

    NumPy lets an empty mask choose nothing from axes of any size, so it must not be empty.
    """
    from capture.requiring import of_shape

    if len(sizes) != mask.ndim or not all(prove_le(1, size) for size in mask._type.shape):
        return mask
    required = of_shape(mask, sizes)
    return mask if required is None else required


def _check_mask(mask: Shape, sizes: Shape, source: int) -> None:
    for offset, (given, size) in enumerate(zip(mask, sizes, strict=True)):
        agrees = True if given == size else prove_eq(given, size)
        if agrees:
            continue
        problem = (
            f"boolean index did not match indexed array along axis {source + offset}; size "
            f"of axis is {size} but size of corresponding boolean axis is {given}"
        )
        if agrees is None:
            raise IndexError(
                f"{problem}: they are not known to agree, and an empty mask fits any "
                f"axis{here(3)}\n  ways out: declare both with the same symbol; or say that "
                'neither is empty, Dim("n", min=1)'
            )
        raise IndexError(f"{problem}{here(3)}")


def _check_bounds(index: np.ndarray[Any, Any], size: int | Dim, axis: int) -> None:
    if isinstance(size, Dim) or not index.size:
        return
    for extreme in (int(index.max()), int(index.min())):
        if not -size <= extreme < size:
            raise IndexError(
                f"index {extreme} is out of bounds for axis {axis} with size {size}{here(3)}"
            )


def nonzero(mask: Tensor) -> Tensor:
    """Return coordinates of true elements, i64[count, rank]; one node and symbol per mask.

    Using the same mask twice gives the same size, so ``y[m] = f(x[m])`` agrees; so does computing
    it twice, as in ``y[y > 0] = f(y[y > 0])``.
    """
    recorder = mask._recorder
    index = recorder.canonical(mask._read())
    found: Tensor | None = recorder.coordinates.get(index)
    if found is None:
        size = product(mask._type.shape)
        upper = size if isinstance(size, int) else None
        count = Dim(recorder.fresh_symbol("count"), max=upper)
        found = recorder.apply(NonZero(count=count), mask)
        recorder.coordinates[index] = found
    return found


def stacked_indices(parts: tuple[Advanced, ...]) -> Tensor:
    """Return the parts' broadcast indices with a last axis over indexed axes.

    Raises:
        ShapeError: The index arrays do not broadcast together.
    """
    if len(parts) == 1 and parts[0].coordinates is not None:
        return parts[0].coordinates
    indices = [index for part in parts for index in part.indices]
    recorder = indices[0]._recorder
    try:
        shape = broadcast(*(index._type.shape for index in indices))
    except ShapeError as error:
        listed = " ".join(shape_text(index._type.shape) for index in indices)
        raise IndexError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes "
            f"{listed} ({error}){here(2)}"
        ) from None
    columns = []
    for index in indices:
        if index._type.shape != shape:
            index = recorder.apply(interned(BroadcastTo, shape), index)
        columns.append(recorder.apply(interned(Reshape, (*shape, 1)), index))
    if len(columns) == 1:
        return columns[0]  # type: ignore[no-any-return]
    joined: Tensor = recorder.apply(interned(Concatenate, len(shape)), *columns)
    return joined


def permute(tensor: Tensor, order: tuple[int, ...]) -> Tensor:
    """Record a transpose, unless the order is the axes' own."""
    if order == tuple(range(len(order))):
        return tensor
    result: Tensor = tensor._recorder.apply(interned(Transpose, order), tensor)
    return result


def _placement(
    split: SplitKey, rank: int, batch: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the order that brings indexed axes first, and the result's order after a gather."""
    indexed = tuple(axis for part in split.parts for axis in part.axes)
    rest = tuple(axis for axis in range(rank) if axis not in indexed)
    first = 0 if split.front else sum(axis < indexed[0] for axis in rest)
    gathered = tuple(range(batch, batch + len(rest)))
    return (*indexed, *rest), (*gathered[:first], *range(batch), *gathered[first:])


def gather(view: Tensor, split: SplitKey) -> Tensor:
    """Read the advanced part from the basic view."""
    recorder = view._recorder
    rank = view.ndim
    only = split.parts[0]
    if len(split.parts) == 1 and len(only.axes) == 1:
        (axis,), (index,) = only.axes, only.indices
        taken: Tensor = recorder.apply(interned(Take, axis), view, index)
        if not split.front:
            return taken
        batch = index.ndim
        moved = (*range(axis, axis + batch), *range(axis), *range(axis + batch, taken.ndim))
        return permute(taken, moved)
    indices = stacked_indices(split.parts)
    inward, outward = _placement(split, rank, indices.ndim - 1)
    gathered = recorder.apply(interned(GatherND), permute(view, inward), indices)
    return permute(gathered, outward)


def scatter(view: Tensor, split: SplitKey, value: Any, combine: str = "set") -> Tensor:
    """Return the basic view's contents with the advanced part written.

    Args:
        view: The basic view.
        split: The key.
        value: Anything that broadcasts to what the key reads.
        combine: As in :class:`ir.ops.indexing.ScatterND`.

    Raises:
        ShapeError: The value does not broadcast.
    """
    from capture.access import fit

    recorder = view._recorder
    indices = stacked_indices(split.parts)
    inward, outward = _placement(split, view.ndim, indices.ndim - 1)
    base = permute(view, inward)
    depth = sum(len(part.axes) for part in split.parts)
    window = (*indices._type.shape[:-1], *base._type.shape[depth:])
    shape = tuple(window[axis] for axis in outward)
    update = fit("setitem", view, value, shape)
    inverse = tuple(sorted(range(len(outward)), key=outward.__getitem__))
    update = permute(update, inverse)
    written = recorder.apply(interned(ScatterND, combine), base, indices, update)
    back = tuple(sorted(range(len(inward)), key=inward.__getitem__))
    return permute(written, back)


def mask_choice(view: Tensor, split: SplitKey, value: Any) -> Tensor | None:
    """Return ``np.where(mask, value, view)`` when that is what a masked write means.

    It is when the key's only advanced part is one captured mask and the value does not depend on
    how many elements the mask selects.
    """
    if len(split.parts) != 1:
        return None
    (part,) = split.parts
    mask = part.mask
    if mask is None:
        return None
    recorder = view._recorder
    update = lift(recorder, value, view.dtype) if _is_weak(value) else lift(recorder, value)
    after = view.ndim - part.axes[-1] - 1
    shape = update._type.shape
    if len(shape) > after + 1 or (len(shape) == after + 1 and shape[0] != 1):
        return None
    if part.axes[0] != 0 and len(shape) > after:
        return None
    if len(shape) == after + 1:
        update = recorder.apply(interned(Reshape, shape[1:]), update)
    spread = recorder.apply(interned(Reshape, (*mask._type.shape, *(1,) * after)), mask)
    chosen: Tensor = recorder.apply(where_op, spread, cast(update, view.dtype), view)
    return chosen if chosen._type.shape == view._type.shape else None


def _is_weak(value: Any) -> bool:
    return type(value) in (bool, int, float)
