"""Reductions whose axes are put back afterwards: kept in the first place.

``x.max(-1)[:, None]`` is a reduction and a reshape in the IR. Kept axes save a node and show the
larger forms, such as softmax, in the one spelling that their patterns know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from ir.ops import reduction as red
from ir.ops.base import interned
from ir.ops.elementwise import Elementwise
from ir.ops.reduction import reduced_shape
from ir.ops.shaping import Reshape

if TYPE_CHECKING:
    from ir.dims import Shape
    from ir.graph import Node, Value

_LONGEST_CHAIN = 8
"""Elementwise ops looked through, as the division and root of a standard deviation."""

_KINDS: tuple[Any, ...] = (
    *(red.Sum, red.Prod, red.Max, red.Min, red.All, red.Any_),
    *(red.ArgMax, red.ArgMin),
)


def _drops_axes(node: Node) -> bool:
    return not node.op.parameters["keepdims"]


def _kept_shape(node: Node) -> Shape:
    """Return the shape that a reduction would have with its axes kept as 1."""
    op = node.op
    axes = op.axes if isinstance(op, red.Reduction) else (op.parameters["axis"],)
    return reduced_shape(node.inputs[0].type.shape, axes, True)


def _keeping(site: Site, node: Node) -> Value:
    parameters = {**node.op.parameters, "keepdims": True}
    return site.apply(type(node.op)(**parameters), node.inputs[0])


@fuses(
    *(Result(kind, name="reduced", test=_drops_axes) for kind in _KINDS),
    stage=Stage.SHAPES,
)
def kept_axes(site: Site) -> Value | None:
    """A reduction that a reshape puts the axes back into keeps them, for its other uses too."""
    shape = _kept_shape(site.root)
    if not any(
        isinstance(reader.op, Reshape) and reader.op.shape == shape
        for reader in site.facts.readers(site["reduced"])
    ):
        return None
    return site.apply(interned(Reshape, site.type.shape), _keeping(site, site.root))


def _scaled(node: Node) -> Value | None:
    """Return the array that an elementwise op combines with 0-d values, if with no other."""
    if not isinstance(node.op, Elementwise) or len(node.outputs) != 1:
        return None
    arrays = [operand for operand in node.inputs if operand.type.rank]
    return arrays[0] if len(arrays) == 1 else None


def _follows_arithmetic(node: Node) -> bool:
    before = node.inputs[0].producer
    return before is not None and isinstance(before.op, Elementwise)


@fuses(Result(Reshape, Pattern("x"), test=_follows_arithmetic), stage=Stage.SHAPES)
def kept_axes_before(site: Site) -> Value | None:
    """Axes put back after elementwise ops with 0-d operands (a mean, a deviation), likewise."""
    chain: list[Node] = []
    value = site["x"]
    while (node := value.producer) is not None and len(site.facts.readers(value)) == 1:
        if isinstance(node.op, (red.Reduction, red.ArgReduction)):
            break
        inner = _scaled(node)
        if inner is None or len(chain) == _LONGEST_CHAIN:
            return None
        chain.append(node)
        value = inner
    else:
        return None
    if not chain or not _drops_axes(node) or _kept_shape(node) != site.type.shape:
        return None
    if any(map(site.facts.is_output, (value, *(link.outputs[0] for link in chain)))):
        return None
    before, after = value, _keeping(site, node)
    for link in reversed(chain):
        operands = [after if operand is before else operand for operand in link.inputs]
        before, after = link.outputs[0], site.apply(link.op, *operands)
    return after
