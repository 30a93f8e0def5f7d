"""Polynomials as arrays of coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.coerce import cast, find_recorder, lift, recorder_of
from capture.errors import UnsupportedError
from capture.functions import plain
from capture.functions.arguments import as_tensor
from capture.functions.convolution import convolve
from capture.functions.registry import implements
from capture.known import UnknownValue
from capture.location import here
from capture.tensor import Tensor
from ir.dims import Dim, DimLike, dim_max
from ir.ops import interned
from ir.ops.shaping import Pad


@implements(np.polyval)
def polyval(p: Any, x: Any) -> Any:
    """``numpy.polyval``: Horner's scheme, starting from zeros as NumPy does."""
    if isinstance(x, np.poly1d):
        raise UnsupportedError(
            f"polyval: of a poly1d with captured coefficients is not captured{here()}\n"
            "  ways out: np.polymul and np.polyadd of coefficient arrays"
        )
    recorder = recorder_of("polyval", p, x)
    recorder.require_open("polyval")
    at = lift(recorder, x)
    coefficients: Any = lift(recorder, p) if find_recorder(p) is not None else np.asarray(p)
    if type(coefficients) is Tensor and isinstance(coefficients._type.shape[0], Dim):
        raise UnsupportedError(
            f"polyval: {coefficients._type} has a symbolic number of coefficients{here()}\n"
            "  ways out: declare that axis with a number"
        )
    value = np.zeros_like(at)
    for coefficient in coefficients:
        value = value * at + coefficient
    return value


def _as_coefficients(operation: str, value: Any, *others: Any) -> Tensor:
    """Return an operand with one axis or more."""
    if isinstance(value, np.poly1d):
        raise UnsupportedError(
            f"{operation}: a poly1d cannot hold captured coefficients{here(2)}\n"
            "  ways out: pass its .coeffs"
        )
    x = as_tensor(operation, value, *others)
    return x if x.ndim else plain.reshape(x, (1,))


def _aligned(operation: str, a1: Any, a2: Any) -> tuple[Tensor, Tensor]:
    """Return two operands with zeros in front of the shorter."""
    first, second = (_as_coefficients(operation, a, a1, a2) for a in (a1, a2))
    sizes = first._type.shape[0], second._type.shape[0]
    return _led(first, sizes[1] - sizes[0]), _led(second, sizes[0] - sizes[1])


def _led(x: Tensor, missing: DimLike) -> Tensor:
    count = dim_max(missing, 0)
    if count == 0:
        return x
    if x.ndim > 1:
        raise ValueError(
            "all the input arrays must have same number of dimensions, but the array at index "
            f"0 has 1 dimension(s) and the array at index 1 has {x.ndim} dimension(s)"
        )
    zero = lift(x._recorder, np.zeros((), x.dtype)[()])
    result: Tensor = x._recorder.apply(interned(Pad, (count,), (0,)), x, zero)
    return plain.window(result, 0, 0, dim_max(x._type.shape[0] + missing, x._type.shape[0]))


