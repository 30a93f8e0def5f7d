"""Convolutions: products of windows with constant weights, however the windows were made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.fusion.affine_views import affine_view
from exporters.onnx.fusion.contractions import Contraction, layout_of
from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Constant, Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from exporters.onnx.fusion.windows import arranged, settled
from exporters.onnx.legality import FLOAT32
from ir.ops import elementwise as ew
from ir.ops import reduction as red
from ir.ops.linear_algebra import matmul
from ir.types import TensorType

if TYPE_CHECKING:
    from exporters.onnx.primitives import Attribute
    from ir.dims import DimLike, Shape
    from ir.graph import Value
    from ir.ops.base import Array

FLOATS = frozenset((FLOAT32,))


@native("Conv")
class Conv(Native):
    """Weighted sums over windows that slide along the axes after the first two.

    Attributes:
        sizes: How many windows there are along each of these axes.
    """

    sizes: tuple[DimLike, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    group: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        x, weights = operands[:2]
        return (TensorType(x.dtype, (x.shape[0], weights.shape[0], *self.sizes)),)

    def attributes(self) -> dict[str, Attribute]:
        """Return all parameters but the sizes, which follow from them."""
        return {name: value for name, value in self.parameters.items() if name != "sizes"}

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        x, weights = operands[:2]
        rank, outputs = len(self.sizes), weights.shape[0]
        around = list(zip(self.pads[:rank], self.pads[rank:], strict=True))
        x = np.pad(x, [(0, 0), (0, 0), *around])
        x = x.reshape(x.shape[0], self.group, -1, *x.shape[2:])
        weights = weights.reshape(self.group, -1, *weights.shape[1:])
        total: Any = 0
        for tap in np.ndindex(weights.shape[3:]):
            key: list[Any] = [...]
            for place, by, number, step in zip(
                tap, self.dilations, self.sizes, self.strides, strict=True
            ):
                first = place * by
                key.append(slice(first, first + number * step - step + 1, step))
            taken: Any = (..., *tap)
            total += np.einsum("bgc...,goc->bgo...", x[tuple(key)], weights[taken])
        result = total.reshape(total.shape[0], outputs, *total.shape[3:])
        if len(operands) > 2:
            result = result + operands[2].reshape(-1, *(1,) * rank)
        return (np.asarray(result, x.dtype),)


def _is_finite(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype == FLOAT32 and bool(np.isfinite(array).all())


def convolved(
    site: Site, contraction: Contraction, shape: Shape | None = None
) -> Value | None:
    """Return the contraction by ``Conv``, if it is one over windows.

    Args:
        site: Where nodes go.
        contraction: What to compute.
        shape: The shape of its result; the root's where ``None``.
    """
    layout = layout_of(contraction)
    if layout is None:
        return None
    found = arranged(site, contraction.view.base, layout)
    if found is None:
        return None
    x, pads = found
    group, outputs, *rest = layout.weights.shape
    weights = site.constant(layout.weights.reshape(group * outputs, *rest))
    windows = [layout.windows[axis] for axis in layout.spatial]
    op = Conv(
        tuple(window.number for window in windows),
        tuple(window.stride for window in windows),
        tuple(window.dilation for window in windows),
        pads,
        group,
    )
    return settled(site, site.apply(op, x, weights), layout, shape)


@fuses(
    Result(matmul, Constant("weights", _is_finite), Pattern("x")),
    Result(matmul, Pattern("x"), Constant("weights", _is_finite)),
    dtypes=FLOATS,
    kernels=("Conv",),
    stage=Stage.SHAPES,
)
def convolution(site: Site) -> Value | None:
    """The matrix product of windows with constant weights is ``Conv``."""
    x, weights = site["x"], site["weights"]
    if x.producer is None:
        return None
    view = affine_view(x, site.graph)
    if view.base is x:
        return None
    rank = site.type.rank
    labels = tuple(range(rank))
    left, right = (*labels[:-1], rank), (*labels[:-2], rank, labels[-1])
    own, other = (left, right) if site.root.inputs[0] is x else (right, left)
    own, other = own[rank - x.type.rank :], other[rank - weights.type.rank :]
    return convolved(site, Contraction(view, own, site.array("weights"), other, labels))


@fuses(
    Result(
        red.Sum,
        Result(ew.multiply, Pattern("x"), Constant("weights", _is_finite), name="products"),
        name="sum",
    ),
    dtypes=FLOATS,
    kernels=("Conv",),
    stage=Stage.SHAPES,
)
def convolution_by_sum(site: Site) -> Value | None:
    """The sum of windows times constant weights over the windows' axes is ``Conv``."""
    x, weights, rank = site["x"], site.array("weights"), site["products"].type.rank
    if x.producer is None:
        return None
    view = affine_view(x, site.graph)
    if view.base is x:
        return None
    axes = site.op("sum").axes
    return convolved(
        site,
        Contraction(
            view,
            tuple(range(rank - x.type.rank, rank)),
            weights,
            tuple(range(rank - weights.ndim, rank)),
            tuple(axis for axis in range(rank) if axis not in axes),
        ),
    )
