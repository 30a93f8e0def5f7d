"""Runs of writes into one array: dead ones dropped, neighbours joined.

A fill loop records one whole-array update per element. Merged, a thousand row writes are one
concatenation of a thousand rows: linear data instead of quadratic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ir.graph import Node, Value
from ir.ops import interned
from ir.ops.shaping import Concatenate, UpdateSlice
from ir.passes.rewriting import mapped_node, with_nodes
from ir.passes.uses import use_counts

if TYPE_CHECKING:
    from collections import Counter

    from ir.dims import DimLike, Shape
    from ir.graph import Graph

_LONGEST = 2048
"""Writes merged at a time: the overlap test is quadratic."""


class _Write(NamedTuple):
    starts: tuple[int, ...]
    sizes: Shape
    update: Value


def _known_write(node: Node) -> _Write | None:
    """Return the window of a step-1 update, known but for axes that it fills from end to end."""
    op, (base, update) = node.op, node.inputs
    assert isinstance(op, UpdateSlice)
    starts, sizes = op.starts, update.type.shape
    for start, size, dim in zip(starts, sizes, base.type.shape, strict=True):
        known = type(start) is int and type(size) is int and type(dim) is int
        if not known and (start != 0 or size != dim):
            return None
    if any(step != 1 and size != 1 for step, size in zip(op.steps, sizes, strict=True)):
        return None
    return _Write(starts, sizes, update)  # type: ignore[arg-type]


def _without_dead(writes: list[_Write]) -> list[_Write]:
    """Drop writes whose exact window is written again later."""
    last = {(write.starts, write.sizes): write for write in writes}
    kept = list(last.values())
    return kept if len(kept) < len(writes) else writes


def _are_disjoint(writes: list[_Write]) -> bool:
    starts = np.array([write.starts for write in writes])
    # an axis of unknown size is filled by all of the writes
    stops = starts + np.array([[_known(size) for size in write.sizes] for write in writes])
    meets = np.ones((len(writes), len(writes)), bool)
    for axis in range(starts.shape[1]):
        a, b = starts[:, axis], stops[:, axis]
        meets &= (a[:, None] < b[None, :]) & (a[None, :] < b[:, None])
    return int(meets.sum()) == len(writes)


def _known(size: DimLike) -> int:
    return size if isinstance(size, int) else 1


class _Merger:
    """Joins disjoint windows axis by axis, recording the concatenations."""

    def __init__(self, like: Node) -> None:
        self._like = like
        self.nodes: list[Node] = []

    def _joined(self, run: list[_Write], axis: int) -> _Write:
        if len(run) == 1:
            return run[0]
        op = interned(Concatenate, axis)
        updates = tuple(write.update for write in run)
        (type_,) = op.infer(*(update.type for update in updates))
        node = Node(op, updates, (type_,), self._like.location, self._like.scope)
        self.nodes.append(node)
        return _Write(run[0].starts, type_.shape, node.outputs[0])

    def merge(self, writes: list[_Write]) -> list[_Write]:
        """Return fewer, larger windows with the same contents."""
        for axis in reversed(range(len(writes[0].starts))):
            others = [i for i in range(len(writes[0].starts)) if i != axis]
            ordered = sorted(
                writes,
                key=lambda w: (
                    [w.starts[i] for i in others],
                    [w.sizes[i] for i in others],
                    w.starts[axis],
                ),
            )
            merged: list[_Write] = []
            run = [ordered[0]]
            for write in ordered[1:]:
                last = run[-1]
                same = all(
                    last.starts[i] == write.starts[i] and last.sizes[i] == write.sizes[i]
                    for i in others
                )
                if same and last.starts[axis] + last.sizes[axis] == write.starts[axis]:
                    run.append(write)
                else:
                    merged.append(self._joined(run, axis))
                    run = [write]
            merged.append(self._joined(run, axis))
            writes = merged
        return writes


def _chain(end: Node, uses: Counter[Value]) -> list[Node]:
    """Return the run of updates that ends here, whose intermediate arrays nobody else reads."""
    chain = [end]
    while len(chain) < _LONGEST:
        before = chain[-1].inputs[0]
        producer = before.producer
        if producer is None or not isinstance(producer.op, UpdateSlice) or uses[before] != 1:
            break
        chain.append(producer)
    return chain[::-1]


def _merged_chain(chain: list[Node], end: Node) -> tuple[list[Node], Value] | None:
    """Return nodes that replace a chain and the value of its end, or ``None`` to keep it."""
    writes = [_known_write(node) for node in chain]
    if any(write is None for write in writes):
        return None
    kept = _without_dead([write for write in writes if write is not None])
    if (len(kept) == 1 and len(chain) == 1) or not _are_disjoint(kept):
        return None
    merger = _Merger(end)
    windows = merger.merge(kept)
    base = chain[0].inputs[0]
    if len(windows) == 1 and windows[0].sizes == base.type.shape:
        return merger.nodes, windows[0].update
    if len(windows) == len(chain):
        return None
    for window in windows:
        op = interned(UpdateSlice, window.starts, (1,) * len(window.starts))
        node = Node(op, (base, window.update), (base.type,), end.location, end.scope)
        merger.nodes.append(node)
        base = node.outputs[0]
    return merger.nodes, base


def merge_writes(graph: Graph) -> Graph:
    """Replace runs of static window writes by concatenations of what they write."""
    if not any(isinstance(node.op, UpdateSlice) for node in graph.nodes):
        return graph
    uses = use_counts(graph)
    ends: dict[Node, list[Node]] = {}
    inner: set[Node] = set()
    for node in reversed(graph.nodes):
        if not isinstance(node.op, UpdateSlice) or node in inner:
            continue
        chain = _chain(node, uses)
        inner.update(chain)
        ends[node] = chain
    if not any(len(chain) > 1 or _covers(chain[0]) for chain in ends.values()):
        return graph
    replacement: dict[Value, Value] = {}
    nodes: list[Node] = []
    mapped: dict[Node, Node] = {}
    changed = False
    for old in graph.nodes:
        node = mapped[old] = mapped_node(old, replacement)
        nodes.append(node)
        chain = ends.get(old, [])
        made = _merged_chain([mapped[link] for link in chain], node) if chain else None
        if made is not None:
            if made[1].producer in made[0]:
                made[1].name = node.outputs[0].name
            nodes.pop()
            nodes.extend(made[0])
            replacement[old.outputs[0]] = replacement[node.outputs[0]] = made[1]
            changed = True
    if not changed:
        return graph
    return with_nodes(graph, nodes, replacement)


def _covers(node: Node) -> bool:
    return node.inputs[1].type.shape == node.outputs[0].type.shape
