"""Activation functions, which NumPy code writes with elementary ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.fusion.clipping import Clip
from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Either, Number, Pattern, Result, squared
from exporters.onnx.fusion.rules import SINGLE, Site, Stage, fuses
from ir.ops import elementwise as ew
from ir.ops import special
from ir.types import FLOATING

if TYPE_CHECKING:
    from exporters.onnx.lowering import Context
    from exporters.onnx.term import Term
    from ir.graph import Value
    from ir.ops.base import Array

X = Pattern("x")
FLOATS = frozenset(FLOATING)


# --- sigmoids -----------------------------------------------------------------------------


@native("Sigmoid")
class Sigmoid(Native):
    """``1 / (1 + exp(-x))`` without overflow."""

    unsigned_zero = True

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        with np.errstate(over="ignore"):
            return (np.asarray(1 / (1 + np.exp(-x)), x.dtype),)


_ONE_AND_POWER = Result(ew.add, Number(1), Result(ew.exp, Result(ew.negative, X)))
_SIGMOID = Either(
    Result(ew.divide, Number(1), _ONE_AND_POWER), Result(ew.reciprocal, _ONE_AND_POWER)
)
_POWER = Result(ew.exp, X)
_SIGMOIDS = (
    Result(
        ew.where,
        Result(ew.greater_equal, X, Number(0)),
        _SIGMOID,
        Result(ew.divide, _POWER, Result(ew.add, Number(1), _POWER)),
    ),
    Result(ew.divide, Number(1), _ONE_AND_POWER),
    Result(ew.reciprocal, _ONE_AND_POWER),
)


@fuses(*_SIGMOIDS, level=2, dtypes=FLOATS, kernels=("Sigmoid",))
def sigmoid(site: Site) -> Value | None:
    """``1 / (1 + exp(-x))`` is ``Sigmoid``; below -8 the kernels have few exact digits."""
    return site.apply(Sigmoid(), site["x"]) if site.keeps_type("x") else None


@native("HardSwish")
class HardSwish(Native):
    """``x * clip(x / 6 + 0.5, 0, 1)``."""

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        return (np.asarray(x * np.clip(x / 6 + 0.5, 0, 1), x.dtype),)


_X_AND_THREE = Result(Clip, Result(ew.add, X, Number(3)), Number(0), Number(6))
_SIXTH = Number(1 / 6)


@fuses(
    Result(ew.divide, Result(ew.multiply, X, _X_AND_THREE), Number(6)),
    Result(ew.multiply, X, Result(ew.divide, _X_AND_THREE, Number(6))),
    Result(ew.multiply, Result(ew.multiply, X, _X_AND_THREE), _SIXTH),
    Result(
        ew.multiply,
        X,
        Result(
            Clip,
            Result(
                ew.add,
                Either(Result(ew.divide, X, Number(6)), Result(ew.multiply, X, _SIXTH)),
                Number(0.5),
            ),
            Number(0),
            Number(1),
        ),
    ),
    level=2,
    stage=Stage.WHOLES,
    dtypes=SINGLE,
    kernels=("HardSwish",),
)
def hard_swish(site: Site) -> Value | None:
    """``x * clip(x + 3, 0, 6) / 6`` is ``HardSwish``, which overflows at other numbers."""
    return site.apply(HardSwish(), site["x"]) if site.keeps_type("x") else None


# --- Gelu ---------------------------------------------------------------------------------


@native("Gelu", since=20)
class Gelu(Native):
    """Half of ``x`` times one plus the error function of ``x / sqrt(2)``, or close to it."""

    approximate: str

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        wide = x.astype(np.float64)
        if self.approximate == "tanh":
            inner = np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3))
        else:
            inner = np.vectorize(math.erf, otypes=[np.float64])(wide / math.sqrt(2))
        return ((0.5 * wide * (1 + inner)).astype(x.dtype),)

    def write(self, context: Context, *operands: Term) -> Term:
        """Write the node; the exact form is the default."""
        attributes: dict[str, Any] = {}
        if self.approximate != "none":
            attributes["approximate"] = self.approximate
        return context.emitter.node(self.operator, *operands, **attributes)


_C = Number(0.044715)
_CUBE = Either(Result(ew.power, X, Number(3)), Result(ew.multiply, X, squared(X)))
_THIRD_POWER = Either(
    Result(ew.multiply, _C, _CUBE),
    Result(ew.multiply, Result(ew.multiply, _C, squared(X)), X),
    Result(ew.multiply, Result(ew.multiply, Result(ew.multiply, _C, X), X), X),
)
_ROOT = Number(math.sqrt(2 / math.pi))
_TANH = Result(
    ew.tanh,
    Result(ew.multiply, _ROOT, Result(ew.add, X, _THIRD_POWER)),
)
_SCALED = Either(
    Result(ew.divide, X, Number(math.sqrt(2))),
    Result(ew.multiply, X, Number(1 / math.sqrt(2))),
)
_ERF = Result(special.erf, _SCALED)
_HALF = Either(Result(ew.multiply, Number(0.5), X), Result(ew.divide, X, Number(2)))


def _gelus(inner: Pattern) -> tuple[Result, ...]:
    """Return the orders in which ``0.5 * x * (1 + inner)`` is written."""
    one = Result(ew.add, Number(1), inner)
    return (
        Result(ew.multiply, _HALF, one),
        Result(ew.multiply, Number(0.5), Result(ew.multiply, X, one)),
        Result(ew.divide, Result(ew.multiply, X, one), Number(2)),
        Result(ew.multiply, X, Result(ew.multiply, Number(0.5), one)),
        Result(
            ew.multiply,
            X,
            Result(ew.add, Number(0.5), Result(ew.multiply, Number(0.5), inner)),
        ),
    )


@fuses(
    *_gelus(_TANH),
    stage=Stage.WHOLES,
    dtypes=SINGLE,
    kernels=("Gelu:tanh",),
    since=20,
)
def gelu_by_tanh(site: Site) -> Value | None:
    """``0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x**3)))`` is ``Gelu`` of that kind."""
    return site.apply(Gelu("tanh"), site["x"]) if site.keeps_type("x") else None


@fuses(*_gelus(_ERF), stage=Stage.WHOLES, dtypes=SINGLE, kernels=("Gelu",), since=20)
def gelu(site: Site) -> Value | None:
    """``0.5 x (1 + erf(x / sqrt(2)))`` is ``Gelu``."""
    return site.apply(Gelu("none"), site["x"]) if site.keeps_type("x") else None
