"""Gradients by second-order differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import as_tensor
from capture.functions.averages import listed_axes
from capture.functions.differences import along, diff
from capture.functions.positions import known_array
from capture.functions.registry import implements
from capture.functions.shaping import reshaped
from capture.location import here
from capture.tensor import Tensor
from ir.dims import prove_eq, prove_lt
from ir.types import INTEGER

_FLOAT64 = np.dtype(np.float64)


def _spacings(f: Tensor, varargs: tuple[Any, ...], axes: tuple[int, ...]) -> list[Any]:
    """Return one spacing per axis: a scalar, or the gaps between coordinates."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        return list(varargs * len(axes))
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    return [_spacing(f, given, axis) for given, axis in zip(varargs, axes, strict=True)]


def _spacing(f: Tensor, given: Any, axis: int) -> Any:
    if np.ndim(given) == 0:
        return given
    if np.ndim(given) != 1:
        raise ValueError("distances must be either scalars or 1d")
    places = lift(f._recorder, given)
    if not prove_eq(places._type.shape[0], f._type.shape[axis]):
        raise ValueError(
            "when 1d, distances must match the length of the corresponding dimension"
        )
    known = known_array(f._recorder, given)
    if known is not None:
        gaps = np.diff(known.astype(_FLOAT64) if known.dtype.kind in "iu" else known)
        return gaps[0] if (gaps == gaps[0]).all() else lift(f._recorder, gaps)
    return diff(cast(places, _FLOAT64) if places.dtype in INTEGER else places)


def _interior(f: Tensor, axis: int, gaps: Any) -> Any:
    before, here_, after = (
        f[along(axis, part)] for part in (slice(None, -2), slice(1, -1), slice(2, None))
    )
    if np.ndim(gaps) == 0:
        return (after - before) / (2.0 * gaps)
    shape = [1] * f.ndim
    first, second = gaps[0:-1], gaps[1:]
    weights = (
        -second / (first * (first + second)),
        (second - first) / (first * second),
        first / (second * (first + second)),
    )
    a, b, c = (
        reshaped(w, (*shape[:axis], w._type.shape[0], *shape[axis + 1 :])) for w in weights
    )
    return a * before + b * here_ + c * after


def _end(f: Tensor, axis: int, gaps: Any, edge_order: int, *, last: bool) -> Any:
    """Return the one-sided difference at the first or last position."""
    order = (-1, -2, -3) if last else (0, 1, 2)
    uniform = np.ndim(gaps) == 0
    near = gaps if uniform else gaps[order[0]]
    if edge_order == 1:
        inner, outer = f[along(axis, order[1])], f[along(axis, order[0])]
        return (outer - inner) / near if last else (inner - outer) / near
    if uniform:
        weights = (-1.5 / near, 2.0 / near, -0.5 / near)
    else:
        far = gaps[order[1]]
        weights = (
            -(2.0 * near + far) / (near * (near + far)),
            (near + far) / (near * far),
            -near / (far * (near + far)),
        )
    terms = [w * f[along(axis, at)] for w, at in zip(weights, order, strict=True)]
    if last:
        return -terms[2] - terms[1] - terms[0]
    return terms[0] + terms[1] + terms[2]


@implements(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """``numpy.gradient``; a symbolic axis is taken to be long enough.

    Coordinates that depend on an input are always taken as unevenly spaced.
    """
    x = as_tensor("gradient", f, varargs)
    axes = listed_axes(axis, x.ndim)
    axes = tuple(range(x.ndim)) if axes is None else axes
    spacings = _spacings(x, varargs, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    dtype = x.dtype
    if not issubclass(dtype.type, np.inexact):
        x = cast(x, _FLOAT64) if dtype in INTEGER else x
        dtype = _FLOAT64
    results = []
    for chosen, gaps in zip(axes, spacings, strict=True):
        if prove_lt(x._type.shape[chosen], edge_order + 1):
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least "
                f"(edge_order + 1) elements are required.{here()}"
            )
        result = np.empty_like(x, dtype=dtype)
        result[along(chosen, slice(1, -1))] = _interior(x, chosen, gaps)
        result[along(chosen, 0)] = _end(x, chosen, gaps, edge_order, last=False)
        result[along(chosen, -1)] = _end(x, chosen, gaps, edge_order, last=True)
        results.append(result)
    return results[0] if len(axes) == 1 else tuple(results)
