"""Signs of floats, those of zeros included, and float16's grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exporters.onnx.element_types import ELEMENT_TYPES
from exporters.onnx.legality import FLOAT16, FLOAT32, INT16, INT32, INT64
from ir.types import BFLOAT16

if TYPE_CHECKING:
    import numpy as np

    from exporters.onnx.term import Term

_BITS_AS: dict[np.dtype[Any], np.dtype[Any]] = {
    FLOAT16: INT16,
    BFLOAT16: INT16,
    FLOAT32: INT32,
}


def sign_bit(x: Term) -> Term:
    """Whether a float has its sign bit set; without ``BitCast`` (opset 26) a NaN has not."""
    emitter = x.emitter
    integer = _BITS_AS.get(x.dtype, INT64)
    if emitter.legality.can_bitcast(x.dtype, integer):
        bits = emitter.node("BitCast", x, result=integer, to=ELEMENT_TYPES[integer])
        return bits < 0
    # the reciprocal of -0.0 is -inf, and leaves other signs alone
    return x + x.function("Reciprocal") < 0


def times_sign_of(x: Term, sign: Term) -> Term:
    """Return ``x``, negated where ``sign`` has its sign bit set; a -0.0 survives a product."""
    return x * sign_bit(sign).where(x.like(-1), x.like(1))


def with_sign_of(size: Term, sign: Term) -> Term:
    """Return ``|size|`` with the sign bit of ``sign``."""
    return times_sign_of(abs(size), sign)


def on_half_grid(x: Term) -> Term:
    """Round float64 to float16's grid, half to even.

    ONNX Runtime converts through float32 and so rounds twice. Adding and subtracting a large
    multiple of the power of two below ``|x|`` leaves float16's 11 bits.
    """
    size = abs(x).minimum(2.0**17)  # beyond float16's infinity nothing changes
    normal = size.maximum(2.0**-14)
    # halved, for the runtime drops a product with 1 - 2**-53 as if that were 1
    half = normal * (2.0**51 + 0.5)
    leading = abs(half + half - half * (2.0 - 2.0**-52))
    magic = leading * (1.5 * 2.0**42)
    return times_sign_of((size + magic) - magic, x)
