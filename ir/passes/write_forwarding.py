"""Reads that look through writes: ``y[i] = v; … y[i]`` reads ``v``, not the whole array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import prove_le
from ir.graph import Node, Value
from ir.ops import interned
from ir.ops.shaping import Reshape, Slice, UpdateSlice
from ir.passes.rewriting import mapped_node, with_nodes

if TYPE_CHECKING:
    from ir.dims import DimLike
    from ir.graph import Graph


def _before(stop: DimLike, start: DimLike) -> bool:
    if type(stop) is int and type(start) is int:
        return stop <= start
    return prove_le(stop, start) is True


def _disjoint(read: Slice, write: UpdateSlice, sizes: tuple[DimLike, ...]) -> bool:
    """Whether two windows share no element, by one axis where neither reaches the other."""
    for r0, rn, rs, w0, wn, ws in zip(
        read.starts, read.sizes, read.steps, write.starts, sizes, write.steps, strict=True
    ):
        r_low, r_high = (
            (r0, r0 + (rn - 1) * rs + 1) if rs > 0 else (r0 + (rn - 1) * rs, r0 + 1)
        )
        w_low, w_high = (
            (w0, w0 + (wn - 1) * ws + 1) if ws > 0 else (w0 + (wn - 1) * ws, w0 + 1)
        )
        if _before(r_high, w_low) or _before(w_high, r_low):
            return True
    return False


def _steps_agree(read: Slice, write: UpdateSlice) -> bool:
    return all(
        a == b or size == 1
        for a, b, size in zip(read.steps, write.steps, read.sizes, strict=True)
    )


def _is_whole(read: Slice, source: Value) -> bool:
    return read.sizes == source.type.shape and all(
        step == 1 or size == 1 for step, size in zip(read.steps, read.sizes, strict=True)
    )


def _inside(read: Slice, write: UpdateSlice, sizes: tuple[DimLike, ...]) -> Slice | None:
    """Return the read relative to the update when it lies inside a step-1 window."""
    if any(step != 1 for step in (*read.steps, *write.steps)):
        return None
    for r0, rn, w0, wn in zip(read.starts, read.sizes, write.starts, sizes, strict=True):
        if not _before(w0, r0) or not _before(r0 + rn, w0 + wn):
            return None
    starts = tuple(r - w for r, w in zip(read.starts, write.starts, strict=True))
    return interned(Slice, starts, read.sizes, read.steps)


def _read_through(node: Node) -> tuple[Slice | None, Value] | None:
    """Return where a slice may read instead: a slice of another value, or that value whole."""
    read = node.op
    assert isinstance(read, Slice)
    source = node.inputs[0]
    moved = False
    while source.producer is not None and isinstance(source.producer.op, UpdateSlice):
        write = source.producer.op
        base, update = source.producer.inputs
        sizes = update.type.shape
        if read.starts == write.starts and read.sizes == sizes and _steps_agree(read, write):
            return None, update
        if _disjoint(read, write, sizes):
            source, moved = base, True
            continue
        inner = _inside(read, write, sizes)
        if inner is None:
            break
        read, source, moved = inner, update, True
    return (read, source) if moved else None


def _collapsed_reshape(node: Node) -> Value | None:
    """Return the value that a reshape of a reshape gives back unchanged."""
    source = node.inputs[0]
    while source.producer is not None and isinstance(source.producer.op, Reshape):
        source = source.producer.inputs[0]
        if source.type == node.outputs[0].type:
            return source
    return source if source.type == node.outputs[0].type else None


def forward_writes(graph: Graph) -> Graph:
    """Let slices read through updates they do not touch, or straight from the one they repeat.

    A loop that fills rows and reads earlier ones becomes a chain of rows instead of a chain of
    whole arrays. Reshapes that only undo each other vanish with it.
    """
    replacement: dict[Value, Value] = {}
    nodes: list[Node] = []
    changed = False
    for old in graph.nodes:
        node = mapped_node(old, replacement) if replacement else old
        if isinstance(node.op, Reshape):
            whole = _collapsed_reshape(node)
            if whole is not None:
                _replace(replacement, old, node, whole)
                changed = True
                continue
        elif isinstance(node.op, Slice):
            found = _read_through(node)
            if found is not None:
                changed = True
                read, source = found
                if read is None or _is_whole(read, source):
                    _replace(replacement, old, node, source)
                    continue
                made = Node(
                    read, (source,), (node.outputs[0].type,), node.location, node.scope
                )
                made.outputs[0].name = node.outputs[0].name
                _replace(replacement, old, node, made.outputs[0])
                nodes.append(made)
                continue
        nodes.append(node)
    return with_nodes(graph, nodes, replacement) if changed else graph


def _replace(replacement: dict[Value, Value], old: Node, node: Node, value: Value) -> None:
    replacement[old.outputs[0]] = value
    replacement[node.outputs[0]] = value
