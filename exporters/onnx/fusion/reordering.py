"""Movements of data before arithmetic: on fewer elements, on smaller ones, next to their like.

What arithmetic with constants does to an element does not depend on where it is, so that slices,
gathers and transposes may as well come first. A cut-out image stays ``uint8`` until it is small,
channels become an outer axis before they meet their constants, and movements meet one another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exporters.onnx.fusion.paths import is_lone
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from ir.ops import elementwise as ew
from ir.ops import shaping as shp
from ir.ops.indexing import Take
from ir.shapes import product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ir.dims import DimLike, Shape
    from ir.graph import Node, Value

    Array = np.ndarray[Any, Any]

_LONGEST = 16
_LARGEST_CONSTANT = 1 << 16
_NARROW = 64
"""Broadcasting along a last axis of fewer elements costs the runtime several times as much."""


class Link(NamedTuple):
    """An elementwise node with one operand that is not a constant.

    Attributes:
        node: The node.
        array: That operand.
    """

    node: Node
    array: Value

    def constants(self) -> Iterable[Array]:
        """Iterate over the arrays of the other operands."""
        return (v.data for v in self.node.inputs if v is not self.array and v.data is not None)


def link_of(site: Site, value: Value) -> Link | None:
    """Return the elementwise node that made a value from another and small constants."""
    node = value.producer
    if node is None or len(node.outputs) != 1:
        return None
    if not isinstance(node.op, (ew.Elementwise, ew.Cast)):
        return None
    arrays = [v for v in node.inputs if v.producer is not None or v in site.graph.inputs]
    if len(arrays) != 1 or arrays[0].type.shape != value.type.shape:
        return None
    link = Link(node, arrays[0])
    small = all(constant.nbytes <= _LARGEST_CONSTANT for constant in link.constants())
    return link if small else None


def chain_before(
    site: Site,
    value: Value,
    accepts: Callable[[Link], bool] = lambda link: True,
    longest: int = _LONGEST,
) -> list[Link]:
    """Return the elementwise nodes that made a value, the last first, each read only once."""
    chain: list[Link] = []
    while len(chain) < longest and is_lone(site, value):
        link = link_of(site, value)
        if link is None or not accepts(link):
            break
        chain.append(link)
        value = link.array
    return chain


def rebuilt(
    site: Site, chain: list[Link], value: Value, moved: Callable[[Array], Array | None]
) -> Value | None:
    """Return a value after the nodes of a chain, their constants moved as it was."""
    for link in reversed(chain):
        operands: list[Value] = []
        for operand in link.node.inputs:
            if operand is link.array:
                operands.append(value)
                continue
            assert operand.data is not None
            constant = operand.data if operand.data.ndim == 0 else moved(operand.data)
            if constant is None:
                return None
            operands.append(
                operand if constant is operand.data else site.constant(constant, operand.name)
            )
        value = site.apply(link.node.op, *operands)
    return value


def _follows_arithmetic(node: Node) -> bool:
    before = node.inputs[0].producer
    return before is not None and isinstance(before.op, (ew.Elementwise, ew.Cast))


def _full_rank(constant: Array, rank: int) -> Array:
    return constant.reshape((1,) * (rank - constant.ndim) + constant.shape)


# --- fewer elements -----------------------------------------------------------------------


@fuses(Result(shp.Slice, Pattern("x"), test=_follows_arithmetic), stage=Stage.SHAPES)
def slice_first(site: Site) -> Value | None:
    """A slice of the result of arithmetic with constants is taken before it."""
    op, rank = site.root.op, site.type.rank
    assert isinstance(op, shp.Slice)
    chain = chain_before(site, site["x"])
    if not chain:
        return None

    def moved(constant: Array) -> Array | None:
        constant = _full_rank(constant, rank)
        axes = [axis for axis, dim in enumerate(constant.shape) if dim != 1]
        windows = [(op.starts[axis], op.sizes[axis]) for axis in axes]
        if not all(isinstance(number, int) for window in windows for number in window):
            return None
        starts, sizes, steps = [0] * rank, [1] * rank, [1] * rank
        for axis, (start, size) in zip(axes, windows, strict=True):
            starts[axis], sizes[axis], steps[axis] = int(start), int(size), op.steps[axis]  # type: ignore[arg-type]
        part = shp.Slice(tuple(starts), tuple(sizes), tuple(steps))
        return part.evaluate(constant)[0]

    return rebuilt(site, chain, site.apply(op, chain[-1].array), moved)


@fuses(
    Result(Take, Pattern("x"), Pattern("indices"), test=_follows_arithmetic),
    stage=Stage.SHAPES,
)
def take_first(site: Site) -> Value | None:
    """A gather of fewer elements than there are is done before arithmetic with constants."""
    op, indices = site.root.op, site["indices"]
    assert isinstance(op, Take)
    count, length = product(indices.type.shape), site["x"].type.shape[op.axis]
    if not (isinstance(count, int) and isinstance(length, int) and count < length):
        return None
    chain = chain_before(site, site["x"])
    if not chain:
        return None
    rank = site["x"].type.rank
    given = indices.producer is not None or indices in site.graph.inputs
    positions = None if given else indices.data

    def moved(constant: Array) -> Array | None:
        constant = _full_rank(constant, rank)
        if constant.shape[op.axis] != 1:
            return None if positions is None else op.evaluate(constant, positions)[0]
        shape = list(constant.shape)
        shape[op.axis : op.axis + 1] = [1] * indices.type.rank
        return constant.reshape(shape)

    return rebuilt(site, chain, site.apply(op, chain[-1].array, indices), moved)


# --- smaller elements, and movements that meet --------------------------------------------


def _meets_movement(site: Site, value: Value) -> bool:
    node = value.producer
    return (
        node is not None
        and is_lone(site, value)
        and isinstance(node.op, (shp.Reshape, shp.Transpose))
    )


def _narrow_channels(chain: list[Link], axes: tuple[int, ...]) -> bool:
    """Whether constants vary along a short last axis that is to be an outer one."""
    last = len(axes) - 1
    return axes[last] != last and any(
        constant.ndim and 1 < constant.shape[-1] < _NARROW
        for link in chain
        for constant in link.constants()
    )


@fuses(Result(shp.Transpose, Pattern("x"), test=_follows_arithmetic), stage=Stage.SHAPES)
def transpose_first(site: Site) -> Value | None:
    """A transpose comes before a widening cast, or arithmetic with constants per channel."""
    x, op = site["x"], site.root.op
    assert isinstance(op, shp.Transpose)
    chain = chain_before(site, x)
    while chain and not (
        _meets_movement(site, chain[-1].array)
        or chain[-1].array.type.dtype.itemsize < x.type.dtype.itemsize
        or _narrow_channels(chain, op.axes)
    ):
        chain.pop()
    if not chain:
        return None
    return rebuilt(
        site,
        chain,
        site.apply(op, chain[-1].array),
        lambda constant: _full_rank(constant, len(op.axes)).transpose(op.axes),
    )


def _is_one(dim: DimLike) -> bool:
    return dim == 1


def _with_ones(constant: Array, old: Shape, new: Shape) -> Array | None:
    """Return a constant for an array whose reshape only adds or drops axes of one element."""
    if constant.size == 1:
        return constant.reshape(())
    kept = [axis for axis, dim in enumerate(old) if not _is_one(dim)]
    if [old[axis] for axis in kept] != [dim for dim in new if not _is_one(dim)]:
        return None
    full, rest = _full_rank(constant, len(old)), iter(kept)
    return full.reshape([1 if _is_one(dim) else full.shape[next(rest)] for dim in new])


@fuses(Result(shp.Reshape, Pattern("x"), test=_follows_arithmetic), stage=Stage.SHAPES)
def reshape_first(site: Site) -> Value | None:
    """A reshape is done before arithmetic with numbers where it meets another movement."""
    x, new = site["x"], site.type.shape
    chain = chain_before(site, x)
    while chain and not _meets_movement(site, chain[-1].array):
        chain.pop()
    if not chain:
        return None
    reshaped = site.apply(site.root.op, chain[-1].array)
    return rebuilt(site, chain, reshaped, lambda c: _with_ones(c, x.type.shape, new))
