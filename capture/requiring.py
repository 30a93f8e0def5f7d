"""Relying on sizes that NumPy itself only checks when it runs, where nothing else could be meant.

Two axes ``n`` and ``m`` may be added only if ``n == m``, unless one of them is 1 and repeats. So
equality is required of axes that never repeat (the multiplied axis of a matrix product, the other
axes of a concatenation), and of axes that cannot be 1. Everything else stays refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.access import make_view
from capture.views import (
    ReshapeStep,
    concrete_shape,
    contiguous_shadow,
    keeps_c_order,
    shadow_of,
)
from ir.dims import Dim, prove_eq, prove_le
from ir.ops import interned
from ir.ops.requirements import RequireShape
from ir.shapes import product

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capture.tensor import Tensor
    from capture.views import Shadow
    from ir.dims import DimLike, Shape


class RequireStep(ReshapeStep):
    """The same elements in the same memory, under sizes that the run has to meet."""

    __slots__ = ()
    op = RequireShape

    def shadow(self, parent: Shadow) -> Shadow:
        """Return elements without gaps in the parent's order of axes."""
        return contiguous_shadow(concrete_shape(self.shape), _order(parent))


def _order(shadow: Shadow) -> tuple[int, ...] | None:
    """Return the order of a shadow's axes in memory, outermost first; ``None`` for C order."""
    strides = shadow.strides
    order = tuple(sorted(range(shadow.ndim), key=lambda axis: -strides[axis]))
    return None if order == tuple(range(shadow.ndim)) else order


def require_shape(x: Tensor, shape: Shape) -> Tensor | None:
    """Return ``x`` with sizes that the run must meet; ``None`` where that is not exact.

    With gaps between its elements, or elements repeated, NumPy's view-or-copy decisions depend on
    more than the sizes, so nothing is relied on.
    """
    given = x._type.shape
    if shape == given:
        return x
    if any(prove_eq(a, b) is False for a, b in zip(given, shape, strict=True)):
        return None
    shadow = shadow_of(x)
    dense = contiguous_shadow(shadow.shape, _order(shadow))
    if shadow.strides != dense.strides:
        return None
    return make_view(x, RequireStep(given, shape), shape)


def _common(sizes: Iterable[DimLike], repeats: bool) -> DimLike | None:
    """Return the size that axes must share, a number if there is one; ``None`` if not exact."""
    common: DimLike | None = None
    for size in sizes:
        if common is None or size == common:
            common = size
            continue
        if prove_eq(size, common):
            continue
        if repeats and not (prove_eq(size, 1) is False and prove_eq(common, 1) is False):
            return None
        common = common if isinstance(common, int) else size if type(size) is int else common
    return common


def agreeing(tensors: Sequence[Tensor], core: int = 0) -> list[Tensor] | None:
    """Return tensors that broadcast, under requirements; ``None`` where these are not exact.

    Args:
        tensors: Operands whose shapes are not known to broadcast.
        core: How many last axes take no part.
    """
    ranks = [max(tensor.ndim - core, 0) for tensor in tensors]
    wanted = [list(tensor._type.shape) for tensor in tensors]
    for axis in range(1, max(ranks, default=0) + 1):
        taking = [k for k, rank in enumerate(ranks) if axis <= rank]
        taking = [k for k in taking if wanted[k][ranks[k] - axis] != 1]
        common = _common((wanted[k][ranks[k] - axis] for k in taking), repeats=True)
        if taking and common is None:
            return None
        for k in taking:
            assert common is not None
            if not prove_eq(wanted[k][ranks[k] - axis], common):
                wanted[k][ranks[k] - axis] = common
    return _required(tensors, wanted)


def same_off_axis(tensors: Sequence[Tensor], axis: int) -> list[Tensor] | None:
    """Return tensors to be joined whose other axes are the same; ``None`` where they differ."""
    wanted = [list(tensor._type.shape) for tensor in tensors]
    if len({len(shape) for shape in wanted}) != 1:
        return None
    for other in range(len(wanted[0])):
        if other != axis:
            common = _common((shape[other] for shape in wanted), repeats=False)
            assert common is not None
            for shape in wanted:
                shape[other] = shape[other] if prove_eq(shape[other], common) else common
    return _required(tensors, wanted)


def multiplied(a: Tensor, i: int, b: Tensor, j: int) -> tuple[Tensor, Tensor]:
    """Return operands whose axes ``i`` and ``j``, which are multiplied, have one size."""
    left, right = a._type.shape[i], b._type.shape[j]
    if prove_eq(left, right) is not None:
        return a, b
    wanted = [list(a._type.shape), list(b._type.shape)]
    size = right if type(right) is int else left
    wanted[0][i] = wanted[1][j] = size
    return _operand(a, tuple(wanted[0])), _operand(b, tuple(wanted[1]))


def of_shape(x: Tensor, shape: Shape) -> Tensor | None:
    """Return the value of ``x`` with exactly these sizes, required where they are not known."""
    pairs = list(zip(x._type.shape, shape, strict=True))
    if any(prove_eq(a, b) is False for a, b in pairs):
        return None
    return _operand(x, tuple(a if prove_eq(a, b) else b for a, b in pairs))


def assigned(value: Tensor, shape: Shape) -> Tensor | None:
    """Return a value that broadcasts to ``shape``, under requirements; ``None`` if not exact.

    The window that it is written to never repeats, so only the value's axes must not be 1.
    """
    offset = len(shape) - value.ndim
    if offset < 0:
        return None
    wanted = list(value._type.shape)
    for axis, given in enumerate(wanted):
        size = shape[offset + axis]
        if given == 1 or prove_eq(given, size):
            continue
        if prove_eq(given, size) is False or prove_eq(given, 1) is not False:
            return None
        wanted[axis] = size
    return _operand(value, tuple(wanted))


def _operand(x: Tensor, shape: Shape) -> Tensor:
    """Return the value of ``x`` with required sizes, where its memory does not matter."""
    if shape == x._type.shape:
        return x
    required: Tensor = x._recorder.apply(interned(RequireShape, shape), x)
    return required


def _required(tensors: Sequence[Tensor], shapes: Sequence[Any]) -> list[Tensor] | None:
    """Return operands of a fresh result, which is laid out as they are."""
    made: list[Tensor] = []
    for tensor, shape in zip(tensors, map(tuple, shapes), strict=True):
        if any(
            prove_eq(a, b) is False for a, b in zip(tensor._type.shape, shape, strict=True)
        ):
            return None
        if keeps_c_order(tensor):
            made.append(_operand(tensor, shape))
            continue
        required = require_shape(tensor, shape)
        if required is None:
            return None
        made.append(required)
    return made


def reshape_size(shape: Shape, target: Sequence[DimLike]) -> tuple[DimLike, Shape] | None:
    """Return the number of elements that a reshape relies on, and its result's shape.

    ``None`` where there is nothing to rely on: the sizes differ for certain, or a size in
    ``target`` could be negative, which NumPy would read as "whatever remains".
    """
    size = product(shape)
    unknown = [axis for axis, dim in enumerate(target) if type(dim) is int and dim < 0]
    known = product(dim for axis, dim in enumerate(target) if axis not in unknown)
    if len(unknown) > 1 or not all(prove_le(0, d) for d in target if isinstance(d, Dim)):
        return None
    wanted = list(target)
    if unknown:
        if not prove_le(1, known):
            return None
        wanted[unknown[0]] = size // known
        known = known * wanted[unknown[0]]
    return None if prove_eq(size, known) is False else (known, tuple(wanted))