@implements(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Any:
    """``numpy.polyadd``."""
    return np.add(*_aligned("polyadd", a1, a2))


@implements(np.polysub)
def polysub(a1: Any, a2: Any) -> Any:
    """``numpy.polysub``."""
    return np.subtract(*_aligned("polysub", a1, a2))


@implements(np.polymul)
def polymul(a1: Any, a2: Any) -> Any:
    """``numpy.polymul``: leading zeros fall away, so the length may be a fresh symbol."""
    first, second = (_trimmed(_as_coefficients("polymul", a, a1, a2)) for a in (a1, a2))
    return convolve(first, second)


def _trimmed(x: Tensor) -> Any:
    """Return the coefficients without leading zeros; of nothing but zeros one is left."""
    if x.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    try:
        known = x._recorder.known.read(x._read())
    except UnknownValue:
        size = x._type.shape[0]
        last = plain.iota(x._recorder, size) == x.shape[0] - 1
        return x[last | np.logical_or.accumulate(x != 0)]
    return lift(x._recorder, np.poly1d(known).coeffs)


@implements(np.polydiv)
def polydiv(u: Any, v: Any) -> Any:
    """``numpy.polydiv``: the remainder loses leading zeros, so its length is a fresh symbol."""
    dividend, divisor = (_as_coefficients("polydiv", a, u, v) + 0.0 for a in (u, v))
    sizes = dividend._type.shape[0], divisor._type.shape[0]
    for x in (dividend, divisor):
        if isinstance(x._type.shape[0], Dim):
            raise UnsupportedError(
                f"polydiv: {x._type} has a symbolic number of coefficients{here()}\n"
                "  ways out: declare that axis with a number"
            )
    dtype = np.result_type(dividend.dtype, divisor.dtype)
    rest: Any = np.copy(cast(dividend, dtype))
    scale = 1.0 / divisor[0]
    steps = []
    for at in range(sizes[0] - sizes[1] + 1):
        steps.append(cast(scale * rest[at], dtype))
        rest[at : at + sizes[1]] -= steps[-1] * divisor
    quotient = np.stack(steps) if steps else lift(rest._recorder, np.zeros(1, dtype))
    return quotient, _without_leading_zeros(rest)


def _without_leading_zeros(x: Tensor) -> Any:
    """Return what follows the leading coefficients that are nearly zero; one is always left."""
    last = plain.iota(x._recorder, x._type.shape[0]) == x.shape[0] - 1
    there = ~np.isclose(x, 0, rtol=1e-14)
    return x[last | np.logical_or.accumulate(there)]


@implements(np.polyder)
def polyder(p: Any, m: Any = 1) -> Any:
    """``numpy.polyder``."""
    order = int(m)
    if order < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    x = as_tensor("polyder", p)
    for _ in range(order):
        powers = plain.iota(x._recorder, x._type.shape[0])[:0:-1]
        x = x[:-1] * powers
    return x


@implements(np.polyint)
def polyint(p: Any, m: Any = 1, k: Any = None) -> Any:
    """``numpy.polyint``: ``k`` holds the constants of integration."""
    order = int(m)
    if order < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    x = as_tensor("polyint", p, k)
    constants = _constants(x, order, k)
    for place in range(order):
        powers = plain.iota(x._recorder, x._type.shape[0])[::-1] + 1
        constant = constants[place : place + 1]
        x = np.concatenate([np.true_divide(x, powers), constant])  # type: ignore[assignment]
    return x


def _constants(x: Tensor, order: int, k: Any) -> Any:
    if k is None:
        return np.zeros(order)
    given: Any = lift(x._recorder, k)
    given = given if given.ndim else plain.reshape(given, (1,))
    count = given._type.shape[0]
    if count == 1 and order > 1:
        return np.broadcast_to(given, (order,))
    if isinstance(count, Dim) or count < order:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    return given


@implements(np.poly)
def poly(seq_of_zeros: Any) -> Any:
    """``numpy.poly`` of a known number of zeros; of a matrix it needs eigenvalues."""
    zeros = as_tensor("poly", seq_of_zeros)
    zeros = zeros if zeros.ndim else plain.reshape(zeros, (1,))
    shape = zeros._type.shape
    if len(shape) != 1:
        if len(shape) == 2 and shape[0] == shape[1] != 0:
            raise UnsupportedError(
                f"poly: the characteristic polynomial of {zeros._type} needs eigenvalues, "
                f"which have no captured form yet{here()}\n  ways out: compute it outside the "
                "scope and pass the result in"
            )
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if isinstance(shape[0], Dim):
        raise UnsupportedError(
            f"poly: the number of zeros of {zeros._type} is symbolic{here()}"
        )
    if not shape[0]:
        return 1.0
    zeros = cast(zeros, np.poly(np.zeros(1, zeros.dtype)).dtype)  # at least float32
    one = lift(zeros._recorder, np.ones(1, zeros.dtype))
    result = one
    for position in range(shape[0]):
        factor = np.concatenate([one, -zeros[position : position + 1]])
        result = convolve(result, factor)
    return result
