"""Arrays repeated as a whole, and blocks of pixels exchanged with channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.affine_views import Atom, rearranged
from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from exporters.onnx.fusion.windows import shaped
from ir.dims import Dim
from ir.ops import shaping as shp
from ir.types import TensorType

if TYPE_CHECKING:
    from exporters.onnx.fusion.affine_views import Group
    from exporters.onnx.lowering import Context
    from exporters.onnx.term import Term
    from ir.dims import DimLike, Shape
    from ir.graph import Value
    from ir.ops.base import Array

_IMAGES = 4
"""Axes of a batch of images, channels second."""


# --- blocks and channels ------------------------------------------------------------------


@native("DepthToSpace")
class DepthToSpace(Native):
    """Channels laid out as blocks of pixels; ``DCR``: the block's row and column vary slowest."""

    blocksize: int
    mode: str

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        n, channels, height, width = operands[0].shape
        block = self.blocksize
        depth = channels // (block * block)
        return (TensorType(operands[0].dtype, (n, depth, height * block, width * block)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,), block = operands, self.blocksize
        n, channels, height, width = x.shape
        depth = channels // block**2
        if self.mode == "DCR":
            split = x.reshape(n, block, block, depth, height, width)
            turned = split.transpose(0, 3, 4, 1, 5, 2)
        else:
            split = x.reshape(n, depth, block, block, height, width)
            turned = split.transpose(0, 1, 4, 2, 5, 3)
        return (turned.reshape(n, depth, height * block, width * block),)


@native("SpaceToDepth")
class SpaceToDepth(Native):
    """Blocks of pixels laid out as channels, the block's row and column varying slowest."""

    blocksize: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        n, channels, height, width = operands[0].shape
        block = self.blocksize
        shape = (n, channels * (block * block), height // block, width // block)
        return (TensorType(operands[0].dtype, shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,), block = operands, self.blocksize
        n, channels, height, width = x.shape
        split = x.reshape(n, channels, height // block, block, width // block, block)
        turned = split.transpose(0, 3, 5, 1, 2, 4)
        return (turned.reshape(n, -1, height // block, width // block),)


def _sizes(groups: tuple[Group, ...]) -> list[list[Atom]]:
    return [list(group) for group in groups]


def _channels_as_blocks(shape: Shape, block: int, depth: int, mode: str) -> list[list[Atom]]:
    """Return the counters of the result of a ``DepthToSpace``."""
    _, _, height, width = shape
    inner = depth if mode == "DCR" else 1
    every = 1 if mode == "DCR" else block * block
    row, column = (0, block * inner, 0, 0), (0, inner, 0, 0)
    return [
        [Atom(depth, (0, every, 0, 0))],
        [Atom(height, (0, 0, 1, 0)), Atom(block, row)],
        [Atom(width, (0, 0, 0, 1)), Atom(block, column)],
    ]


def _blocks_as_channels(shape: Shape, block: int) -> list[list[Atom]]:
    """Return the counters of the result of a ``SpaceToDepth``."""
    _, channels, height, width = shape
    places = [Atom(block, (0, 0, 1, 0)), Atom(block, (0, 0, 0, 1))]
    return [
        [*places, Atom(channels, (0, 1, 0, 0))],
        [Atom(height // block, (0, 0, block, 0))],
        [Atom(width // block, (0, 0, 0, block))],
    ]


def _counts(counters: list[list[Atom]]) -> list[list[Atom]]:
    return [[atom for atom in group if atom.size != 1] for group in counters]


_BLOCKS = Result(
    shp.Reshape,
    Result(shp.Transpose, Result(shp.Reshape, Pattern("x"), name="split"), name="turned"),
)


def _regrouped(site: Site) -> tuple[list[list[Atom]], tuple[int, ...]] | None:
    """Return the counters of all axes but the batch, and the sizes of these axes before."""
    x = site["x"]
    nodes = [site["split"].producer, site["turned"].producer, site.root]
    if x.type.rank != _IMAGES or site.type.rank != _IMAGES:
        return None
    if x.type.shape[0] != site.type.shape[0]:
        return None
    groups = rearranged([node for node in nodes if node is not None])
    known = tuple(dim for dim in x.type.shape[1:] if not isinstance(dim, Dim))
    if groups is None or len(known) < _IMAGES - 1:
        return None
    return _sizes(groups)[1:], known


@fuses(_BLOCKS, kernels=("DepthToSpace",), stage=Stage.FINISH)
def depth_to_space(site: Site) -> Value | None:
    """Channels laid out as blocks of pixels are ``DepthToSpace``."""
    found = _regrouped(site)
    if found is None:
        return None
    counters, (channels, before, _) = found
    height = site.type.shape[2]
    if not isinstance(height, int):
        return None
    block = height // before if before else 0
    if block <= 1 or channels % (block * block):
        return None
    for mode in ("DCR", "CRD"):
        depth = channels // (block * block)
        if counters == _counts(_channels_as_blocks(site["x"].type.shape, block, depth, mode)):
            return site.apply(DepthToSpace(block, mode), site["x"])
    return None


@fuses(_BLOCKS, kernels=("SpaceToDepth",), stage=Stage.FINISH)
def space_to_depth(site: Site) -> Value | None:
    """Blocks of pixels laid out as channels are ``SpaceToDepth``."""
    found = _regrouped(site)
    if found is None:
        return None
    counters, (_, before, width) = found
    height = site.type.shape[2]
    if not isinstance(height, int) or not height:
        return None
    block = before // height
    if block <= 1 or before % block or width % block:
        return None
    if counters != _counts(_blocks_as_channels(site["x"].type.shape, block)):
        return None
    return site.apply(SpaceToDepth(block), site["x"])


# --- tiles --------------------------------------------------------------------------------


@native("Tile")
class Tile(Native):
    """The array so many times along each axis."""

    repeats: tuple[int, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        shape = zip(operands[0].shape, self.repeats, strict=True)
        return (TensorType(operands[0].dtype, tuple(dim * count for dim, count in shape)),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return (np.tile(operands[0], self.repeats),)

    def write(self, context: Context, *operands: Term) -> Term:
        """Write the node with its counts as an operand."""
        counts = context.emitter.integers(self.repeats)
        return context.emitter.node("Tile", *operands, counts)


@fuses(
    Result(
        shp.Reshape,
        Result(
            shp.BroadcastTo, Result(shp.Reshape, Pattern("x"), name="split"), name="spread"
        ),
    ),
    kernels=("Tile",),
    stage=Stage.FINISH,
)
def tile(site: Site) -> Value | None:
    """An array repeated as a whole along its axes is ``Tile``."""
    split, spread = site["split"].type.shape, site["spread"].type.shape
    if len(split) != len(spread) or 0 in spread:
        return None
    pairs = [pair for pair in zip(split, spread, strict=True) if pair != (1, 1)]
    shape: list[DimLike] = []
    repeats: list[int] = []
    for dim in site.type.shape:
        count, size = 1, dim
        if dim != 1 and pairs and pairs[0][0] != pairs[0][1]:
            times = pairs.pop(0)[1]
            if not isinstance(times, int):
                return None
            count, size = times, 1
            if times != dim:
                size = pairs[0][1] if pairs else 1
        if size != 1 and (not pairs or pairs.pop(0) != (size, size)):
            return None
        if size * count != dim:
            return None
        shape.append(size)
        repeats.append(count)
    if pairs or all(count == 1 for count in repeats):
        return None
    return site.apply(Tile(tuple(repeats)), shaped(site, site["x"], tuple(shape)))
