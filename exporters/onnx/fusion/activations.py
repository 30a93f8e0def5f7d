"""Activation functions written with NumPy's elementary ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Number, Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from ir.ops import elementwise as ew

if TYPE_CHECKING:
    from ir.graph import Value
    from ir.ops.base import Array

X = Pattern("x")


@native("Sigmoid")
class Sigmoid(Native):
    """``1 / (1 + exp(-x))`` without overflow."""

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        with np.errstate(over="ignore"):
            return (np.asarray(1 / (1 + np.exp(-x)), x.dtype),)


_NEGATED = Result(ew.exp, Result(ew.negative, X))


@fuses(
    Result(ew.divide, Number(1), Result(ew.add, Number(1), _NEGATED)),
    Result(ew.reciprocal, Result(ew.add, Number(1), _NEGATED)),
    stage=Stage.PARTS,
    kernels=("Sigmoid",),
)
def sigmoid(site: Site) -> Value | None:
    """``1 / (1 + exp(-x))`` is ``Sigmoid``."""
    if site["x"].type != site.type:
        return None
    return site.apply(Sigmoid(), site["x"])
