"""Norms of vectors and matrices that need no singular values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.errors import UnsupportedError
from capture.functions.arguments import as_scalar, as_tensor, axis_tuple, single_axis
from capture.functions.registry import implements
from capture.location import here
from ir.shapes import product

if TYPE_CHECKING:
    from capture.tensor import Tensor

_FROBENIUS = ("fro", "f")
_SINGULAR = (2, -2, "nuc")


def _inexact(x: Tensor) -> Tensor:
    """Return the operand as NumPy's norms compute it: what is no NumPy float as float64."""
    if issubclass(x.dtype.type, np.inexact):
        return x
    return x.astype(np.float64)  # type: ignore[no-any-return]


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """``numpy.linalg.norm``; orders of matrices that need singular values are refused."""
    tensor = _inexact(as_tensor("norm", x))
    rank = tensor.ndim
    if axis is None:
        whole = ord is None or (_is(ord, _FROBENIUS) and rank == 2)
        if whole or (_is(ord, (2,)) and rank == 1):
            flat = tensor.reshape(-1)
            root = np.sqrt(flat.dot(flat))
            return root.reshape((1,) * rank) if keepdims else root
        axis = tuple(range(rank))
    elif not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception as error:
            raise TypeError(
                "'axis' must be None, an integer or a tuple of integers"
            ) from error
    if len(axis) == 1:
        return _along(tensor, ord, single_axis(axis[0], rank), bool(keepdims))
    if len(axis) == 2:
        rows, columns = (single_axis(item, rank) for item in axis)
        if rows == columns:
            raise ValueError("Duplicate axes given.")
        return _of_matrices(tensor, ord, rows, columns, bool(keepdims))
    raise ValueError("Improper number of dimensions to norm.")


def _is(order: Any, orders: tuple[Any, ...]) -> bool:
    """Whether an order is one of several; an array never is, and ``2`` is not ``"fro"``."""
    return any(
        isinstance(order, str) == isinstance(known, str) and bool(order == known)
        for known in orders
    )


def _along(x: Tensor, order: Any, axis: int, keepdims: bool) -> Any:
    """Return vector norms along one axis."""
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order '{order}' for vectors")
    if order is None or order == 2:
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    if order == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims, initial=0)
    if order == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    if order == 0:
        return np.sum((x != 0).astype(x.dtype), axis=axis, keepdims=keepdims)
    if order == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    powers = np.sum(np.abs(x) ** order, axis=axis, keepdims=keepdims)
    return powers ** np.reciprocal(order, dtype=powers.dtype)


def _of_matrices(x: Tensor, order: Any, rows: int, columns: int, keepdims: bool) -> Any:
    """Return norms of the matrices that two axes span."""
    if order is None or _is(order, _FROBENIUS):
        return np.sqrt(np.sum(x * x, axis=(rows, columns), keepdims=keepdims))
    if _is(order, _SINGULAR):
        raise UnsupportedError(
            f"norm: ord={order!r} of matrices needs singular values, which have no captured "
            f"form yet{here(2)}\n  ways out: ord='fro', 1 or inf; or compute it outside the "
            "scope and pass the result in"
        )
    if not _is(order, (1, -1, np.inf, -np.inf)):
        raise ValueError("Invalid norm order for matrices.")
    summed, compared = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    if order > 0:
        result = np.max(sums, axis=compared, keepdims=True, initial=0)
    else:
        result = np.min(sums, axis=compared, keepdims=True)
    return result if keepdims else as_scalar(result.squeeze((rows, columns)))


@implements(np.linalg.vector_norm)
def vector_norm(
    x: Any,
    /,
    *,
    axis: Any = None,
    keepdims: Any = False,
    ord: Any = 2,
) -> Any:
    """``numpy.linalg.vector_norm``: over any number of axes together."""
    tensor = as_tensor("vector_norm", x)
    sizes = tensor._type.shape
    axes = axis_tuple(axis, tensor.ndim)
    rest = [i for i in range(tensor.ndim) if i not in axes]
    merged = tensor.transpose([*axes, *rest]).reshape(
        [product(sizes[i] for i in axes), *(sizes[i] for i in rest)]
    )
    result = norm(merged, ord, 0)
    if keepdims:
        return result.reshape([1 if i in axes else size for i, size in enumerate(sizes)])
    return result


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    """``numpy.linalg.matrix_norm``: of the last two axes."""
    return norm(x, ord, (-2, -1), keepdims)
