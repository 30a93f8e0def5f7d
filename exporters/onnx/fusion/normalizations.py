"""Normalisations: softmax, its logarithm, and layer normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import (
    Constant,
    Either,
    Number,
    Pattern,
    Result,
    squared,
)
from exporters.onnx.fusion.reductions import ReduceMean
from exporters.onnx.fusion.rules import EXACT, SINGLE, Site, Stage, fuses
from exporters.onnx.legality import FLOAT16, FLOAT64
from exporters.onnx.shapes import at_least
from ir.ops import elementwise as ew
from ir.ops import interned
from ir.ops import reduction as red
from ir.ops.shaping import Reshape

if TYPE_CHECKING:
    from ir.dims import Shape
    from ir.graph import Node, Value
    from ir.ops.base import Array

X = Pattern("x")


def _is_along_one_axis(node: Node) -> bool:
    op = node.op
    assert isinstance(op, red.Reduction)
    return len(op.axes) == 1 and op.keepdims


# --- softmax ------------------------------------------------------------------------------


@native("Softmax")
class Softmax(Native):
    """``exp(x - max(x)) / sum(exp(x - max(x)))`` along an axis."""

    unsigned_zero = True
    axis: int

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        powers = np.exp(x - x.max(self.axis, keepdims=True, initial=-np.inf))
        return (powers / powers.sum(self.axis, keepdims=True),)


@native("LogSoftmax")
class LogSoftmax(Native):
    """``x - max(x) - log(sum(exp(x - max(x))))`` along an axis."""

    axis: int

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        x = x - x.max(self.axis, keepdims=True, initial=-np.inf)
        return (x - np.log(np.exp(x).sum(self.axis, keepdims=True)),)


_LARGEST = Result(red.Max, X, name="max", test=_is_along_one_axis)
_SHIFTED = Result(ew.subtract, X, _LARGEST, name="shifted")
_POWERS = Result(ew.exp, _SHIFTED, name="powers")
_TOTAL = Result(red.Sum, _POWERS, name="sum", test=_is_along_one_axis)


def _common_axis(site: Site) -> int | None:
    axes: tuple[int, ...] = site.op("max").axes
    return axes[0] if site.op("sum").axes == axes else None


@fuses(
    Result(ew.divide, _POWERS, _TOTAL),
    Result(ew.multiply, _POWERS, Result(ew.reciprocal, _TOTAL)),
    Result(ew.multiply, _POWERS, Result(ew.divide, Number(1), _TOTAL)),
    stage=Stage.WHOLES,
    dtypes=EXACT,
    kernels=("Softmax",),
)
def softmax(site: Site) -> Value | None:
    """Exponentials over their sum, after the largest was taken away, are ``Softmax``."""
    axis = _common_axis(site)
    return None if axis is None else site.apply(Softmax(axis), site["x"])


_LOG_TOTAL = Result(ew.log, _TOTAL)


_LOG_SOFTMAX = Result(ew.subtract, _SHIFTED, _LOG_TOTAL)


@fuses(_LOG_SOFTMAX, stage=Stage.WHOLES, dtypes=SINGLE, kernels=("LogSoftmax",))
@fuses(_LOG_SOFTMAX, level=2, stage=Stage.WHOLES, dtypes=EXACT, kernels=("LogSoftmax",))
def log_softmax(site: Site) -> Value | None:
    """The logarithm of a softmax is ``LogSoftmax``; in float64 its kernel loses NaN."""
    axis = _common_axis(site)
    return None if axis is None else site.apply(LogSoftmax(axis), site["x"])


@fuses(
    Result(ew.subtract, X, Result(ew.add, _LARGEST, _LOG_TOTAL)),
    level=2,
    stage=Stage.WHOLES,
    dtypes=EXACT,
    kernels=("LogSoftmax",),
)
def log_softmax_by_difference(site: Site) -> Value | None:
    """The same as ``x - (max + log(sum))``, which loses digits that ``LogSoftmax`` keeps."""
    return log_softmax(site)


# --- layer normalisation ------------------------------------------------------------------


class Normalization(Native):
    """Base: a normalisation over the axes from ``axis`` on, scaled by operand 1."""

    axis: int


@native("LayerNormalization")
class LayerNormalization(Normalization):
    """Away from the mean, in standard deviations; times operand 1, plus operand 2 if given."""

    axis: int
    epsilon: float

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, scale, *bias = operands
        axes = tuple(range(self.axis, x.ndim))
        distance = x - x.mean(axes, keepdims=True)
        deviation = np.sqrt((distance * distance).mean(axes, keepdims=True) + self.epsilon)
        result = distance / deviation * scale
        return (np.asarray(result + bias[0] if bias else result, x.dtype),)


@native("RMSNormalization", since=23)
class RMSNormalization(Normalization):
    """In root mean squares; times operand 1."""

    axis: int
    epsilon: float

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, scale = operands
        axes = tuple(range(self.axis, x.ndim))
        size = np.sqrt((x * x).mean(axes, keepdims=True) + self.epsilon)
        return (np.asarray(x / size * scale, x.dtype),)


def _keeps_dims(node: Node) -> bool:
    op = node.op
    assert isinstance(op, ReduceMean)
    return op.keepdims


def _normalized(value: Pattern) -> tuple[Result, ...]:
    """Return the ways to divide a value by the root of its mean square."""
    mean_square = Result(ReduceMean, squared(value), name="square", test=_keeps_dims)
    kept = Result(ew.add, mean_square, Number(name="epsilon"))
    size = Result(ew.sqrt, kept)
    inverse = Either(
        Result(ew.divide, Number(1), size),
        Result(ew.reciprocal, size),
        Result(ew.power, kept, Number(-0.5)),
    )
    scale = Pattern("scale")
    return (
        Result(ew.divide, value, size),
        Result(ew.multiply, value, inverse),
        Result(ew.divide, Result(ew.multiply, value, scale), size),
        Result(ew.multiply, value, Result(ew.multiply, inverse, scale)),
    )


_DISTANCE = Result(
    ew.subtract, X, Result(ReduceMean, X, name="mean", test=_keeps_dims), name="distance"
)


def _vector(site: Site, value: Value, shape: Shape) -> Value | None:
    """Return a scale or bias in the shape of the normalised axes, or ``None``."""
    given = value.type.shape
    extra = len(given) - len(shape)
    if given == shape:
        return value
    if extra > 0 and given[extra:] == shape and set(given[:extra]) == {1}:
        return site.apply(interned(Reshape, shape), value)
    if value.type.rank or value.producer is not None or value in site.graph.inputs:
        return None
    if value.data is not None:
        return site.constant(np.full(shape, value.data))
    return None


def _normalize(site: Site, op: type[LayerNormalization | RMSNormalization]) -> Value | None:
    """Put a normalisation at the root where its axes are the last ones and of known sizes."""
    x = site["x"]
    axes: tuple[int, ...] = site.op("square").axes
    axis = x.type.rank - len(axes)
    if axes != tuple(range(axis, x.type.rank)) or site.type != x.type:
        return None
    shape = x.type.shape[axis:]
    if not all(isinstance(dim, int) and at_least(dim, 1) for dim in shape):
        return None
    if "mean" in site and site.op("mean").axes != axes:
        return None
    if "scale" in site:
        scale = _vector(site, site["scale"], shape)
    else:
        sizes = tuple(int(dim) for dim in shape if isinstance(dim, int))
        scale = site.constant(np.ones(sizes, x.type.dtype), "scale")
    if scale is None:
        return None
    return site.apply(op(axis, site.number("epsilon")), x, scale)


@fuses(*_normalized(_DISTANCE), stage=Stage.WHOLES, dtypes=SINGLE)
@fuses(
    *_normalized(_DISTANCE),
    level=2,
    stage=Stage.WHOLES,
    dtypes=frozenset((FLOAT16, FLOAT64)),
)
def layer_normalization(site: Site) -> Value | None:
    """Away from the mean, in standard deviations over the last axes, is ``LayerNormalization``.

    Every release runs it, but the oldest wrongly: their fault is no reason to go without it in
    all others, so that the file says instead that it needs one of these.
    """
    return _normalize(site, LayerNormalization)


@fuses(
    *_normalized(X),
    stage=Stage.FINISH,
    dtypes=SINGLE,
    kernels=("RMSNormalization",),
    since=23,
)
def rms_normalization(site: Site) -> Value | None:
    """Over the root of the mean square of the last axes is ``RMSNormalization``."""
    return _normalize(site, RMSNormalization)


_ONES = Constant("ones", lambda data: bool((data == 1).all()))


@fuses(
    Result(
        ew.multiply,
        Result(LayerNormalization, X, _ONES, name="normal"),
        Pattern("scale"),
    ),
    Result(
        ew.multiply,
        Result(RMSNormalization, X, _ONES, name="normal"),
        Pattern("scale"),
    ),
    stage=Stage.FINISH,
)
def scaled_normalization(site: Site) -> Value | None:
    """A normalisation times a vector has it as its scale."""
    op = site.op("normal")
    assert isinstance(op, Normalization)
    scale = _vector(site, site["scale"], site["x"].type.shape[op.axis :])
    if scale is None or site["normal"].type != site.type:
        return None
    return site.apply(op, site["x"], scale)


@fuses(
    Result(
        ew.add,
        Result(LayerNormalization, X, Pattern("scale"), name="normal"),
        Pattern("bias"),
    ),
    stage=Stage.FINISH,
)
def shifted_normalization(site: Site) -> Value | None:
    """A layer normalisation plus a vector has it as its bias."""
    op = site.op("normal")
    assert isinstance(op, LayerNormalization)
    bias = _vector(site, site["bias"], site["x"].type.shape[op.axis :])
    if bias is None or site["normal"].type != site.type:
        return None
    return site.apply(op, site["x"], site["scale"], bias)


# --- what the runtime would misread -------------------------------------------------------

_ONE_NUMBER = Constant("number", lambda data: data.ndim > 0 and data.size == 1)
_OVER_ROOT = Result(ew.divide, X, Result(ew.sqrt, Pattern("kept")), name="over root")


@fuses(
    Result(ew.multiply, _OVER_ROOT, _ONE_NUMBER),
    Result(
        ew.add,
        Result(ew.multiply, _OVER_ROOT, Pattern("scale"), name="scaled"),
        _ONE_NUMBER,
    ),
    stage=Stage.FINISH,
    shared=True,
)
def number_without_axes(site: Site) -> Value | None:
    """One number after a normalisation has no axes: the runtime takes it for one per column."""
    node, number = site.root, site["number"]
    (other,) = (operand for operand in node.inputs if operand is not number)
    if other.type != site.type:
        return None
    return site.apply(node.op, other, site.constant(site.array("number").reshape(())))
