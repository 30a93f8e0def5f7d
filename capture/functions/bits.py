"""Bits packed into bytes and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.functions.arguments import as_tensor, single_axis
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis
from capture.symbolic import SymbolicInt
from ir.dims import Dim

_UINT8 = np.dtype(np.uint8)


def _weights(bitorder: str) -> Any:
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    powers = 1 << np.arange(8)
    return powers[::-1] if bitorder == "big" else powers


@implements(np.packbits)
def packbits(a: Any, /, axis: Any = None, bitorder: str = "big") -> Any:
    """``numpy.packbits``."""
    x = as_tensor("packbits", a)
    if x.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    if axis is None:
        x, axis = x.ravel(), 0
    last = moveaxis(x, single_axis(axis, x.ndim), -1)
    bits = (last != 0).astype(np.int64)
    size = bits.shape[-1]
    missing = -size % 8
    padded = np.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, missing)])
    grouped = padded.reshape(*bits.shape[:-1], -1, 8)
    packed = (grouped * _weights(bitorder)).sum(axis=-1).astype(_UINT8)
    return np.moveaxis(packed, -1, axis).copy()


@implements(np.unpackbits)
def unpackbits(a: Any, /, axis: Any = None, count: Any = None, bitorder: str = "big") -> Any:
    """``numpy.unpackbits``."""
    x = as_tensor("unpackbits", a)
    if x.dtype != _UINT8:
        raise TypeError("Expected an input array of unsigned byte data type")
    if axis is None:
        x, axis = x.ravel(), 0
    last = moveaxis(x, single_axis(axis, x.ndim), -1)
    spread = last[..., None].astype(np.int64) // _weights(bitorder) % 2
    flat = spread.reshape(*last.shape[:-1], last.shape[-1] * 8).astype(_UINT8)
    if count is not None:
        flat = _limited(flat, count)
    return np.moveaxis(flat, -1, axis).copy()


def _limited(flat: Any, count: Any) -> Any:
    """Cut off at ``count`` bits from the front, or that many from the end, padding with zeros."""
    size = flat.shape[-1]
    wanted = int(count)
    if wanted < 0:
        if not isinstance(size, SymbolicInt) and -wanted > size:
            raise ValueError(
                f"-count ({-wanted}) larger than number of elements in axis {size}"
            )
        return flat[..., :wanted]
    if isinstance(flat._type.shape[-1], Dim) or wanted <= size:
        return flat[..., :wanted]
    return np.pad(flat, [(0, 0)] * (flat.ndim - 1) + [(0, wanted - size)])
