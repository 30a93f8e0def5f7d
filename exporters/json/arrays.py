"""Arrays as JSON: numbers a person can read where they are few and exact, else base64.

Either way every bit comes back: the writer decodes the numbers it chose and compares, so a NaN
with a payload, which no decimal holds, goes to base64.
"""

from __future__ import annotations

import binascii
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.json.errors import JsonFormatError
from exporters.json.fields import described, integer
from ir.types import BOOL, FLOATING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ir.ops.base import Array
    from ir.types import TensorType

    Flat = np.ndarray[Any, Any]

_MOST_NUMBERS = 64
_CHUNK = 3 * 2**18
"""Bytes encoded at a time: a multiple of 3, so that the pieces join without padding."""

_SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def words_of(array: Array) -> Flat:
    """Return the elements in C order as little-endian words; no copy where possible."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(f"u{flat.itemsize}").astype(f"<u{flat.itemsize}", copy=False)


def array_pieces(array: Array) -> Iterator[str]:
    """Yield ``"values": […]`` or ``"base64": "…"`` for an array, in pieces."""
    words = words_of(array)
    numbers = _exact_numbers(array, words) if array.size <= _MOST_NUMBERS else None
    if numbers is not None:
        yield f'"values": {json.dumps(numbers, allow_nan=False)}'
        return
    yield '"base64": "'
    data = words.data.cast("B")
    for start in range(0, len(data), _CHUNK):
        piece = binascii.b2a_base64(data[start : start + _CHUNK], newline=False)
        yield piece.decode("ascii")
    yield '"'


def _exact_numbers(array: Array, words: Flat) -> list[Any] | None:
    flat = array.reshape(-1)
    if flat.dtype not in FLOATING:
        return flat.tolist()
    # The dtype's own shortest decimal (0.1, not 0.10000000149011612) where it is exact.
    for numbers in ([float(str(item)) for item in flat], [float(item) for item in flat]):
        plain = [item if math.isfinite(item) else str(item) for item in numbers]
        if np.array_equal(words_of(_from_numbers(plain, flat.dtype)), words):
            return plain
    return None


def from_values(plain: list[Any], type: TensorType) -> Array:
    """Return the array that a list of numbers spells, read-only.

    Raises:
        JsonFormatError: There are too many or too few, or one does not fit the dtype.
    """
    wanted = math.prod(_static_shape(type))
    if len(plain) != wanted:
        raise JsonFormatError(f"{type} has {wanted} elements, found {len(plain)}")
    return _shaped(_from_numbers(plain, type.dtype), type)


def from_base64(plain: str, type: TensorType) -> Array:
    """Return the array whose bytes are encoded, read-only.

    Raises:
        JsonFormatError: It is no base64, or of another length than the type has.
    """
    wanted = byte_count(type)
    if len(plain) != (wanted + 2) // 3 * 4:  # before anything is allocated
        raise JsonFormatError(
            f"{type} takes {(wanted + 2) // 3 * 4} characters of base64, found {len(plain)}"
        )
    try:
        data = binascii.a2b_base64(plain, strict_mode=True)
    except ValueError as error:
        raise JsonFormatError(f"no base64: {error}") from None
    if len(data) != wanted:
        raise JsonFormatError(f"{type} has {wanted} bytes, found {len(data)}")
    return from_buffer(data, type)


def from_buffer(data: bytes | memoryview | Flat, type: TensorType) -> Array:
    """Return little-endian bytes of the right length as an array, read-only.

    Raises:
        JsonFormatError: A bool is neither 0 nor 1, or the shape is impossible.
    """
    size = type.dtype.itemsize
    words = np.frombuffer(data, f"<u{size}").astype(f"=u{size}", copy=False)
    if type.dtype == BOOL and words.size and words.max() > 1:
        raise JsonFormatError("a bool that is neither 0 nor 1")
    return _shaped(words.view(type.dtype), type)


def byte_count(type: TensorType) -> int:
    """Return how many bytes an array of a static type has.

    Raises:
        JsonFormatError: The type has a symbolic axis.
    """
    return math.prod(_static_shape(type)) * type.dtype.itemsize


def _static_shape(type: TensorType) -> tuple[int, ...]:
    if not type.is_static:
        raise JsonFormatError(f"data of type {type} would have no definite size")
    return type.shape  # type: ignore[return-value]


def _shaped(flat: Flat, type: TensorType) -> Array:
    flat.setflags(write=False)
    try:
        return flat.reshape(_static_shape(type))
    except ValueError as error:  # sizes that multiply to 0 but beyond what NumPy indexes
        raise JsonFormatError(f"{type} is impossible: {error}") from None


def _from_numbers(plain: list[Any], dtype: np.dtype[Any]) -> Flat:
    if dtype == BOOL:
        return np.array([_bool(item, at) for at, item in enumerate(plain)], dtype)
    if dtype not in FLOATING:
        limits = np.iinfo(dtype)
        for at, item in enumerate(plain):
            try:
                integer(item, int(limits.min), int(limits.max))
            except JsonFormatError as error:
                raise error.within(at) from None
        return np.array(plain, dtype)
    numbers = np.array([_float(item, at) for at, item in enumerate(plain)], np.float64)
    with np.errstate(all="ignore"):
        made = numbers.astype(dtype)
    lost = np.isfinite(numbers) & ~np.isfinite(made)
    if lost.any():
        at = int(lost.argmax())
        raise JsonFormatError(f"{described(plain[at])} is beyond {dtype}", (at,))
    return made


def _bool(item: Any, at: int) -> bool:
    if type(item) is not bool:
        raise JsonFormatError(f"expected true or false, found {described(item)}", (at,))
    return item


def _float(item: Any, at: int) -> float:
    if type(item) is str and item in _SPECIAL:
        return _SPECIAL[item]
    if type(item) in (int, float):
        try:
            value = float(item)
        except OverflowError:
            value = math.inf
        if math.isfinite(value):
            return value
        raise JsonFormatError(f"{described(item)} is beyond float64", (at,))
    raise JsonFormatError(f"expected a number, found {described(item)}", (at,))
