"""Sums of products over chosen axes: ``tensordot``, ``inner`` and what is built from them."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift, recorder_of
from capture.functions import plain
from capture.functions.arguments import deliver
from capture.functions.registry import implements
from capture.location import here
from capture.requiring import multiplied
from capture.tensor import Tensor
from capture.ufuncs import operand_text
from capture.views import Owned
from ir.dims import prove_eq
from ir.errors import ShapeError
from ir.ops.linear_algebra import matmul as matmul_op
from ir.shapes import normalize_axis, product

if TYPE_CHECKING:
    from collections.abc import Sequence


def operands(operation: str, *values: Any) -> list[Tensor]:
    """Return arguments as tensors; Python scalars become arrays, so they are strong here."""
    recorder = recorder_of(operation, *values)
    recorder.require_open(operation)
    return [lift(recorder, value) for value in values]


def contract(
    operation: str, a: Tensor, b: Tensor, axes_a: Sequence[int], axes_b: Sequence[int]
) -> Tensor:
    """Sum products over paired axes; the other axes of ``a`` come first, then those of ``b``.

    Raises:
        ShapeError: Paired axes differ in size, or nothing proves that they agree.
    """
    for first, second in zip(axes_a, axes_b, strict=True):
        a, b = multiplied(a, first, b, second)
        left, right = a._type.shape[first], b._type.shape[second]
        if left != right and not prove_eq(left, right):
            raise ShapeError(
                f"{operation}: shapes not aligned: {left} (axis {first}) != {right} "
                f"(axis {second}): {operand_text(a)} with {operand_text(b)}{here(2)}"
            )
    dtype = plain.dot_dtype(a.dtype, b.dtype)
    a, b = cast(a, dtype), cast(b, dtype)
    rest_a = [axis for axis in range(a.ndim) if axis not in axes_a]
    rest_b = [axis for axis in range(b.ndim) if axis not in axes_b]
    kept_a = tuple(a._type.shape[axis] for axis in rest_a)
    kept_b = tuple(b._type.shape[axis] for axis in rest_b)
    inner = product(a._type.shape[axis] for axis in axes_a)
    left_matrix = plain.reshape(
        plain.transpose(a, [*rest_a, *axes_a]), (product(kept_a), inner)
    )
    right_matrix = plain.reshape(
        plain.transpose(b, [*axes_b, *rest_b]), (inner, product(kept_b))
    )
    matrix: Tensor = a._recorder.apply(matmul_op, left_matrix, right_matrix)
    return plain.reshape(matrix, kept_a + kept_b)


def _listed(axes: Any) -> list[Any]:
    if isinstance(axes, np.ndarray):
        axes = axes.tolist()
    return list(axes) if isinstance(axes, list | tuple | range) else [axes]


def _axis_pairs(axes: Any, rank_a: int, rank_b: int) -> tuple[list[int], list[int]]:
    """Return the paired axes of ``axes=``: a count, or two axes or lists of axes."""
    try:
        given_a, given_b = iter(axes)
    except TypeError:
        count = operator.index(axes)
        given_a, given_b = list(range(-count, 0)), list(range(count))
    axes_a = [normalize_axis(operator.index(axis), rank_a) for axis in _listed(given_a)]
    axes_b = [normalize_axis(operator.index(axis), rank_b) for axis in _listed(given_b)]
    if len(axes_a) != len(axes_b):
        raise ValueError("shape-mismatch for sum")
    if len(set(axes_a)) != len(axes_a) or len(set(axes_b)) != len(axes_b):
        raise ValueError("duplicate axes are not allowed in tensordot")
    return axes_a, axes_b


@implements(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """``numpy.tensordot``: ``axes`` is a count, a pair of axes, or a pair of lists of axes."""
    x, y = operands("tensordot", a, b)
    result = contract("tensordot", x, y, *_axis_pairs(axes, x.ndim, y.ndim))
    if not result.ndim:
        result._state = Owned()
    return result


@implements(np.linalg.tensordot)
def linalg_tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """``numpy.linalg.tensordot``."""
    return tensordot(x1, x2, axes)


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Any:
    """``numpy.inner``: sums over the last axis of both."""
    x, y = operands("inner", a, b)
    if not x.ndim or not y.ndim:
        return np.multiply(x, y)
    return contract("inner", x, y, [x.ndim - 1], [y.ndim - 1])


@implements(np.vdot)
def vdot(a: Any, b: Any, /) -> Any:
    """``numpy.vdot``: of the elements in C order."""
    x, y = operands("vdot", a, b)
    left, right = (plain.reshape(z, (product(z._type.shape),)) for z in (x, y))
    return contract("vdot", left, right, [0], [0])


@implements(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """``numpy.dot``: the last axis of ``a`` with the second-to-last of ``b``."""
    x, y = operands("dot", a, b) if out is None else operands("dot", a, b, out)[:2]
    result: Any
    if not x.ndim or not y.ndim:
        result = np.multiply(x, y)
    else:
        result = contract("dot", x, y, [x.ndim - 1], [max(y.ndim - 2, 0)])
    if type(out) is Tensor and out._type != result._type:
        raise ValueError(
            f"dot: output array {out._type} is not acceptable; it must be exactly "
            f"{result._type}{here()}"
        )
    return deliver("dot", result, out)
