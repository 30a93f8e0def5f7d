"""Bounds, and choices between a number and a multiple of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Number, Pattern, Result
from exporters.onnx.fusion.rules import SINGLE, Site, Stage, fuses
from ir.ops import elementwise as ew
from ir.shapes import broadcast
from ir.types import FLOATING, TensorType

if TYPE_CHECKING:
    from ir.graph import Value
    from ir.ops.base import Array

X = Pattern("x")
FLOATS = frozenset(FLOATING)


@native("Relu")
class Relu(Native):
    """``maximum(x, 0)``; a zero keeps its sign."""

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.maximum(operands[0], operands[0].dtype.type(0)),)


@native("Clip")
class Clip(Native):
    """``minimum(maximum(x, low), high)``; a zero keeps its sign."""

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, low, high = operands
        return (np.asarray(np.minimum(np.maximum(x, low), high)),)


@fuses(
    Result(ew.maximum, X, Number(0, name="zero")),
    dtypes=FLOATS,
    kernels=("Relu",),
    stage=Stage.FINISH,
)
def relu(site: Site) -> Value | None:
    """``maximum(x, 0)`` is ``Relu``, unless the sign of a zero matters."""
    if not site.keeps_type("x") or site.sign_of_zero_matters(site["x"], site["zero"]):
        return None
    return site.apply(Relu(), site["x"])


def _bound(site: Site, name: str) -> Value:
    """Return a number without axes."""
    value = site[name]
    return site.constant(site.array(name).reshape(())) if value.type.rank else value


@fuses(
    Result(ew.minimum, Result(ew.maximum, X, Number(name="low")), Number(name="high")),
    Result(ew.maximum, Result(ew.minimum, X, Number(name="high")), Number(name="low")),
    kernels=("Clip",),
)
def clip(site: Site) -> Value | None:
    """A maximum and a minimum with numbers are ``Clip``, unless a zero's sign matters."""
    if not site.keeps_type("x") or site.number("low") > site.number("high"):
        return None
    bounds = site["low"], site["high"]
    if 0 in (site.number("low"), site.number("high")) and site.sign_of_zero_matters(
        site["x"], *bounds
    ):
        return None
    return site.apply(Clip(), site["x"], _bound(site, "low"), _bound(site, "high"))


# --- choices ------------------------------------------------------------------------------


@native("LeakyRelu")
class LeakyRelu(Native):
    """``x`` where it is positive, ``alpha * x`` elsewhere."""

    alpha: float

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        return (np.where(x >= 0, x, np.asarray(self.alpha, x.dtype) * x),)


_SCALED = Result(ew.multiply, X, Number(name="alpha"))


@fuses(
    *(
        Result(ew.where, Result(above, X, Number(0), name=name), X, _SCALED)
        for above, name in ((ew.greater, "scales zero"), (ew.greater_equal, None))
    ),
    *(
        Result(ew.where, Result(below, X, Number(0), name=name), _SCALED, X)
        for below, name in ((ew.less, None), (ew.less_equal, "scales zero"))
    ),
    Result(ew.maximum, X, _SCALED, name="larger"),
    dtypes=SINGLE,
    kernels=("LeakyRelu",),
)
def leaky_relu(site: Site) -> Value | None:
    """``where(x > 0, x, alpha * x)`` is ``LeakyRelu``."""
    alpha = site.number("alpha")
    if not site.keeps_type("x") or ("larger" in site and not 0 < alpha <= 1):
        return None
    if "scales zero" in site and np.signbit(alpha):
        return None  # it turns the sign of a zero, which the operator leaves alone
    return site.apply(LeakyRelu(alpha), site["x"])


@fuses(
    Result(ew.where, Result(ew.less, X, Number(0)), Result(ew.negative, X), X),
    dtypes=FLOATS,
)
def absolute(site: Site) -> Value | None:
    """``where(x < 0, -x, x)`` is ``Abs``, unless the sign of a zero matters."""
    x = site["x"]
    return None if site.sign_of_zero_matters(x) else site.apply(ew.absolute, x)


@fuses(
    *(
        Result(ew.where, Result(above, X, Number(0)), X, Number(0))
        for above in (ew.greater, ew.greater_equal)
    ),
    Result(ew.multiply, X, Result(ew.Cast, Result(ew.greater, X, Number(0)))),
    level=2,
    dtypes=SINGLE,
    kernels=("Relu",),
)
def relu_by_choice(site: Site) -> Value | None:
    """``where(x > 0, x, 0)`` is ``Relu`` but for NaN, which it makes 0."""
    if not site.keeps_type("x") or site.facts.shows_zero_signs(site.root.outputs[0]):
        return None
    return site.apply(Relu(), site["x"])


@native("Where")
class PlainWhere(Native):
    """A choice in which a chosen -0.0 may become 0.0."""

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        shape = broadcast(*(operand.shape for operand in operands))
        return (TensorType(operands[1].dtype, shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.where(*operands),)


@fuses(Result(ew.where), stage=Stage.FINISH, dtypes=FLOATS, kernels=("Where",))
def plain_where(site: Site) -> Value | None:
    """A choice is one ``Where``, unless the sign of a zero matters."""
    condition, chosen, other = site.root.inputs
    if site.sign_of_zero_matters(chosen, other):
        return None
    return site.apply(PlainWhere(), condition, chosen, other)
