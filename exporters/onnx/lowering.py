"""The tables of lowerings: which ONNX operator, or which rule, an op becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from exporters.errors import UnsupportedLoweringError
from exporters.onnx.term import Term

if TYPE_CHECKING:
    import numpy as np

    from exporters.onnx.emitter import Emitter
    from exporters.onnx.shapes import Sizes
    from ir.dims import Shape
    from ir.graph import Graph, Node, Value
    from ir.ops.base import Op

Results: TypeAlias = Term | tuple[Term, ...]
Rule: TypeAlias = Callable[..., Results]
"""``rule(context, *operands)``: writes nodes and returns the results."""


class Context(NamedTuple):
    """What a rule sees beside its operands.

    Attributes:
        emitter: Writes nodes.
        node: The IR node being lowered: its op with parameters, its types.
        sizes: Run-time sizes.
        inputs: The graph's inputs, whose data is only a default.
        inline: Writes a nested graph's nodes for operands and sizes; returns its outputs.
        is_used: Whether a node or an output of the graph reads a value.
    """

    emitter: Emitter
    node: Node
    sizes: Sizes
    inputs: frozenset[Value]
    inline: Callable[[Graph, Sequence[Term], Sequence[Term]], tuple[Term, ...]]
    is_used: Callable[[Value], bool]

    def shape(self, operand: int) -> Shape:
        """Return an operand's shape."""
        return self.node.inputs[operand].type.shape

    @property
    def result_shape(self) -> Shape:
        """The shape of the first result."""
        return self.node.outputs[0].type.shape

    def known(self, operand: int) -> np.ndarray[Any, Any] | None:
        """Return an operand's array where it is a constant of the graph."""
        value = self.node.inputs[operand]
        return None if value in self.inputs else value.data

    def refuse(self, problem: str, hint: str | None = None) -> UnsupportedLoweringError:
        """Return the error for a node that has no exact form."""
        return UnsupportedLoweringError.at(self.node, problem, hint)


class Lowering(NamedTuple):
    """A rule and the first opset it can be written in."""

    rule: Rule
    since: int


LOWERINGS: dict[Op | type[Op], Lowering] = {}
"""Rules by op: the row object itself, or the class of a parameterised op."""


def lowers(*ops: Op | type[Op], since: int = 17) -> Callable[[Rule], Rule]:
    """Declare the rule of one or more ops.

    Args:
        *ops: Row objects or op classes.
        since: The first opset in which the rule's nodes exist.
    """

    def register(rule: Rule) -> Rule:
        for op in ops:
            if op in LOWERINGS:
                raise ValueError(f"{op} has a lowering already")
            LOWERINGS[op] = Lowering(rule, since)
        return rule

    return register


def lowering_of(op: Op) -> Lowering | None:
    """Return the lowering of an op, by its class or by the object itself."""
    return LOWERINGS.get(type(op)) or LOWERINGS.get(op)
