"""Shape rules shared by ops: broadcasting, axes, sizes; exact for symbolic dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import Dim, exact_div, prove_eq
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
