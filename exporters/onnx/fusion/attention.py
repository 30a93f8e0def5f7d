"""Scaled products of queries and keys, their softmax, and the values weighted by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.normalizations import Softmax
from exporters.onnx.fusion.patterns import Either, Number, Pattern, Result
from exporters.onnx.fusion.rules import SINGLE, Site, Stage, fuses
from exporters.onnx.legality import FLOAT32
from exporters.onnx.shapes import at_least
from ir.ops import elementwise as ew
from ir.ops.linear_algebra import matmul
from ir.ops.shaping import Transpose
from ir.types import TensorType

if TYPE_CHECKING:
    from ir.dims import Shape
    from ir.graph import Node, Value
    from ir.ops.base import Array

_RANK = 4
"""Batch, heads, positions and features; of three axes ONNX takes the last for all heads."""


@native("Attention", since=23)
class Attention(Native):
    """``softmax(q @ k.T * scale + mask) @ v`` for queries, keys, values and a mask if given."""

    scale: float

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        queries, _, values = operands[:3]
        return (TensorType(queries.dtype, (*queries.shape[:3], values.shape[3])),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        queries, keys, values, *mask = operands
        scores = queries @ keys.swapaxes(2, 3) * queries.dtype.type(self.scale)
        if mask:
            scores = scores + mask[0]
        powers = np.exp(scores - scores.max(3, keepdims=True))
        return (powers / powers.sum(3, keepdims=True) @ values,)


def _swaps_last_axes(node: Node) -> bool:
    op = node.op
    assert isinstance(op, Transpose)
    return op.axes == (0, 1, 3, 2)


def _is_along_last_axis(node: Node) -> bool:
    op = node.op
    assert isinstance(op, Softmax)
    return op.axis == _RANK - 1 == node.outputs[0].type.rank - 1


_SCORES = Result(
    matmul, Pattern("queries"), Result(Transpose, Pattern("keys"), test=_swaps_last_axes)
)
_SCALED = Either(
    Result(ew.multiply, _SCORES, Number(name="factor")),
    Result(ew.divide, _SCORES, Number(name="divisor")),
    _SCORES,
)
_WEIGHTS = (
    Result(
        Softmax, Result(ew.add, _SCALED, Pattern("mask"), name="sum"), test=_is_along_last_axis
    ),
    *(Result(Softmax, scaled, test=_is_along_last_axis) for scaled in _SCALED.choices),
)


@fuses(
    *(Result(matmul, weights, Pattern("values")) for weights in _WEIGHTS),
    level=2,
    stage=Stage.FINISH,
    dtypes=SINGLE,
    kernels=("Attention",),
    since=23,
)
def attention(site: Site) -> Value | None:
    """Values weighted by the softmax of scaled scores are ``Attention``, where no axis is empty."""
    queries, keys, values = (site[name] for name in ("queries", "keys", "values"))
    if not _same_heads(queries.type.shape, keys.type.shape, values.type.shape):
        return None
    scale = 1 / site.number("divisor") if "divisor" in site else 1.0
    if "factor" in site:
        scale = site.number("factor")
    if scale <= 0:  # its square root is taken
        return None
    operands = [queries, keys, values]
    if "mask" in site:
        mask, scores = site["mask"].type, site["sum"].type
        if mask.dtype != FLOAT32 or not _masks(mask.shape, scores.shape):
            return None
        operands.append(site["mask"])
    return site.apply(Attention(scale), *operands)


def _same_heads(queries: Shape, keys: Shape, values: Shape) -> bool:
    """Whether batches and heads are the same, not broadcast, and nothing can be empty.

    ONNX Runtime stops at axes of 0, which the plain form takes.
    """
    shapes = (queries, keys, values)
    fit = all(len(shape) == _RANK and shape[:2] == queries[:2] for shape in shapes)
    return fit and all(at_least(dim, 1) for shape in shapes for dim in shape)


def _masks(mask: Shape, scores: Shape) -> bool:
    """Whether a mask is of the scores' last axes and broadcasts along the others."""
    pairs = list(zip(reversed(mask), reversed(scores), strict=False))
    return (
        2 <= len(mask) <= _RANK
        and all(given == wanted for given, wanted in pairs[:2])
        and all(given in (1, wanted) for given, wanted in pairs[2:])
    )
