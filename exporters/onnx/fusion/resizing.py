"""Pictures made larger or smaller by repeating or leaving out elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.fusion.axis_selection import POSITIONS
from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.paths import is_lone
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from exporters.onnx.fusion.windows import shaped
from exporters.onnx.legality import FLOAT32, INT8, INT32, UINT8
from exporters.onnx.term import Term
from ir.ops import shaping as shp
from ir.ops.indexing import Take
from ir.types import TensorType

if TYPE_CHECKING:
    from exporters.onnx.lowering import Context
    from exporters.onnx.primitives import Attribute
    from ir.dims import DimLike, Shape
    from ir.graph import Node, Value
    from ir.ops.base import Array

DTYPES = frozenset((FLOAT32, UINT8, INT8, INT32))


@native("Resize")
class NearestResize(Native):
    """Element ``index * size // sizes`` of each axis, where the runtime is sure to agree.

    Attributes:
        sizes: The result's shape.
    """

    sizes: tuple[DimLike, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        return (TensorType(operands[0].dtype, self.sizes),)

    def attributes(self) -> dict[str, Attribute]:
        """Return how positions are computed: from the edge, rounding down."""
        return {
            "mode": "nearest",
            "coordinate_transformation_mode": "asymmetric",
            "nearest_mode": "floor",
        }

    def write(self, context: Context, *operands: Term) -> Term:
        """Write factors where they are whole numbers, else sizes."""
        (x,) = operands
        emitter, dtype = context.emitter, x.dtype
        nothing = Term(emitter, "", FLOAT32)
        factors = _factors(context.shape(0), self.sizes)
        if factors is not None:
            scales = emitter.constant(np.array(factors, np.float32), FLOAT32)
            operands = (x, nothing, scales)
        else:
            operands = (x, nothing, nothing, context.sizes.vector(self.sizes))
        return emitter.node("Resize", *operands, result=dtype, **self.attributes())

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        for axis, size in enumerate(self.sizes):
            assert isinstance(size, int)
            if size != x.shape[axis]:
                x = x.take(np.arange(size) * x.shape[axis] // size, axis)
        return (x,)


def _factors(old: Shape, new: Shape) -> list[int] | None:
    """Return how much larger each axis becomes, if these are whole numbers."""
    factors = []
    for before, after in zip(old, new, strict=True):
        if before == after:
            factors.append(1)
        elif isinstance(before, int) and isinstance(after, int) and after % before == 0:
            factors.append(after // before)
        else:
            return None
    return factors


def _is_scaling(positions: Array, length: DimLike) -> bool:
    """Whether positions are those of a resize, by any way in which it may round."""
    if not isinstance(length, int) or positions.size < 2 or not length:
        return False
    places = np.arange(positions.size)
    factor = np.float32(positions.size) / np.float32(length)
    ways: tuple[Any, ...] = (
        places * length // positions.size,
        np.floor(places.astype(np.float32) / factor),
        np.floor(places.astype(np.float32) * (np.float32(1) / factor)),
        np.floor(places / (positions.size / length)),
    )
    return all(np.array_equal(positions, way) for way in ways)


def _takes(site: Site) -> list[Node]:
    """Return the gathers along different axes that end in the root, the last one first."""
    found, value = [site.root], site["x"]
    while is_lone(site, value) and (node := value.producer) is not None:
        axes = {other.op.parameters["axis"] for other in found}
        if not isinstance(node.op, Take) or node.op.axis in axes:
            break
        positions = node.inputs[1]
        if positions.data is None or positions.data.ndim != 1:
            break
        if positions in site.graph.inputs:
            break
        found.append(node)
        value = node.inputs[0]
    return found


@fuses(
    Result(Take, Pattern("x"), POSITIONS),
    dtypes=DTYPES,
    kernels=("Resize",),
    stage=Stage.FINISH,
)
def resize_by_indices(site: Site) -> Value | None:
    """Gathers of ``index * size // new_size``, the last axis among them, are ``Resize``."""
    takes = _takes(site)
    source, last = takes[-1].inputs[0], site.type.rank - 1
    if all(take.op.parameters["axis"] != last for take in takes):
        return None  # whole runs of elements are gathered faster
    for take in takes:
        length, positions = source.type.shape[take.op.parameters["axis"]], take.inputs[1].data
        if positions is None or not _is_scaling(positions, length):
            return None
    return site.apply(NearestResize(site.type.shape), source)


def _repeated_sizes(split: Shape, repeated: Shape) -> list[DimLike] | None:
    """Return the sizes of axes that an axis of 1 behind each repeats."""
    sizes: list[DimLike] = []
    for before, after in zip(split, repeated, strict=True):
        if before == after:
            sizes.append(after)
        elif before != 1 or not sizes or not isinstance(after, int) or after < 1:
            return None
        else:
            sizes[-1] = sizes[-1] * after
    return sizes


def _is_resized(site: Site) -> bool:
    readers = site.facts.readers(site.root.outputs[0])
    return bool(readers) and all(isinstance(node.op, NearestResize) for node in readers)


@fuses(
    Result(
        shp.Reshape,
        Result(
            shp.BroadcastTo, Result(shp.Reshape, Pattern("x"), name="split"), name="repeated"
        ),
    ),
    dtypes=DTYPES,
    kernels=("Resize",),
    stage=Stage.FINISH,
)
def resize_by_repeats(site: Site) -> Value | None:
    """Elements repeated along axes, the last among them, are ``Resize``."""
    split, repeated = site["split"].type.shape, site["repeated"].type.shape
    if len(repeated) != len(split) or not split or 0 in repeated:
        return None
    if split[-1] == repeated[-1] and not _is_resized(site):
        return None  # whole runs of elements are repeated faster
    sizes = _repeated_sizes(split, repeated)
    if sizes is None or tuple(sizes) != site.type.shape:
        return None
    kept = tuple(dim for dim, after in zip(split, repeated, strict=True) if dim == after)
    if _factors(kept, site.type.shape) is None:
        return None
    return site.apply(NearestResize(site.type.shape), shaped(site, site["x"], kept))


@fuses(
    Result(NearestResize, Result(NearestResize, Pattern("x"), name="inner")),
    stage=Stage.FINISH,
)
def resize_of_resize(site: Site) -> Value | None:
    """One axis resized after another is resizing both."""
    old, between = site["x"].type.shape, site["inner"].type.shape
    if any(a != b and b != c for a, b, c in zip(old, between, site.type.shape, strict=True)):
        return None
    return site.apply(site.root.op, site["x"])
