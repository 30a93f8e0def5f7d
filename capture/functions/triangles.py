"""Triangles and indices of matrices: triu, tril, the ``*_indices_from`` functions."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.advanced_indexing import nonzero
from capture.coerce import lift
from capture.functions.arguments import as_array
from capture.functions.diagonals import all_equal, as_column
from capture.functions.positions import counting
from capture.functions.registry import implements
from capture.symbolic import as_dim
from capture.tensor import Tensor
from ir.dims import Dim

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from ir.dims import DimLike


def triangle(recorder: Recorder, rows: DimLike, columns: DimLike, k: Any) -> Any:
    """Return ``numpy.tri(rows, columns, k, bool)`` for sizes that may be symbolic."""
    return as_column(recorder, rows) + k >= counting(recorder, columns)


def _triangle_of(x: Tensor, k: Any, below: int = 0) -> Any:
    if not x.ndim:
        raise TypeError("tri() missing 1 required positional argument: 'N'")
    rows, columns = (x._type.shape * 2)[-2:] if x.ndim == 1 else x._type.shape[-2:]
    if as_dim(k) is None and type(k) is not Tensor:
        k = operator.index(k)
    return triangle(x._recorder, rows, columns, k - below)


@implements(np.tril)
def tril(m: Any, k: Any = 0) -> Any:
    """``numpy.tril``: ``k`` may be captured."""
    x = as_array("tril", m, k)
    return np.where(_triangle_of(x, k), x, lift(x._recorder, 0, x.dtype))


@implements(np.triu)
def triu(m: Any, k: Any = 0) -> Any:
    """``numpy.triu``: ``k`` may be captured."""
    x = as_array("triu", m, k)
    return np.where(_triangle_of(x, k, below=1), lift(x._recorder, 0, x.dtype), x)


def _triangle_indices(x: Tensor, k: Any, upper: bool) -> tuple[Any, ...]:
    """Return known indices as ndarrays, those of symbolic sizes as tensors."""
    if x.ndim != 2:
        raise ValueError("input array must be 2-d")
    rows, columns = x._type.shape
    if isinstance(rows, int) and isinstance(columns, int) and type(k) is not Tensor:
        known = np.triu_indices if upper else np.tril_indices
        return known(rows, k, columns)
    mask = triangle(x._recorder, rows, columns, k - 1 if upper else k)
    found = nonzero(~mask if upper else mask)
    return found[:, 0], found[:, 1]


@implements(np.triu_indices_from)
def triu_indices_from(arr: Any, k: Any = 0) -> tuple[Any, ...]:
    """``numpy.triu_indices_from``."""
    return _triangle_indices(as_array("triu_indices_from", arr, k), k, upper=True)


@implements(np.tril_indices_from)
def tril_indices_from(arr: Any, k: Any = 0) -> tuple[Any, ...]:
    """``numpy.tril_indices_from``."""
    return _triangle_indices(as_array("tril_indices_from", arr, k), k, upper=False)


@implements(np.diag_indices_from)
def diag_indices_from(arr: Any) -> tuple[Any, ...]:
    """``numpy.diag_indices_from``."""
    x = as_array("diag_indices_from", arr)
    if x.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    shape = x._type.shape
    if not all_equal(shape):
        raise ValueError("All dimensions of input must be of equal length")
    size = shape[0]
    index: Any = counting(x._recorder, size) if isinstance(size, Dim) else np.arange(size)
    return (index,) * x.ndim
