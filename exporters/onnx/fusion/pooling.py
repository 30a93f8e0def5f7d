"""Pooling: the largest element or the mean of each window, however the windows were made."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeGuard

import numpy as np

from exporters.onnx.fusion.affine_views import affine_view
from exporters.onnx.fusion.contractions import Contraction, Layout, layout_of
from exporters.onnx.fusion.convolutions import Conv
from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Number, Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from exporters.onnx.fusion.windows import arranged, settled
from exporters.onnx.legality import FLOAT32, FLOAT64, INT8, UINT8
from ir.ops import elementwise as ew
from ir.ops import reduction as red
from ir.ops.shaping import Pad
from ir.types import TensorType

if TYPE_CHECKING:
    from exporters.onnx.lowering import Context
    from exporters.onnx.primitives import Attribute
    from exporters.onnx.term import Term
    from ir.dims import DimLike
    from ir.graph import Graph, Value
    from ir.ops.base import Array

_ONE = np.ones((), np.float32)
_WITHOUT_NAN = frozenset((UINT8, INT8))


_BLOCK = 8
"""Means of channels by multiples of this are fast; of others a convolution is, several times."""

_MOST_CHANNELS = 1024

_SHRINKING, _FAR = 2.0**-100, -(2.0**29)
"""By that factor the lowest float32 becomes half of the other number, which -inf is taken for."""

_LARGEST_WINDOW = 1024
"""Up to so many elements a mean tells whether one of them is not -inf."""


def _pools_slowly(channels: DimLike) -> TypeGuard[int]:
    return isinstance(channels, int) and channels % _BLOCK > 0 and channels <= _MOST_CHANNELS


class Pool(Native):
    """Base: a function of windows that slide along the axes after the first two.

    Attributes:
        sizes: How many windows there are along each of these axes.
        kernel_shape: The windows.
        strides: From window to window.
        pads: What lies around the array, before and after.
    """

    sizes: tuple[DimLike, ...]
    kernel_shape: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    padding: ClassVar[float] = 0

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        (x,) = operands
        return (TensorType(x.dtype, (*x.shape[:2], *self.sizes)),)

    def attributes(self) -> dict[str, Attribute]:
        """Return what ONNX calls the windows."""
        names = ("kernel_shape", "strides", "pads")
        return {name: self.parameters[name] for name in names}

    def windows(self, x: Array) -> Array:
        """Return the windows of an array, each as last axes."""
        rank = len(self.kernel_shape)
        around = list(zip(self.pads[:rank], self.pads[rank:], strict=True))
        padded = np.pad(x, [(0, 0), (0, 0), *around], constant_values=self.padding)
        axes = tuple(range(2, 2 + rank))
        cut = np.lib.stride_tricks.sliding_window_view(padded, self.kernel_shape, axes)
        every = tuple(slice(None, None, stride) for stride in self.strides)
        return cut[(slice(None), slice(None), *every)]

    @property
    def within(self) -> tuple[int, ...]:
        """The axes of a window among those of :meth:`windows`."""
        return tuple(range(-len(self.kernel_shape), 0))


@native("AveragePool")
class AveragePool(Pool):
    """The mean of each window, zeros around the array included."""

    sizes: tuple[DimLike, ...]
    kernel_shape: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]

    def attributes(self) -> dict[str, Attribute]:
        """Return the windows, and that padding counts."""
        counted: dict[str, Attribute] = {"count_include_pad": 1} if any(self.pads) else {}
        return super().attributes() | counted

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.asarray(self.windows(operands[0]).mean(self.within)),)


@native("MaxPool")
class MaxPool(Pool):
    """The largest element of each window, which overlooks NaN."""

    sizes: tuple[DimLike, ...]
    kernel_shape: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    padding = -np.inf

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.asarray(self.windows(operands[0]).max(self.within)),)


@native("MaxPool")
class WaryMaxPool(MaxPool):
    """The largest element of each window, NaN winning: their mean or sum tells.

    The runtime starts from the lowest number, which is what windows of nothing but -inf give.

    Attributes:
        signed: Whether an element may be -inf: the mean of infinities of both signs is NaN, too.
    """

    sizes: tuple[DimLike, ...]
    kernel_shape: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    signed: bool

    def write(self, context: Context, *operands: Term) -> Term:
        """Write the pool, and the choice of NaN or -inf where the mean of a window tells."""
        (x,) = operands
        emitter = context.emitter
        largest, lowest = super().write(context, x), _FAR
        if self.signed:
            x = emitter.node("Clip", x * _SHRINKING, x.like(_FAR), x.like(1))
        channels, count = context.shape(0)[1], prod(self.kernel_shape)
        if _pools_slowly(channels) and not (self.signed and any(self.pads)):
            lowest *= count
            ones = np.ones((channels, 1, *self.kernel_shape))
            weights = emitter.constant(ones, x.dtype)
            mean = emitter.node(
                "Conv", x, weights, strides=self.strides, pads=self.pads, group=channels
            )
        else:
            mean = emitter.node("AveragePool", x, result=x.dtype, **self.attributes())
        if self.signed:
            largest = (mean <= lowest - _FAR / 4 / count).where(-np.inf, largest)
        return mean.is_nan().where(np.nan, largest)


class _Windows(NamedTuple):
    """An array laid out for pooling, the fields of the op, and how to lay out its result."""

    array: Value
    sizes: tuple[DimLike, ...]
    kernel_shape: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    layout: Layout


def _windows(site: Site, x: Value, axes: tuple[int, ...], fill: float) -> _Windows | None:
    """Return windows that are reduced over axes, if these are what a pool takes."""
    view = affine_view(x, site.graph)
    labels = tuple(range(x.type.rank))
    kept = tuple(label for label in labels if label not in axes)
    layout = layout_of(Contraction(view, labels, _ONE, (), kept))
    if layout is None or layout.channels:
        return None
    windows = [layout.windows[axis] for axis in layout.spatial]
    found = arranged(site, view.base, layout, fill)
    if found is None or any(window.dilation > 1 for window in windows):
        return None
    array, pads = found
    sizes = tuple(window.size for window in windows)
    if any(width >= size for width, size in zip(pads, sizes * 2, strict=True)):
        return None  # windows of nothing but padding
    numbers = tuple(window.number for window in windows)
    strides = tuple(window.stride for window in windows)
    return _Windows(array, numbers, sizes, strides, pads, layout)


def _is_negative_nowhere(graph: Graph, value: Value) -> bool:
    node = value.producer
    if node is None:
        return False
    if node.op is ew.maximum:
        data = [v.data for v in node.inputs if v.producer is None and v not in graph.inputs]
        return any(array is not None and bool((array >= 0).all()) for array in data)
    return node.op in (ew.absolute, ew.exp, ew.square)


def _is_padded_wrong(site: Site, x: Value) -> bool:
    """Whether releases pad with another number, once they drew a ``Pad`` into the pool.

    They do not where something beside the pool reads what was padded.
    """
    padded = x.producer is not None and isinstance(x.producer.op, Pad)
    return padded and site.legality.faulty("MaxPool:padded", x.type.dtype)


_LARGEST = Result(red.Max, Pattern("x"), name="max")


@fuses(
    _LARGEST,
    level=2,
    dtypes=frozenset((FLOAT32, FLOAT64)),
    kernels=("MaxPool",),
    stage=Stage.SHAPES,
)
def careless_max_pool(site: Site) -> Value | None:
    """The largest element of each window is ``MaxPool``, where NaN may be overlooked."""
    found = _windows(site, site["x"], site.op("max").axes, -np.inf)
    if found is None or _is_padded_wrong(site, found.array):
        return None
    x, sizes, shape, strides, pads, layout = found
    return settled(site, site.apply(MaxPool(sizes, shape, strides, pads), x), layout)


@fuses(
    _LARGEST,
    dtypes=frozenset((FLOAT32, UINT8, INT8)),
    kernels=("MaxPool",),
    stage=Stage.SHAPES,
)
def max_pool(site: Site) -> Value | None:
    """The same with the windows' means beside it, which are NaN where a NaN is in one."""
    means = all(site.legality.runs(key, FLOAT32) for key in ("AveragePool", "Conv"))
    if site.type.dtype not in _WITHOUT_NAN and not means:
        return None
    found = _windows(site, site["x"], site.op("max").axes, -np.inf)
    if found is None:
        return None
    x, sizes, shape, strides, pads, layout = found
    if site.type.dtype in _WITHOUT_NAN:
        if _is_padded_wrong(site, x):
            return None
        return settled(site, site.apply(MaxPool(sizes, shape, strides, pads), x), layout)
    signed = not _is_negative_nowhere(site.graph, affine_view(site["x"], site.graph).base)
    if signed and prod(shape) > _LARGEST_WINDOW:
        return None
    return settled(
        site, site.apply(WaryMaxPool(sizes, shape, strides, pads, signed), x), layout
    )


