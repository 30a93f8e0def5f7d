"""The first few of a sorted axis: a ``TopK`` of so many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import EXACT, Site, Stage, fuses
from exporters.onnx.legality import FLOAT16, FLOAT32, FLOAT64
from exporters.onnx.sorting import Part, first_positions, first_sorted, sorted_by_topk
from ir.dims import Dim
from ir.ops import elementwise as ew
from ir.ops import indexing as idx
from ir.ops import shaping as shp
from ir.types import INT64, TensorType

if TYPE_CHECKING:
    from exporters.onnx.lowering import Context
    from exporters.onnx.term import Term
    from ir.graph import Node, Value
    from ir.ops.base import Array

X = Pattern("x")
FLOATS = frozenset((FLOAT16, FLOAT32, FLOAT64))


class First(Native):
    """Base: what comes first in ascending order along an axis.

    ``count`` is known: a run-time number of them would have to be compared with the axis.
    """

    axis: int
    count: int

    def _shape(self, x: TensorType) -> tuple[int | Dim, ...]:
        return tuple(self.count if a == self.axis else dim for a, dim in enumerate(x.shape))

    @property
    def part(self) -> Part:
        """How far to sort."""
        return Part(self.axis, self.count)

    def first(self, ordered: Array) -> tuple[Array, ...]:
        """Return the first elements of an ordered array."""
        return (np.take(ordered, range(self.count), axis=self.axis),)


class Positions(First):
    """Base: where these elements are, of equals the first one first."""

    nonnegative = True

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        return (TensorType(INT64, self._shape(operands[0])),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return self.first(np.argsort(operands[0], axis=self.axis, kind="stable"))


@native("TopK")
class FirstSorted(First):
    """The first elements of ``numpy.sort``."""

    axis: int
    count: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        return (TensorType(operands[0].dtype, self._shape(operands[0])),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return self.first(np.sort(operands[0], axis=self.axis, kind="stable"))

    def write(self, context: Context, *operands: Term) -> Term:
        """Sort so many."""
        return first_sorted(context, operands[0], self.part)


@native("TopK")
class FirstPositions(Positions):
    """The first elements of a stable ``numpy.argsort``."""

    axis: int
    count: int

    def write(self, context: Context, *operands: Term) -> Term:
        """Sort so many."""
        return first_positions(context, operands[0], self.part)


@native("TopK")
class CarelessPositions(Positions):
    """The same, a NaN coming anywhere."""

    axis: int
    count: int

    def write(self, context: Context, *operands: Term) -> Term:
        """Sort so many, without looking for NaN."""
        return sorted_by_topk(context, operands[0], self.part)[1]


def _starts_a_sorted_axis(node: Node) -> bool:
    """Whether a slice is the beginning of the axis that its operand is sorted along."""
    op, (ordered,) = node.op, node.inputs
    assert isinstance(op, shp.Slice)
    producer = ordered.producer
    if producer is None or not isinstance(producer.op, idx.Sort | idx.ArgSort):
        return False
    axis = producer.op.axis
    others = (
        size == dim
        for a, (size, dim) in enumerate(zip(op.sizes, ordered.type.shape, strict=True))
        if a != axis
    )
    first = all(start == 0 for start in op.starts) and all(step == 1 for step in op.steps)
    return first and isinstance(op.sizes[axis], int) and all(others)


@fuses(
    Result(shp.Slice, Result(idx.Sort, X, name="sorted"), test=_starts_a_sorted_axis),
    stage=Stage.WHOLES,
)
def first_of_sorted(site: Site) -> Value | None:
    """The first few of a sorted axis are a ``TopK`` of so many."""
    axis = site.op("sorted").axis
    return site.apply(FirstSorted(axis, site.type.shape[axis]), site["x"])


@fuses(
    Result(shp.Slice, Result(idx.ArgSort, X, name="sorted"), test=_starts_a_sorted_axis),
    stage=Stage.WHOLES,
)
def first_of_argsort(site: Site) -> Value | None:
    """The first few of an argsort are a ``TopK`` of so many."""
    axis = site.op("sorted").axis
    return site.apply(FirstPositions(axis, site.type.shape[axis]), site["x"])


@fuses(Result(FirstPositions, X, name="first"), level=2, stage=Stage.FINISH)
def careless_positions(site: Site) -> Value | None:
    """An argsort of floats takes one ``TopK``, which before ONNX Runtime 1.32 misplaces NaN."""
    if site["x"].type.dtype not in FLOATS:
        return None
    first: FirstPositions = site.op("first")
    return site.apply(CarelessPositions(first.axis, first.count), site["x"])


@native("TopK")
class LargestPositions(Positions):
    """Where the largest are, of equals the first one first, a NaN coming anywhere."""

    axis: int
    count: int

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return self.first(np.argsort(-operands[0], axis=self.axis, kind="stable"))

    def write(self, context: Context, *operands: Term) -> Term:
        """Sort so many from the other end."""
        return sorted_by_topk(context, operands[0], self.part, largest=True)[1]


@fuses(
    Result(CarelessPositions, Result(ew.negative, X), name="first"),
    level=2,
    stage=Stage.FINISH,
)
def largest_positions(site: Site) -> Value | None:
    """An argsort of negated floats is a ``TopK`` of the largest."""
    first: CarelessPositions = site.op("first")
    return site.apply(LargestPositions(first.axis, first.count), site["x"])


@native("TopK")
class LargestValues(First):
    """The largest, from the ``TopK`` that :class:`LargestPositions` writes, too."""

    axis: int
    count: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        return (TensorType(operands[0].dtype, self._shape(operands[0])),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return self.first(-np.sort(-operands[0], axis=self.axis, kind="stable"))

    def write(self, context: Context, *operands: Term) -> Term:
        """Sort so many from the other end."""
        return sorted_by_topk(context, operands[0], self.part, largest=True)[0]


@fuses(
    Result(idx.Take, X, Result(LargestPositions, X, name="first"), name="taken"),
    level=2,
    stage=Stage.FINISH,
    dtypes=EXACT,
    shared=True,
)
def largest_values(site: Site) -> Value | None:
    """What stands at the positions of the largest comes from the same ``TopK``."""
    first: LargestPositions = site.op("first")
    if site["x"].type.rank != 1 or site.op("taken").axis != 0:
        return None
    return site.apply(LargestValues(first.axis, first.count), site["x"])
