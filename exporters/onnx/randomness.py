"""Draws made anew on every run; ONNX Runtime seeds them by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exporters.onnx.element_types import ELEMENT_TYPES
from exporters.onnx.legality import FLOAT32, FLOAT64, INT64, UINT8
from exporters.onnx.lowering import Context, lowers
from exporters.onnx.shapes import static_shape
from ir.ops import random as rnd

if TYPE_CHECKING:
    import numpy as np

    from exporters.onnx.term import Term
    from ir.dims import Shape

_EXACT_IN_FLOAT64 = 2**53


def _draw(context: Context, op_type: str, shape: Shape, dtype: np.dtype[Any]) -> Term:
    """Return standard draws: the operator's own parameters are only float32."""
    emitter, sizes = context.emitter, context.sizes
    _expect_kernel(context, op_type, dtype)
    number = ELEMENT_TYPES[dtype]
    static = static_shape(shape)
    if static:
        return emitter.node(op_type, result=dtype, shape=list(static), dtype=number)
    pattern = sizes.expand(emitter.constant(0, UINT8), (), shape)
    return emitter.node(f"{op_type}Like", pattern, result=dtype, dtype=number)


def _expect_kernel(context: Context, op_type: str, dtype: np.dtype[Any]) -> None:
    if context.emitter.runs(op_type, dtype):
        return
    raise context.refuse(
        f"ONNX Runtime has no {op_type} at opset {context.emitter.opset}",
        "export with opset=21 or earlier, or pass the draws in as an input",
    )


@lowers(rnd.RandomUniform)
def random_uniform(context: Context) -> Term:
    """Draws from [0, 1), stretched."""
    op = context.node.op
    assert isinstance(op, rnd.RandomUniform)
    dtype = FLOAT64 if op.dtype == FLOAT64 else FLOAT32
    drawn = _draw(context, "RandomUniform", op.shape, dtype)
    return (drawn * (op.high - op.low) + op.low).to(op.dtype)


@lowers(rnd.RandomNormal)
def random_normal(context: Context) -> Term:
    """Standard draws, scaled and moved."""
    op = context.node.op
    assert isinstance(op, rnd.RandomNormal)
    dtype = FLOAT64 if op.dtype == FLOAT64 else FLOAT32
    drawn = _draw(context, "RandomNormal", op.shape, dtype)
    return (drawn * op.scale + op.mean).to(op.dtype)


@lowers(rnd.RandomIntegers)
def random_integers(context: Context) -> Term:
    """Uniform float64 draws, rounded down."""
    op = context.node.op
    assert isinstance(op, rnd.RandomIntegers)
    count = op.high - op.low
    if count > _EXACT_IN_FLOAT64:
        raise context.refuse(
            f"{count:,} different integers are more than a float64 draw tells"
        )
    drawn = _draw(context, "RandomUniform", op.shape, FLOAT64)
    step = (drawn * float(count)).function("Floor").minimum(float(count - 1))
    return step.to(INT64) + op.low


@lowers(rnd.Bernoulli)
def bernoulli(context: Context, probability: Term) -> Term:
    """Whether a uniform float64 draw is below the probability, as NumPy asks."""
    emitter = context.emitter
    _expect_kernel(context, "RandomUniform", FLOAT64)
    number = ELEMENT_TYPES[FLOAT64]
    drawn = emitter.node("RandomUniformLike", probability, result=FLOAT64, dtype=number)
    return drawn < probability.to(FLOAT64)
