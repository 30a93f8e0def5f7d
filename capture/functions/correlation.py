"""Covariance and correlation of variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift, recorder_of
from capture.functions.arguments import as_tensor
from capture.functions.averages import average
from capture.functions.positions import known_array
from capture.functions.registry import implements
from capture.functions.variance import degrees_of_freedom
from capture.symbolic import as_size
from capture.tensor import Tensor
from ir.dims import prove_eq
from ir.ops import interned
from ir.ops.shaping import Iota
from ir.types import supported_dtype

_FLOAT64 = np.dtype(np.float64)


def _rows(variables: Tensor, rowvar: Any, dtype: np.dtype[Any], *, first: bool) -> Tensor:
    """Return variables as rows; the two arguments of cov are turned by different rules."""
    matrix = cast(variables, dtype)
    if matrix.ndim < 2:
        matrix = matrix.reshape(1, -1)
    turned = variables.ndim != 1 if first else matrix._type.shape[0] != 1
    return matrix.T if not rowvar and turned else matrix


def _weights(name: str, given: Any, matrix: Tensor) -> Tensor:
    weights = lift(matrix._recorder, given, _FLOAT64)
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if not prove_eq(weights._type.shape[0], matrix._type.shape[1]):
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    known = known_array(matrix._recorder, weights)
    if known is not None:
        if name == "fweights" and not np.all(known == np.around(known)):
            raise TypeError("fweights must be integer")
        if np.any(known < 0):
            raise ValueError(f"{name} cannot be negative")
    return weights


def _normalizer(matrix: Tensor, total: Any, ddof: int, weights: Any, aweights: Any) -> Any:
    """Return what the products are divided by, never negative."""
    if weights is None:
        size = matrix._type.shape[1]
        number = as_size(matrix._recorder, size)
        return degrees_of_freedom(number, ddof)
    if ddof == 0:
        left = total
    elif aweights is None:
        left = total - ddof
    else:
        left = total - ddof * np.sum(weights * aweights) / total
    return np.maximum(left, 0.0)


def _scaled(products: Any, factor: Tensor) -> Any:
    """Return ``products * factor``; runtimes merge the two, and choke on an infinite constant."""
    known = known_array(products._recorder, factor)
    if known is None or np.isfinite(known):
        return products * factor
    if np.isnan(known):
        return products + known
    unsure = (products == 0) | np.isnan(products)
    return np.where(unsure, np.nan, np.copysign(known, products))


@implements(np.cov)
def cov(
    m: Any,
    y: Any = None,
    rowvar: Any = True,
    bias: Any = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """``numpy.cov``; what it checks of weights is checked where they are known."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    recorder = recorder_of("cov", m, y, fweights, aweights)
    first = as_tensor("cov", m, y, fweights, aweights)
    second = None if y is None else lift(recorder, y)
    for name, tensor in (("m", first), ("y", second)):
        if tensor is not None and tensor.ndim > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    dtypes = [tensor.dtype for tensor in (first, second) if tensor is not None]
    wanted = np.result_type(*dtypes, _FLOAT64) if dtype is None else dtype
    matrix: Any = _rows(first, rowvar, supported_dtype(wanted), first=True)
    if matrix._type.shape[0] == 0:
        return lift(recorder, np.array([]).reshape(0, 0))
    if second is not None:
        other = _rows(second, rowvar, matrix.dtype, first=False)
        matrix = np.concatenate((matrix, other), axis=0)
    if ddof is None:
        ddof = 1 if bias == 0 else 0
    counts = None if fweights is None else _weights("fweights", fweights, matrix)
    scales = None if aweights is None else _weights("aweights", aweights, matrix)
    both = counts * scales if counts is not None and scales is not None else None
    weights = both if both is not None else counts if counts is not None else scales
    centre, total = average(matrix, axis=1, weights=weights, returned=True)
    number = _normalizer(matrix, total[0], int(ddof), weights, scales)
    matrix = matrix - centre[:, None]
    turned = matrix.T if weights is None else (matrix * weights).T
    products = np.dot(matrix, turned)
    scaled = _scaled(products, np.true_divide(lift(recorder, 1.0), number))
    return np.squeeze(cast(scaled, products.dtype))


@implements(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True, *, dtype: Any = None) -> Any:
    """``numpy.corrcoef``."""
    covariance = cov(x, y, rowvar, dtype=dtype)
    if not covariance.ndim:
        return covariance / covariance
    diagonal = covariance._recorder.apply(interned(Iota, covariance._type.shape[0]))
    deviation = np.sqrt(covariance[diagonal, diagonal])
    scaled = covariance / deviation[:, None] / deviation[None, :]
    return np.clip(scaled, -1, 1)
