"""Shape rules shared by ops: broadcasting, axes, sizes; exact for symbolic dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import Dim, dim_max, exact_div, prove_eq, prove_le
from ir.errors import AxisError, ShapeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ir.dims import DimLike, Shape


def shape_text(shape: Shape) -> str:
    """Return ``(batch, 4)`` or ``(3,)`` as NumPy would write it."""
    inner = ", ".join(map(str, shape))
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def broadcast_dims(a: DimLike, b: DimLike) -> DimLike:
    """Return the common size of two axes.

    Raises:
        ShapeError: The sizes differ, or nothing proves that they agree.
    """
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, Dim) or isinstance(b, Dim):
        if prove_eq(a, b):
            return a
        raise ShapeError(
            f"axis sizes {a} and {b} are not known to agree; "
            f"declare both axes with the same symbol or the same number"
        )
    raise ShapeError(f"axis sizes {a} and {b} differ")


def broadcast(*shapes: Shape) -> Shape:
    """Return the broadcast of ``shapes`` under NumPy's rules.

    Raises:
        ShapeError: Two axes differ, or a symbolic axis is not known to agree.
    """
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    rank = max(map(len, shapes))
    result: list[DimLike] = [1] * rank
    for shape in shapes:
        offset = rank - len(shape)
        for axis, dim in enumerate(shape, offset):
            try:
                result[axis] = broadcast_dims(result[axis], dim)
            except ShapeError as error:
                listed = " ".join(map(shape_text, shapes))
                raise ShapeError(
                    f"operands could not be broadcast together with shapes {listed}: {error}"
                ) from None
    return tuple(result)


def normalize_axis(axis: int, rank: int) -> int:
    """Return ``axis`` counted from the front.

    Raises:
        AxisError: The axis is outside ``-rank <= axis < rank``.
    """
    if not -rank <= axis < rank:
        raise AxisError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis + rank if axis < 0 else axis


def window_excess(start: DimLike, size: DimLike, step: int, length: DimLike) -> DimLike:
    """Return how far a window of a known size may reach past its axis; 0 where it provably cannot.

    Windows of symbolic sizes are clamped by what made them.
    """
    if not (isinstance(size, int) and size > 0 and isinstance(length, Dim)):
        return 0
    low, high = window_ends(start, size, step)
    before = 0 if prove_le(0, low) else dim_max(-low, 0)
    after = 0 if prove_le(high + 1, length) else dim_max(high + 1 - length, 0)
    return before + after


def window_ends(start: DimLike, size: int, step: int) -> tuple[DimLike, DimLike]:
    """Return the first and the last position of a window, the smaller first."""
    last = start + (size - 1) * step
    return (start, last) if step > 0 else (last, start)


def product(dims: Iterable[DimLike]) -> DimLike:
    """Return the number of elements of a shape."""
    total: DimLike = 1
    for dim in dims:
        total = total * dim
    return total


def complete_reshape(shape: Shape, target: Sequence[DimLike]) -> Shape:
    """Return ``target`` with its ``-1`` resolved against ``shape``.

    Raises:
        ShapeError: The sizes cannot agree, or nothing proves that they do.
    """
    size = product(shape)
    unknown = [axis for axis, dim in enumerate(target) if type(dim) is int and dim < 0]
    if len(unknown) > 1:
        raise ShapeError("can only specify one unknown dimension")
    wanted = list(target)
    problem = f"cannot reshape array of size {size} into shape {shape_text(tuple(target))}"
    if unknown:
        known = product(dim for axis, dim in enumerate(target) if axis != unknown[0])
        if known == 0:
            raise ShapeError(problem)
        rest = exact_div(size, known)
        if rest is None:
            if isinstance(size, Dim) or isinstance(known, Dim):
                problem += f": {size} is not known to be divisible by {known}"
            raise ShapeError(problem)
        wanted[unknown[0]] = rest
    elif product(wanted) != size and not prove_eq(product(wanted), size):
        raise ShapeError(problem)
    return tuple(wanted)
