"""Sums of shifted slices, each times a constant: filters and convolutions written as loops."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exporters.onnx.fusion.affine_views import AffineView, Atom, affine_view
from exporters.onnx.fusion.contractions import Contraction
from exporters.onnx.fusion.convolutions import FLOATS, convolved
from exporters.onnx.fusion.paths import is_lone, lone_path, replayed
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from ir.ops import elementwise as ew
from ir.ops.linear_algebra import matmul
from ir.ops.shaping import BroadcastTo, Reshape, Slice, Transpose

if TYPE_CHECKING:
    from ir.dims import Shape
    from ir.graph import Node, Value

    Array = np.ndarray[Any, Any]

_FEWEST = 3
"""Taps from which on a convolution is faster than adding slices."""

_MOST = 4096
_LONGEST_PATH = 4
_LEAST_FILLED = 0.5


class Tap(NamedTuple):
    """A shifted view and the weights that it is multiplied with.

    Attributes:
        view: What is read.
        labels: The labels of its axes.
        weights: The weights.
        weight_labels: Theirs.
    """

    view: AffineView
    labels: tuple[int, ...]
    weights: Array
    weight_labels: tuple[int, ...]


def _adds(node: Node) -> bool:
    return node.op is ew.add or node.op is ew.subtract


def _is_inner(site: Site) -> bool:
    """Whether the sum goes on behind the root."""
    result = site.root.outputs[0]
    return is_lone(site, result) and _adds(site.facts.readers(result)[0])


def _terms(site: Site) -> list[tuple[int, Value]]:
    """Return the signs and values that the root adds up; nothing where they are very many."""
    found: list[tuple[int, Value]] = []
    pending = [(1, site.root)]
    while pending and len(found) <= _MOST:
        sign, node = pending.pop()
        second = sign if node.op is ew.add else -sign
        for factor, operand in zip((sign, second), node.inputs, strict=True):
            inner = operand.producer
            if inner is not None and _adds(inner) and is_lone(site, operand):
                pending.append((factor, inner))
            else:
                found.append((factor, operand))
    return [] if pending else found


def _constant(site: Site, value: Value) -> Array | None:
    data = value.data
    if value.producer is not None or data is None or value in site.graph.inputs:
        return None
    return data if np.isfinite(data).all() else None


def _tap(site: Site, sign: int, value: Value) -> Tap:
    """Return a term as a tap, of a matrix product or of an array times a constant or nothing."""
    rank = value.type.rank
    node, source, weights = value.producer, value, np.array(sign, np.float64)
    labels = tuple(range(rank))
    if node is not None and node.op in (ew.multiply, ew.divide, matmul):
        first, second = (_constant(site, operand) for operand in node.inputs)
        if node.op is matmul:
            left, right = (*labels[:-1], rank), (*labels[:-2], rank, labels[-1])
            if second is not None:
                return _product(site, node.inputs[0], left, sign * second, right)
            if first is not None:
                return _product(site, node.inputs[1], right, sign * first, left)
        elif second is not None:
            source = node.inputs[0]
            weights = sign * second if node.op is ew.multiply else sign / second
        elif first is not None and node.op is ew.multiply:
            source, weights = node.inputs[1], sign * first
    own = labels[rank - source.type.rank :]
    full = weights.reshape((1,) * (rank - weights.ndim) + weights.shape)
    return Tap(affine_view(source, site.graph), own, full, labels)


def _product(
    site: Site, source: Value, own: tuple[int, ...], weights: Array, other: tuple[int, ...]
) -> Tap:
    return Tap(
        affine_view(source, site.graph),
        own[len(own) - source.type.rank :],
        weights,
        other[len(other) - weights.ndim :],
    )


def _is_nothing(site: Site, value: Value) -> bool:
    """Whether a term is the zeros that a loop begins with."""
    node = value.producer
    if node is not None and isinstance(node.op, BroadcastTo):
        value = node.inputs[0]
    data = _constant(site, value)
    return data is not None and not data.any()


class _Sum(NamedTuple):
    """What a sum adds up: taps, then movements of their sum, then constants with their signs."""

    taps: list[Tap]
    shape: Shape
    path: list[Node]
    constants: list[tuple[int, Value]]


def _sum(site: Site) -> _Sum | None:
    """Return the terms of a sum as taps of one array that differ in where they start."""
    taps: list[Tap] = []
    constants: list[tuple[int, Value]] = []
    path: list[Node] = []
    shape = site.type.shape
    for sign, value in _terms(site):
        if _is_nothing(site, value):
            continue
        if _constant(site, value) is not None:
            constants.append((sign, value))
            continue
        own = _path_from_product(site, value)
        moved = own[-1].inputs[0] if own else value
        if not taps:
            path, shape = own, moved.type.shape
        if value.type.shape != site.type.shape or moved.type.shape != shape:
            return None
        if [node.op for node in own] != [node.op for node in path]:
            return None
        tap = _tap(site, sign, moved)
        first = taps[0] if taps else tap
        same = tap.view.base is first.view.base and tap.view.groups == first.view.groups
        if not same or tap.weight_labels != first.weight_labels:
            return None
        taps.append(tap)
    return _Sum(taps, shape, path, constants) if len(taps) >= _FEWEST else None


def _path_from_product(site: Site, value: Value) -> list[Node]:
    """Return the reshapes and transposes between a matrix product and a term."""
    path = lone_path(site, value, (Reshape, Transpose), _LONGEST_PATH)
    node = path[-1].inputs[0].producer if path else None
    return path if node is not None and node.op is matmul else []


def _joined(taps: list[Tap], least_filled: float, rank: int) -> Contraction | None:
    """Return taps as one contraction over where they start."""
    places = np.array([tap.view.starts for tap in taps])
    lines = [np.unique(places[:, axis]) for axis in range(places.shape[1])]
    size = prod(len(line) for line in lines)
    distinct = len(np.unique(places, axis=0)) == len(taps)
    if not distinct or len(taps) < least_filled * size:
        return None
    atoms = []
    for axis, line in enumerate(lines):
        steps = np.unique(np.diff(line))
        if len(steps) > 1:
            return None
        if len(steps):
            strides = tuple(int(steps[0]) if a == axis else 0 for a in range(len(lines)))
            atoms.append(Atom(len(line), strides))
    first = taps[0]
    shape = np.broadcast_shapes(*(tap.weights.shape for tap in taps))
    kernel = np.zeros((size, *shape))
    sizes = [len(line) for line in lines]
    for tap, place in zip(taps, places, strict=True):
        index = [int(np.searchsorted(line, p)) for line, p in zip(lines, place, strict=True)]
        kernel[np.ravel_multi_index(index, sizes)] = tap.weights
    new = rank + 1
    view = AffineView(
        first.view.base,
        tuple(int(line[0]) for line in lines),
        (tuple(atoms), *first.view.groups),
    )
    return Contraction(
        view,
        (new, *first.labels),
        kernel.astype(np.float32),
        (new, *first.weight_labels),
        tuple(range(rank)),
    )


def _convolution(site: Site, least_filled: float) -> Value | None:
    if _is_inner(site):
        return None
    found = _sum(site)
    if found is None:
        return None
    joined = _joined(found.taps, least_filled, len(found.shape))
    value = None if joined is None else convolved(site, joined, found.shape)
    if value is None:
        return None
    value = replayed(site, found.path, value)
    for sign, constant in found.constants:
        value = site.apply(ew.add if sign > 0 else ew.subtract, value, constant)
    return value


_SUMS = tuple(Result(op, Pattern("a"), Pattern("b")) for op in (ew.add, ew.subtract))


@fuses(*_SUMS, dtypes=FLOATS, kernels=("Conv",), stage=Stage.SHAPES, needs=(Slice,))
def convolution_by_taps(site: Site) -> Value | None:
    """Shifted slices times constants, added up, are ``Conv``."""
    return _convolution(site, 1.0)


@fuses(*_SUMS, level=2, dtypes=FLOATS, kernels=("Conv",), stage=Stage.SHAPES, needs=(Slice,))
def convolution_by_some_taps(site: Site) -> Value | None:
    """The same where up to half of the taps are missing: infinities times 0 would be NaN."""
    return _convolution(site, _LEAST_FILLED)
