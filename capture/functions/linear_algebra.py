"""Matrix products: ``matmul``, ``vecdot``, ``matvec`` and ``vecmat``."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift, recorder_of
from capture.functions import plain
from capture.functions.arguments import deliver, refuse
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis
from capture.location import here
from capture.promotion import loop_dtypes
from capture.requiring import multiplied
from capture.tensor import Tensor
from capture.ufuncs import UFUNC_HANDLERS, operand_text
from ir.dims import prove_eq
from ir.errors import IRError, ShapeError
from ir.ops.linear_algebra import matmul as matmul_op
from ir.shapes import normalize_axis

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    """Return the matrix product of tensors of one dtype with one axis or more."""
    left = plain.reshape(a, (1, *a._type.shape)) if a.ndim == 1 else a
    right = plain.reshape(b, (*b._type.shape, 1)) if b.ndim == 1 else b
    result: Tensor = a._recorder.apply(matmul_op, left, right)
    shape = result._type.shape
    kept = shape[: len(shape) - 2]
    kept += () if a.ndim == 1 else (shape[-2],)
    kept += () if b.ndim == 1 else (shape[-1],)
    return plain.reshape(result, kept)


def _vecdot(a: Tensor, b: Tensor) -> Tensor:
    left, right = a._type.shape[-1], b._type.shape[-1]
    if left != right and not prove_eq(left, right):  # the multiplied axes never broadcast
        raise ShapeError(f"size {right} is different from {left}")
    return plain.sum_of_products(a, b, [max(a.ndim, b.ndim) - 1])


def _matvec(a: Tensor, b: Tensor) -> Tensor:
    column = plain.reshape(b, (*b._type.shape, 1))
    product: Tensor = a._recorder.apply(matmul_op, a, column)
    return plain.reshape(product, product._type.shape[:-1])


def _vecmat(a: Tensor, b: Tensor) -> Tensor:
    shape = a._type.shape
    row = plain.reshape(a, (*shape[:-1], 1, shape[-1]))
    product: Tensor = a._recorder.apply(matmul_op, row, b)
    kept = product._type.shape
    return plain.reshape(product, (*kept[:-2], kept[-1]))


def _core_axes(name: str, entry: Any, rank: int, count: int) -> list[int]:
    listed = entry if isinstance(entry, tuple | list) else (entry,)
    if len(listed) != count:
        raise ValueError(
            f"{name}: axes= names {len(listed)} axes where {count} are multiplied"
        )
    return [normalize_axis(operator.index(axis), rank) for axis in listed]


def _product_function(
    ufunc: np.ufunc, compute: Callable[[Tensor, Tensor], Tensor], cores: tuple[int, int, int]
) -> Callable[..., Any]:
    """Return the handler of a product of ``cores`` axes per operand and for the result."""
    name = ufunc.__name__

    def handler(
        x1: Any,
        x2: Any,
        /,
        out: Any = None,
        *,
        axes: Any = None,
        axis: Any = None,
        keepdims: bool = False,
        dtype: Any = None,
        casting: str = "same_kind",
        order: str = "K",
        subok: bool = True,
        signature: Any = None,
    ) -> Any:
        refuse(name, signature=signature)
        recorder = recorder_of(name, x1, x2, out)
        recorder.require_open(name)
        a, b = lift(recorder, x1), lift(recorder, x2)
        counts = _core_counts(name, ufunc, cores, a, b)
        if (axis is not None or keepdims) and cores != (1, 1, 0):
            raise TypeError(
                f"{name}: does not support axis or keepdims: its operands have different axes"
            )
        if axis is not None and axes is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        if axis is not None:
            axes = [(axis,), (axis,), (axis,) if keepdims else ()]
        wanted = None if dtype is None else np.dtype(dtype)
        loop = loop_dtypes(ufunc, (a.dtype, b.dtype), wanted, casting)
        _check_axes(axes, cores)
        left, right = _core_last(name, axes, counts, (cast(a, loop[0]), cast(b, loop[1])))
        left, right = multiplied(left, -1, right, -counts[1])
        try:
            result = compute(left, right)
        except IRError as error:
            raise ShapeError(
                f"{name}: inner dimensions or batch axes do not fit: {operand_text(a)} with "
                f"{operand_text(b)} ({error}){here()}"
            ) from None
        if keepdims:
            result = plain.reshape(result, (*result._type.shape, 1))
            counts = (*counts[:2], 1)
        return deliver(name, _core_placed(name, axes, counts[2], result), out, casting)

    return handler


def _core_counts(
    name: str, ufunc: np.ufunc, cores: tuple[int, int, int], a: Tensor, b: Tensor
) -> tuple[int, int, int]:
    """Return how many axes take part; matmul takes vectors in place of matrices."""
    if ufunc is np.matmul:
        missing = (a.ndim == 1) + (b.ndim == 1)
        cores = (min(a.ndim, 2) or 1, min(b.ndim, 2) or 1, 2 - missing)
    for position, (operand, count) in enumerate(zip((a, b), cores, strict=False)):
        if operand.ndim < count:
            raise ShapeError(
                f"{name}: Input operand {position} does not have enough dimensions: "
                f"{operand_text(a)} with {operand_text(b)}{here(2)}"
            )
    return cores


def _check_axes(axes: Any, cores: tuple[int, int, int]) -> None:
    if axes is None:
        return
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if len(axes) != 3 and not (len(axes) == 2 and cores[2] == 0):
        raise ValueError(
            "axes should be a list with an entry for all 3 inputs and outputs; entries for "
            "outputs can only be omitted if none of them has core axes."
        )


def _core_last(
    name: str, axes: Any, counts: Sequence[int], tensors: Sequence[Tensor]
) -> list[Tensor]:
    """Return operands with the multiplied axes moved to the end."""
    if axes is None:
        return list(tensors)
    moved = []
    for entry, count, tensor in zip(axes, counts, tensors, strict=False):
        core = _core_axes(name, entry, tensor.ndim, count)
        rest = [axis for axis in range(tensor.ndim) if axis not in core]
        moved.append(plain.transpose(tensor, [*rest, *core]))
    return moved


def _core_placed(name: str, axes: Any, count: int, result: Tensor) -> Any:
    """Return the result with its last ``count`` axes where ``axes=`` wants them."""
    if axes is None or not count:
        return result
    core = _core_axes(name, axes[2], result.ndim, count)
    source = list(range(result.ndim - count, result.ndim))
    return moveaxis(result, source, core)


matmul = _product_function(np.matmul, _matmul, (2, 2, 2))
UFUNC_HANDLERS[np.matmul] = matmul
vecdot = _product_function(np.vecdot, _vecdot, (1, 1, 0))
UFUNC_HANDLERS[np.vecdot] = vecdot
if hasattr(np, "matvec"):  # NumPy 2.2
    UFUNC_HANDLERS[np.matvec] = _product_function(np.matvec, _matvec, (2, 1, 1))
    UFUNC_HANDLERS[np.vecmat] = _product_function(np.vecmat, _vecmat, (1, 2, 1))


@implements(np.linalg.matmul)
def linalg_matmul(x1: Any, x2: Any, /) -> Any:
    """``numpy.linalg.matmul``."""
    return matmul(x1, x2)


@implements(np.linalg.vecdot)
def linalg_vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """``numpy.linalg.vecdot``."""
    return vecdot(x1, x2, axis=axis)
