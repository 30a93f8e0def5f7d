"""Normalisations over axes: softmax and its logarithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from ir.ops import elementwise as ew
from ir.ops import reduction as red

if TYPE_CHECKING:
    from ir.graph import Node, Value
    from ir.ops.base import Array

X = Pattern("x")


def _is_along_one_axis(node: Node) -> bool:
    op = node.op
    assert isinstance(op, red.Reduction)
    return len(op.axes) == 1 and op.keepdims


@native("Softmax")
class Softmax(Native):
    """``exp(x - max(x)) / sum(exp(x - max(x)))`` along an axis."""

    axis: int

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        powers = np.exp(x - x.max(self.axis, keepdims=True, initial=-np.inf))
        return (powers / powers.sum(self.axis, keepdims=True),)


_POWERS = Result(
    ew.exp,
    Result(ew.subtract, X, Result(red.Max, X, name="max", test=_is_along_one_axis)),
    name="powers",
)


@fuses(
    Result(ew.divide, _POWERS, Result(red.Sum, _POWERS, name="sum", test=_is_along_one_axis)),
    stage=Stage.WHOLES,
    kernels=("Softmax",),
)
def softmax(site: Site) -> Value | None:
    """Exponentials over their sum, after the largest was taken away, are ``Softmax``."""
    (axis,) = site.op("max").axes
    if site.op("sum").axes != (axis,):
        return None
    return site.apply(Softmax(axis), site["x"])
