"""Structural equality of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ir.graph import Graph, Value


def arrays_identical(a: np.ndarray[Any, Any] | None, b: np.ndarray[Any, Any] | None) -> bool:
    """Whether two arrays agree in dtype, shape and every bit."""
    if a is None or b is None:
        return a is b
    if a is b:
        return True
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()
    )


def graphs_equal(a: Graph, b: Graph) -> bool:
    """Whether two graphs agree node by node, in order."""
    if a is b:
        return True
    if (a.name, a.metadata, a.output_names) != (b.name, b.metadata, b.output_names):
        return False
    counts = [(len(g.inputs), len(g.constants), len(g.nodes), len(g.outputs)) for g in (a, b)]
    if counts[0] != counts[1]:
        return False
    return _contents_equal(a, b)


def _contents_equal(a: Graph, b: Graph) -> bool:
    twin: dict[Value, Value] = {}

    def same(x: Value, y: Value) -> bool:
        twin[x] = y
        return x.type == y.type and x.name == y.name and arrays_identical(x.data, y.data)

    if not all(map(same, a.inputs + a.constants, b.inputs + b.constants)):
        return False
    for m, n in zip(a.nodes, b.nodes, strict=True):
        if (m.op, m.location, m.scope) != (n.op, n.location, n.scope):
            return False
        if len(m.outputs) != len(n.outputs) or [twin[v] for v in m.inputs] != list(n.inputs):
            return False
        if not all(map(same, m.outputs, n.outputs)):
            return False
    if [twin[value] for value in a.outputs] != list(b.outputs):
        return False
    sites = {s: (twin[d.value], d.axis) for s, d in a.symbols.items()}
    return sites == {s: (d.value, d.axis) for s, d in b.symbols.items()}
