"""Ufuncs that take floats apart and put them together: exact, without reading their bits.

Half and single precision go through float64, which holds every value, product and neighbour of
theirs exactly; float64 itself needs care only below its normal numbers.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from capture.coerce import cast, lift
from capture.functions import plain
from capture.ufuncs import FORMULAS
from ir.ops import interned
from ir.ops.indexing import Take
from ir.types import BFLOAT16, INT64

_FLOAT64 = np.dtype(np.float64)
_LEAST, _GREATEST = -1074, 1023
_POWERS = np.ldexp(1.0, np.arange(_LEAST, _GREATEST + 1))
_POWERS.flags.writeable = False
"""Every power of two that is a float64, from the smallest."""


def power_of_two(exponent: Any) -> Any:
    """Return ``2.0 ** exponent`` of integers from -1074 to 1023."""
    recorder = exponent._recorder
    table = lift(recorder, _POWERS)
    return recorder.apply(interned(Take, 0), table, cast(exponent - _LEAST, INT64))


def modf(x: Any) -> Any:
    """Fraction and whole part, both under the operand's sign."""
    whole = np.trunc(x)
    fraction = np.where(np.isinf(x), np.zeros((), x.dtype)[()], x - whole)
    return np.copysign(fraction, x), whole


def ldexp(x: Any, exponent: Any) -> Any:
    """Scale by a power of two, rounded once.

    Far below, the first step leaves more than 53 places to go: what it rounds, the last one
    rounds to nothing.
    """
    exponent = cast(exponent, INT64)
    if x.dtype != _FLOAT64:
        scaled = cast(x, _FLOAT64) * power_of_two(np.clip(exponent, -400, 400))
        return cast(scaled, x.dtype)
    result, left = x, np.clip(exponent, -3000, 3000)
    for _ in range(2):
        step = np.where(left < -1022, -969, np.clip(left, 0, _GREATEST))
        result, left = result * power_of_two(step), left - step
    return result * power_of_two(np.clip(left, -1022, _GREATEST))


def _parts(x: Any) -> tuple[Any, Any, Any]:
    """Return magnitude in [0.5, 1) and exponent of float64, and where they mean something."""
    size = np.abs(x)
    regular = (size > 0) & np.isfinite(size)
    small = regular & (size < 2.0**-1022)
    scaled = np.where(regular, np.where(small, size * 2.0**54, size), 1.0)
    guess = np.floor(np.log2(scaled)).astype(np.int64)
    guess = np.clip(guess, -1022, 1023)
    part = scaled * power_of_two(-guess)  # in [0.5, 4): the logarithm may be off by an ulp
    high, low = part >= 2, part < 1
    part = np.where(high, part / 4, np.where(low, part, part / 2))
    exponent = guess + np.where(high, 2, np.where(low, 0, 1)) - np.where(small, 54, 0)
    return part, exponent, regular


def frexp(x: Any) -> Any:
    """Mantissa in [0.5, 1) and exponent; zeros, NaN and infinities keep exponent 0."""
    wide = cast(x, _FLOAT64)
    part, exponent, regular = _parts(wide)
    mantissa: Any = np.where(regular, np.copysign(part, wide), wide)
    return cast(mantissa, x.dtype), np.where(regular, exponent, 0).astype(np.int32)


def _precision(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return how many bits the mantissa has, and the exponent of the smallest number."""
    info: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    return int(info.nmant) + 1, int(info.minexp) - int(info.nmant)


def _largest(dtype: np.dtype[Any]) -> float:
    return float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]


def _ulp(exponent: Any, regular: Any, dtype: np.dtype[Any]) -> Any:
    """Return the distance to the next larger magnitude, as float64."""
    bits, least = _precision(dtype)
    return power_of_two(np.where(regular, np.maximum(exponent - bits, least), least))


def _finer_below(part: Any, exponent: Any, regular: Any, dtype: np.dtype[Any]) -> Any:
    """Whether the next smaller magnitude is half as far: of powers of two."""
    bits, least = _precision(dtype)
    return regular & (part == 0.5) & (exponent - bits > least)


def spacing(x: Any) -> Any:
    """The distance to the next larger magnitude, under the operand's sign.

    NumPy's loop of halves answers otherwise: the distance to the next larger number.
    """
    wide = cast(x, _FLOAT64)
    part, exponent, regular = _parts(wide)
    ulp = _ulp(exponent, regular, x.dtype)
    largest = _largest(x.dtype)
    if x.dtype == np.float16:
        finer = (wide < 0) & _finer_below(part, exponent, regular, x.dtype)
        distance = np.where(wide == largest, np.inf, np.where(finer, ulp / 2, ulp))
    else:
        ulp = np.where(np.abs(wide) == largest, np.inf, ulp)
        # of the two zeros, ml_dtypes keeps the sign and NumPy does not
        negative = np.signbit(wide) if x.dtype == BFLOAT16 else wide < 0
        distance = np.where(negative, -ulp, ulp)
    result: Any = np.where(np.isfinite(wide), distance, np.nan)
    return cast(result, x.dtype)


def nextafter(x: Any, y: Any) -> Any:
    """The neighbour in the direction of ``y``."""
    dtype = x.dtype
    wide, goal = cast(x, _FLOAT64), cast(y, _FLOAT64)
    largest = _largest(dtype)
    part, exponent, regular = _parts(wide)
    ulp = _ulp(exponent, regular, dtype)
    finer = _finer_below(part, exponent, regular, dtype)
    size = np.abs(wide)
    outward = (goal > wide) == (wide > 0)
    moved = np.where(outward, size + ulp, size - np.where(finer, ulp / 2, ulp))
    moved = np.where(np.isinf(wide), largest, moved)
    if dtype != _FLOAT64:
        moved = np.where(moved > largest, np.inf, moved)
    stepped = np.copysign(moved, np.where(wide == 0, goal, wide))
    stepped = np.where(wide == 0, np.copysign(ulp, goal), stepped)
    same = wide if dtype == np.float16 else goal  # which of two zeros, NumPy's loops differ
    result = np.where(wide == goal, same, stepped)
    ordered: Any = np.where(np.isnan(wide) | np.isnan(goal), np.nan, result)
    return cast(ordered, dtype)


def bitwise_count(x: Any) -> Any:
    """The one bits of the magnitude, summed in parallel within the word."""
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    word = cast(
        cast(np.abs(x), unsigned), np.dtype(np.uint64 if unsigned.itemsize == 8 else np.uint32)
    )
    width = 8 * word.dtype.itemsize
    pairs, fours, eights, ones = (int(p * (width // 8), 16) for p in ("55", "33", "0f", "01"))
    word = word - (word >> 1 & pairs)
    word = (word & fours) + (word >> 2 & fours)
    word = (word + (word >> 4)) & eights
    return plain.fresh(cast(word * ones >> width - 8, np.uint8))


FORMULAS.update(
    {
        np.modf: modf,
        np.ldexp: ldexp,
        np.frexp: frexp,
        np.spacing: spacing,
        np.nextafter: nextafter,
        np.bitwise_count: bitwise_count,
    }
)