_SUM = Result(red.Sum, Pattern("x"), name="sum")


@fuses(
    Result(ew.divide, _SUM, Number(name="count")),
    Result(ew.multiply, _SUM, Number(name="part")),
    dtypes=frozenset((FLOAT32,)),
    kernels=("AveragePool", "Conv"),
    stage=Stage.SHAPES,
)
def average_pool(site: Site) -> Value | None:
    """The mean of each window is ``AveragePool``, or ``Conv`` where that runs faster."""
    axes, shape = site.op("sum").axes, site["x"].type.shape
    counts = [dim for axis in axes if isinstance(dim := shape[axis], int)]
    if len(counts) != len(axes) or site["sum"].type != site.type:
        return None
    count = site.number("count") if "count" in site else 1 / site.number("part")
    if round(count) != prod(counts) or abs(count - round(count)) > 1e-6 * count:
        return None
    found = _windows(site, site["x"], axes, 0.0)
    if found is None:
        return None
    x, sizes, shape, strides, pads, layout = found
    channels = x.type.shape[1]
    if not _pools_slowly(channels):
        pool = AveragePool(sizes, shape, strides, pads)
        return settled(site, site.apply(pool, x), layout)
    weights = np.full((channels, 1, *shape), 1 / prod(shape), np.float32)
    conv = Conv(sizes, strides, (1,) * len(shape), pads, channels)
    return settled(site, site.apply(conv, x, site.constant(weights)), layout)
