"""Sums of shifted slices, each times a constant: filters and convolutions written as loops."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exporters.onnx.fusion.affine_views import AffineView, Atom, affine_view
from exporters.onnx.fusion.contractions import Contraction
from exporters.onnx.fusion.convolutions import FLOATS, convolved
from exporters.onnx.fusion.paths import is_lone
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from ir.ops import elementwise as ew
from ir.ops.linear_algebra import matmul
from ir.ops.shaping import BroadcastTo, Slice

if TYPE_CHECKING:
    from ir.graph import Node, Value

    Array = np.ndarray[Any, Any]

_FEWEST = 3
"""Taps from which on a convolution is faster than adding slices."""

_MOST = 4096
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
    """Return the signs and values that the root adds up."""
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
    return found


def _constant(site: Site, value: Value) -> Array | None:
    data = value.data
    if value.producer is not None or data is None or value in site.graph.inputs:
        return None
    return data if np.isfinite(data).all() else None


def _tap(site: Site, sign: int, value: Value) -> Tap | None:
    """Return a term as a tap, if it has the shape of the sum."""
    rank = site.type.rank
    if value.type.shape != site.type.shape:
        return None
    node, source, weights = value.producer, value, np.array(sign, np.float64)
    labels = tuple(range(rank))
    if node is not None and node.op in (ew.multiply, ew.divide, matmul):
        first, second = (_constant(site, operand) for operand in node.inputs)
        if node.op is matmul:
            return _product(site, node, sign, first, second)
        if second is not None:
            source = node.inputs[0]
            weights = sign * second if node.op is ew.multiply else sign / second
        elif first is not None and node.op is ew.multiply:
            source, weights = node.inputs[1], sign * first
    own = labels[rank - source.type.rank :]
    full = weights.reshape((1,) * (rank - weights.ndim) + weights.shape)
    return Tap(affine_view(source, site.graph), own, full, labels)


def _product(
    site: Site, node: Node, sign: int, first: Array | None, second: Array | None
) -> Tap | None:
    """Return a matrix product with constant weights as a tap."""
    rank = site.type.rank
    labels = tuple(range(rank))
    left, right = (*labels[:-1], rank), (*labels[:-2], rank, labels[-1])
    for weights, source, own, other in (
        (second, node.inputs[0], left, right),
        (first, node.inputs[1], right, left),
    ):
        if weights is not None:
            return Tap(
                affine_view(source, site.graph),
                own[rank - source.type.rank :],
                sign * weights,
                other[rank - weights.ndim :],
            )
    return None


def _is_nothing(site: Site, value: Value) -> bool:
    """Whether a term is the zeros that a loop begins with."""
    node = value.producer
    if node is not None and isinstance(node.op, BroadcastTo):
        value = node.inputs[0]
    data = _constant(site, value)
    return data is not None and not data.any()


def _taps(site: Site) -> list[Tap] | None:
    """Return the terms of a sum as taps of one array that differ in where they start."""
    terms = _terms(site)
    if not _FEWEST <= len(terms) <= _MOST:
        return None
    taps: list[Tap] = []
    for sign, value in terms:
        if _is_nothing(site, value):
            continue
        tap = _tap(site, sign, value)
        if tap is None:
            return None
        first = taps[0] if taps else tap
        same = tap.view.base is first.view.base and tap.view.groups == first.view.groups
        if not same or tap.weight_labels != first.weight_labels:
            return None
        taps.append(tap)
    return taps if len(taps) >= _FEWEST else None


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
    taps = _taps(site)
    joined = None if taps is None else _joined(taps, least_filled, site.type.rank)
    return None if joined is None else convolved(site, joined)


_SUMS = tuple(Result(op, Pattern("a"), Pattern("b")) for op in (ew.add, ew.subtract))


@fuses(*_SUMS, dtypes=FLOATS, kernels=("Conv",), stage=Stage.SHAPES, needs=(Slice,))
def convolution_by_taps(site: Site) -> Value | None:
    """Shifted slices times constants, added up, are ``Conv``."""
    return _convolution(site, 1.0)


@fuses(*_SUMS, level=2, dtypes=FLOATS, kernels=("Conv",), stage=Stage.SHAPES, needs=(Slice,))
def convolution_by_some_taps(site: Site) -> Value | None:
    """The same where up to half of the taps are missing: infinities times 0 would be NaN."""
    return _convolution(site, _LEAST_FILLED)
