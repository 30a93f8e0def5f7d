"""Values for what no path defines yet: never read, they only give a graph its types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.coerce import find_recorder, lift
from capture.destinations import is_plain_array
from capture.functions.reductions import broadcast_scalar
from capture.pytrees import flatten
from capture.symbolic import SYMBOLIC_NUMBERS
from capture.tensor import Tensor
from capture.weak import SymbolicFloat
from ir.dims import Dim, symbols_of

if TYPE_CHECKING:
    from capture.recorder import Recorder


def zeros_like(recorder: Recorder, value: Any) -> Any:
    """Return a value of the same structure and types; axes of unknown length are empty."""
    leaves, rebuild = flatten(value)
    return rebuild([_zero(recorder, leaf) for leaf in leaves])


def _zero(recorder: Recorder, leaf: Any) -> Any:
    if type(leaf) in SYMBOLIC_NUMBERS:
        return 0.0 if type(leaf) is SymbolicFloat else 0
    if is_plain_array(leaf):
        leaf = lift(recorder, leaf)
    if type(leaf) is not Tensor or find_recorder(leaf) is None:
        return leaf
    zero = lift(recorder, leaf.dtype.type(0))
    definers = recorder.builder.definers
    inside = recorder.regions[-1].start if recorder.regions else len(recorder.builder.ops)
    shape = tuple(
        0
        if isinstance(dim, Dim) and any(definers.get(s, -1) >= inside for s in symbols_of(dim))
        else dim
        for dim in leaf._type.shape
    )
    return broadcast_scalar(zero, shape) if shape else zero
