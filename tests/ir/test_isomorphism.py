"""Equality whatever the order and the names."""

from __future__ import annotations

import random

import numpy as np
import pytest

import capture
from capture import TensorSpec, trace
from ir import Graph
from ir.builder import GraphBuilder
from ir.ops import elementwise as ops
from ir.types import TensorType

X = TensorType(np.dtype(np.float32), (3,))


def shuffled(seed: int, *, twins: int = 6, last: float = 1.0) -> Graph:
    """Build one program with its nodes in a random order: twins of twins, then a sum."""
    pick = random.Random(seed)
    builder = GraphBuilder()
    x = builder.add_value(X, f"x{seed}")
    one = builder.add_value(X, data=np.full(3, 1, np.float32))
    last_one = builder.add_value(X, data=np.full(3, last, np.float32))
    done: dict[str, int] = {}
    waiting = [f"{kind}{n}" for n in range(twins) for kind in ("a", "b", "c")]
    while waiting:
        name = pick.choice(waiting)
        kind, n = name[0], name[1:]
        if kind == "a":
            done[name] = builder.append(ops.sin, (x,))
        elif kind == "b" and f"a{n}" in done:
            done[name] = builder.append(ops.add, (done[f"a{n}"], one))
        elif kind == "c" and {f"a{n}", f"b{n}"} <= done.keys():
            done[name] = builder.append(ops.multiply, (done[f"b{n}"], done[f"a{n}"]))
        else:
            continue
        waiting.remove(name)
    total = last_one
    for n in pick.sample(range(twins), twins):
        total = builder.append(ops.add, (total, done[f"c{n}"]))
    return builder.finish([(f"x{seed}", x)], [("y", total)], name=f"g{seed}")


@pytest.mark.parametrize("seed", range(5))
def test_order_and_names_do_not_count(seed: int) -> None:
    assert shuffled(0) != shuffled(seed + 1)
    assert shuffled(0).is_isomorphic(shuffled(seed + 1))


def test_constants_and_counts_do() -> None:
    assert not shuffled(0).is_isomorphic(shuffled(0, last=-0.0))
    assert not shuffled(0, last=0.0).is_isomorphic(shuffled(0, last=-0.0))
    assert not shuffled(0).is_isomorphic(shuffled(0, twins=5))


def pairs(*operands: tuple[int, int]) -> Graph:
    """Twins sin(x), sin(x), …, added in pairs, each sum an output."""
    builder = GraphBuilder()
    x = builder.add_value(X, "x")
    twins = [builder.append(ops.sin, (x,)) for _ in range(4)]
    sums = [builder.append(ops.add, (twins[i], twins[j])) for i, j in operands]
    total = sums[0]
    for value in sums[1:]:
        total = builder.append(ops.maximum, (total, value))
    return builder.finish([("x", x)], [("y", total)])


def test_sharing_counts() -> None:
    """All of these compute the same from equal nodes; who reads which twin differs."""
    a = pairs((0, 1), (2, 3))
    assert a.is_isomorphic(pairs((3, 2), (0, 1)))
    assert not a.is_isomorphic(pairs((0, 0), (2, 3)))
    assert not pairs((0, 1), (1, 0), (2, 3)).is_isomorphic(pairs((0, 1), (0, 1), (2, 3)))
    ring = pairs((0, 1), (1, 2), (2, 3), (3, 0))
    assert not ring.is_isomorphic(pairs((0, 1), (1, 0), (2, 3), (3, 2)))


def test_operand_order_counts() -> None:
    spec = TensorSpec((3,), np.float32)
    a, b = trace(lambda x, y: x - y, spec, spec), trace(lambda x, y: y - x, spec, spec)
    assert not a.is_isomorphic(b)
    assert not a.is_isomorphic(trace(lambda x, y: (x - y, x), spec, spec))


def test_nested_graphs_are_compared_the_same_way() -> None:
    def program(factor: float) -> Graph:
        def body(i: object, c: np.ndarray) -> np.ndarray:
            return np.sin(c) + c * factor

        return trace(lambda x: capture.fori_loop(0, 3, body, x), TensorSpec((3,), np.float32))

    assert program(2.0).is_isomorphic(program(2.0))
    assert not program(2.0).is_isomorphic(program(3.0))


def test_a_long_chain_takes_one_look() -> None:
    def chain(x: np.ndarray) -> np.ndarray:
        for _ in range(5000):
            x = np.sin(x)
        return x

    spec = TensorSpec((3,), np.float32)
    assert trace(chain, spec).is_isomorphic(trace(chain, spec))
