"""``convolve`` and ``correlate`` of one-dimensional arrays, of known or unknown lengths."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from capture.coerce import cast
from capture.errors import UnsupportedError
from capture.functions import plain
from capture.functions.contractions import operands
from capture.functions.registry import implements
from capture.location import here
from capture.tensor import Tensor
from ir.dims import DimLike, dim_max, dim_min, prove_le, prove_lt
from ir.ops import interned
from ir.ops.linear_algebra import matmul
from ir.ops.shaping import Pad

_LONGEST_UNROLLED = 16
"""Up to this many taps are added one by one; more go through one matrix product."""

_HALVES_SUM_IN = np.dtype(np.float32)


@implements(np.convolve)
def convolve(a: Any, v: Any, mode: Any = "full") -> Any:
    """``numpy.convolve``."""
    x, y = (plain.reshape(z, (1,)) if not z.ndim else z for z in operands("convolve", a, v))
    for name, operand in (("a", x), ("v", y)):
        if operand._type.shape[0] == 0:
            raise ValueError(f"{name} cannot be empty")
    full = _full("convolve", x, y)
    first, second = x._type.shape[0], y._type.shape[0]
    short, long = dim_min(first, second), dim_max(first, second)
    kind = _mode(mode)
    if kind == "full":
        return full
    if kind == "same":
        return plain.window(full, 0, (short - 1) // 2, long)
    return plain.window(full, 0, short - 1, long - short + 1)


@implements(np.correlate)
def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    """``numpy.correlate``: the convolution with the second operand reversed."""
    x, y = operands("correlate", a, v)
    for name, operand in (("first", x), ("second", y)):
        if not operand.ndim:
            raise ValueError("object of too small depth for desired array")
        if operand._type.shape[0] == 0:
            raise ValueError(f"{name} array argument cannot be empty")
    full = _full("correlate", x, y[::-1])
    first, second = x._type.shape[0], y._type.shape[0]
    short, long = dim_min(first, second), dim_max(first, second)
    kind = _mode(mode)
    if kind == "full":
        return full
    if kind == "valid":
        return plain.window(full, 0, short - 1, long - short + 1)
    return plain.window(full, 0, _start_of_same(x, y), long)


def _start_of_same(x: Tensor, y: Tensor) -> DimLike:
    """Return where "same" begins: NumPy exchanges the operands when the second is longer."""
    first, second = (dim_max(z._type.shape[0], 1) for z in (x, y))  # empty ones are errors
    if prove_le(second, first):
        return (second - 1) // 2
    if prove_lt(first, second):
        return first // 2
    raise UnsupportedError(
        f"correlate: mode='same' depends on if {x._type} or {y._type} is longer{here(2)}\n"
        "  ways out: give the symbols bounds, as in Dim('n', min=16); or mode='full' and slice"
    )


@cache
def _mode(mode: Any) -> str:
    """Return the mode's name; NumPy itself says which modes there are."""
    np.correlate(np.ones(1), np.ones(1), mode)
    names = ("valid", "same", "full")
    if isinstance(mode, str):
        return next(name for name in names if name[0] == mode[0].lower())
    return names[mode]


def _full(operation: str, x: Tensor, y: Tensor) -> Tensor:
    """Return every sum of products of overlapping elements."""
    if x.ndim > 1 or y.ndim > 1:
        raise ValueError("object too deep for desired array")
    dtype = plain.dot_dtype(x.dtype, y.dtype)
    half = dtype.itemsize == 2 and dtype.kind in "fV"
    inner = _HALVES_SUM_IN if half else dtype
    signal, taps = cast(x, inner), cast(y, inner)
    if not _is_taps(taps) and _is_taps(signal):
        signal, taps = taps, signal
    if _is_taps(signal) and _is_taps(taps) and _length(signal) < _length(taps):
        signal, taps = taps, signal
    count = taps._type.shape[0]
    if isinstance(count, int) and count <= _LONGEST_UNROLLED:
        result = _tap_by_tap(signal, taps, count)
    else:
        result = _by_matrix(signal, taps)
    return cast(result, dtype)


def _is_taps(x: Tensor) -> bool:
    return isinstance(x._type.shape[0], int)


def _length(x: Tensor) -> int:
    size = x._type.shape[0]
    assert isinstance(size, int)
    return size


def _padded(x: Tensor, before: DimLike, after: DimLike) -> Tensor:
    zero = operands("convolve", x, np.zeros((), x.dtype)[()])[1]
    result: Tensor = x._recorder.apply(interned(Pad, (before,), (after,)), x, zero)
    return result


def _tap_by_tap(signal: Tensor, taps: Tensor, count: int) -> Tensor:
    """Add the signal scaled by each tap, moved by its place."""
    padded = _padded(signal, count - 1, count - 1)
    size = signal._type.shape[0] + count - 1
    result: Any = None
    for place in range(count):
        moved = plain.window(padded, 0, count - 1 - place, size) * taps[place]
        result = moved if result is None else result + moved
    return plain.fresh(result)


def _by_matrix(signal: Tensor, taps: Tensor) -> Tensor:
    """Multiply the taps with a matrix whose row j is the signal moved by j places.

    The rows need no indices: one after another, rows of one element too few move by one.
    """
    length, count = signal._type.shape[0], taps._type.shape[0]
    size = length + count - 1
    padded = _padded(signal, 0, count)
    repeated = plain.broadcast_to(padded, (count, size + 1))
    flat = plain.reshape(repeated, (count * (size + 1),))
    rows = plain.reshape(plain.window(flat, 0, 0, count * size), (count, size))
    product: Tensor = signal._recorder.apply(matmul, plain.reshape(taps, (1, count)), rows)
    return plain.reshape(product, (size,))
