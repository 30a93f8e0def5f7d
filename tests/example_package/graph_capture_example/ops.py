"""Three ops: without parameters, with one, and with inference of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

import capture
from exporters import lowers
from exporters.onnx.lowering import Context
from exporters.onnx.term import Term
from ir import TensorType
from ir.errors import ShapeError


@capture.custom_op("example.softplus")
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), without overflow."""
    return np.logaddexp(x, 0).astype(x.dtype)


@lowers(softplus.op)
def _softplus(context: Context, x: Term) -> Term:
    return context.emitter.node("Softplus", x)


@capture.custom_op("example.soft_clip")
def soft_clip(x: Any, *, limit: float = 1.0) -> Any:
    """Values between -limit and limit, without a kink."""
    return (limit * np.tanh(x / limit)).astype(x.dtype)


@lowers(soft_clip.op)
def _soft_clip(context: Context, x: Term) -> Term:
    limit = context.node.op.parameters["limit"]
    return (x / limit).function("Tanh") * limit


def _pairs(x: TensorType, *, by: tuple[int, ...]) -> tuple[TensorType, ...]:
    if x.rank != 1:
        raise ShapeError(f"example.pair_up: takes one axis, got {x}")
    return (x,) * len(by)


@capture.custom_op("example.pair_up", infer=_pairs)
def pair_up(x: Any, *, by: tuple[int, ...]) -> Any:
    """Return x times each factor, as separate results."""
    return tuple((x * factor).astype(x.dtype) for factor in by)


@lowers(pair_up.op)
def _pair_up(context: Context, x: Term) -> tuple[Term, ...]:
    return tuple(x * factor for factor in context.node.op.parameters["by"])
