"""Arrays repeated before arithmetic that repeats by itself, or that could be done before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx.fusion.paths import is_lone
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from ir.errors import ShapeError
from ir.ops import elementwise as ew
from ir.ops import interned
from ir.ops.shaping import BroadcastTo
from ir.shapes import broadcast

if TYPE_CHECKING:
    from ir.graph import Value

_OPS = (
    *(ew.add, ew.subtract, ew.multiply, ew.divide, ew.power),
    *(ew.maximum, ew.minimum, ew.arctan2, ew.hypot),
    *(ew.equal, ew.not_equal, ew.less, ew.less_equal, ew.greater, ew.greater_equal),
    *(ew.logical_and, ew.logical_or, ew.logical_xor),
)
_A, _B = Pattern("a"), Pattern("b")
_REPEATED = Result(BroadcastTo, Pattern("small"), name="spread")


@fuses(
    *(Result(op, _REPEATED, _B) for op in _OPS),
    *(Result(op, _A, _REPEATED) for op in _OPS),
    stage=Stage.SHAPES,
    shared=True,
)
def broadcast_by_arithmetic(site: Site) -> Value | None:
    """Arithmetic takes an operand as it was before it was repeated to the shape of the other."""
    small, spread = site["small"], site["spread"]
    operands = [small if value is spread else value for value in site.root.inputs]
    try:
        shape = broadcast(*(value.type.shape for value in operands))
    except ShapeError:
        return None
    if shape == site.type.shape:
        return site.apply(site.root.op, *operands)
    if not is_lone(site, spread):
        return None
    made = site.apply(site.root.op, *operands)
    return site.apply(interned(BroadcastTo, site.type.shape), made)
