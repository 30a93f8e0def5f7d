"""Products of many matrices: ``multi_dot`` and ``matrix_power``."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.linalg import LinAlgError

from capture.errors import UnsupportedError
from capture.functions import plain
from capture.functions.arguments import as_tensor, deliver
from capture.functions.contractions import contract, dot, operands
from capture.functions.registry import implements
from capture.location import here
from capture.tensor import Tensor
from capture.views import concrete_shape
from ir.dims import prove_eq

if TYPE_CHECKING:
    from ir.dims import DimLike

    Splits = dict[tuple[int, int], int]


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    """``numpy.linalg.multi_dot``: in the order that multiplies least."""
    listed = list(arrays)
    if len(listed) < 2:
        raise ValueError("Expecting at least two arrays.")
    if len(listed) == 2:
        return dot(listed[0], listed[1], out)
    given = operands("multi_dot", *listed, *([] if out is None else [out]))
    matrices = given[: len(listed)]
    from_vector, to_vector = matrices[0].ndim == 1, matrices[-1].ndim == 1
    if from_vector:
        matrices[0] = plain.reshape(matrices[0], (1, *matrices[0]._type.shape))
    if to_vector:
        matrices[-1] = plain.reshape(matrices[-1], (*matrices[-1]._type.shape, 1))
    for matrix in matrices:
        if matrix.ndim != 2:
            raise LinAlgError(
                f"{matrix.ndim}-dimensional array given. Array must be two-dimensional"
            )
    sizes: list[DimLike] = [matrices[0]._type.shape[0]]
    sizes += [matrix._type.shape[1] for matrix in matrices]
    splits = _cheapest(concrete_shape(tuple(sizes)))
    result = _chained(matrices, splits, 0, len(matrices) - 1)
    kept = result._type.shape[int(from_vector) : 2 - int(to_vector)]
    return deliver("multi_dot", plain.reshape(result, kept), out)


@lru_cache(maxsize=256)
def _cheapest(sizes: tuple[int, ...]) -> Splits:
    """Return where to split each run of matrices; the first of equally cheap places."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    splits: Splits = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            ]
            cost[i, j], splits[i, j] = min(options)
    return splits


def _chained(matrices: list[Tensor], splits: Splits, i: int, j: int) -> Tensor:
    if i == j:
        return matrices[i]
    k = splits[i, j]
    left, right = _chained(matrices, splits, i, k), _chained(matrices, splits, k + 1, j)
    return contract("multi_dot", left, right, [1], [0])


@implements(np.linalg.matrix_power)
def matrix_power(a: Any, n: Any) -> Any:
    """``numpy.linalg.matrix_power`` for ``n >= 0``: by repeated squaring."""
    x = as_tensor("matrix_power", a)
    shape = x._type.shape
    if x.ndim < 2:
        raise LinAlgError(
            f"{x.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    if shape[-1] != shape[-2] and not prove_eq(shape[-1], shape[-2]):
        raise LinAlgError("Last 2 dimensions of the array must be square")
    try:
        power = operator.index(n)
    except TypeError as error:
        raise TypeError("exponent must be an integer") from error
    if power < 0:
        raise UnsupportedError(
            "matrix_power: a negative power inverts, and inversion has no captured form "
            f"yet{here()}\n  ways out: invert outside the scope and pass the result in"
        )
    if power == 0:
        index = plain.iota(x._recorder, shape[-1])
        identity = (index.reshape(-1, 1) == index).astype(x.dtype)
        return plain.broadcast_to(identity, shape)
    if power == 1:
        return a
    return _powered(x, power)


def _powered(x: Tensor, power: int) -> Any:
    if power == 3:
        return (x @ x) @ x
    square: Any = x
    result: Any = None
    while power:
        power, odd = divmod(power, 2)
        if odd:
            result = square if result is None else result @ square
        if power:
            square = square @ square
    return result
