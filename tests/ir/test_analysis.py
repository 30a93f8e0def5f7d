"""Costs, memory and the longest chain of a graph."""

from __future__ import annotations

import numpy as np
import pytest

import capture
from capture import TensorSpec, trace
from ir import Dim, Graph
from ir.errors import DimError

W = np.arange(12, dtype=np.float32).reshape(4, 3)
ROWS = TensorSpec(("batch", 4), np.float32)
batch = Dim("batch")


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x @ W)
    return powers / powers.sum(axis=1, keepdims=True)


def test_costs_are_polynomials_in_the_symbols() -> None:
    cost = trace(softmax, ROWS).cost()
    assert cost.by_op["matmul"] == (batch * 24, batch * (16 + 12) + 48)
    assert cost.by_op["sum"] == (batch * 3, batch * (12 + 4))
    assert (cost.flops, cost.bytes) == (batch * 33, batch * 96 + 48)
    assert (cost.parameters, cost.trips) == (12, ())
    assert str(cost).splitlines() == [
        "total   33*batch flops  96*batch + 48 bytes",
        "matmul  24*batch flops  28*batch + 48 bytes",
        "exp      3*batch flops  24*batch bytes",
        "sum      3*batch flops  16*batch bytes",
        "divide   3*batch flops  28*batch bytes",
        "12 parameters",
    ]


def test_costs_at_a_size_are_numbers() -> None:
    cost = trace(softmax, ROWS).cost().at(batch=2)
    assert (cost.flops, cost.bytes) == (66, 240)
    assert cost.by_op["exp"] == (6, 48)


def test_moving_elements_is_no_arithmetic() -> None:
    cost = trace(lambda x: np.concatenate([x.T[::2], x.T]), ROWS).cost()
    assert cost.flops == 0
    assert cost.at(batch=1).bytes == (16 + 16) + (16 + 8) + (8 + 16 + 24)


def loops(x: np.ndarray) -> np.ndarray:
    x = capture.fori_loop(0, 5, lambda i, c: np.tanh(c), x)
    x = capture.while_loop(lambda c: c.sum() < 9, lambda c: c * 2, x)
    return capture.cond(x.sum() > 0, lambda a: np.exp(a) + 1, lambda a: np.exp(a), x)


def test_nested_graphs_count_as_often_as_they_run() -> None:
    cost = trace(loops, ROWS).cost()
    trips = Dim("trips")
    assert cost.trips == ("trips",)
    assert cost.by_op["tanh"].flops == 5 * 4 * batch
    assert cost.by_op["multiply"].flops == 4 * batch * trips
    assert cost.by_op["exp"].flops == 4 * batch, "one of two branches"
    assert cost.by_op["add"].flops == 4 * batch, "the larger of two branches"
    assert cost.at(batch=1, trips=2).trips == ()
    assert "loop" not in cost.by_op


def test_a_trip_count_may_be_a_size() -> None:
    def program(x: np.ndarray) -> np.ndarray:
        return capture.fori_loop(0, x.shape[0], lambda i, c: np.sin(c), x)

    assert trace(program, TensorSpec(("n",), np.float32)).cost().by_op["sin"].flops == (
        Dim("n") * Dim("n")
    )


def test_memory_counts_what_is_alive() -> None:
    peak = trace(softmax, ROWS).memory_peak()
    assert peak.bytes == batch * (16 + 12 + 4 + 12), "input, powers, sum and quotient"
    assert peak.node is not None
    assert peak.node.op.name == "divide"
    assert peak.constant_bytes == 48
    assert trace(softmax, ROWS).memory_peak(batch=2).bytes == 88


def test_memory_of_a_chain_does_not_grow_with_its_length() -> None:
    def chain(x: np.ndarray) -> np.ndarray:
        for _ in range(50):
            x = np.sin(x)
        return x

    assert trace(chain, TensorSpec((10,), np.float32)).memory_peak().bytes == 120


def test_memory_of_nested_graphs_comes_on_top() -> None:
    def body(c: np.ndarray) -> np.ndarray:
        return np.exp(c) + np.sin(c)

    spec = TensorSpec((10,), np.float32)
    graph = trace(lambda x: capture.fori_loop(0, 3, lambda i, c: body(c), x), spec)
    assert graph.memory_peak().bytes == 4 * 10 * (2 + 2)
    assert not trace(lambda x: {}, spec).memory_peak().node


def test_undecided_peaks_name_no_node() -> None:
    def program(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.exp(np.sin(x)).sum(), np.exp(np.sin(y)).sum()

    peak = trace(
        program, TensorSpec(("n",), np.float32), TensorSpec(("m",), np.float32)
    ).memory_peak()
    assert peak.node is None
    assert str(peak.bytes).startswith("max(")


def branching() -> Graph:
    def program(x: np.ndarray) -> np.ndarray:
        return np.exp(np.sin(np.cos(x))) + x @ W @ W.T

    return trace(program, ROWS)


def test_the_longest_chain_by_nodes_and_by_work() -> None:
    by_nodes = branching().critical_path()
    assert [node.op.name for node in by_nodes.nodes] == ["cos", "sin", "exp", "add"]
    assert by_nodes.weight == 4
    by_flops = branching().critical_path("flops", batch=2)
    assert [node.op.name for node in by_flops.nodes] == ["matmul", "matmul", "add"]
    assert by_flops.weight == 2 * 24 + 2 * 24 + 8
    assert str(by_flops).startswith("3 nodes, weight 104\n  matmul ")


def test_work_without_a_size_has_no_order() -> None:
    with pytest.raises(DimError, match="batch"):
        branching().critical_path("bytes")


def test_an_empty_graph_has_an_empty_chain() -> None:
    assert trace(lambda x: x, ROWS).critical_path() == ((), 0)


def test_too_many_undecided_needs_ask_for_numbers() -> None:
    def program(*arrays: np.ndarray) -> list[np.ndarray]:
        return [np.sin(np.exp(array)).sum() for array in arrays]

    specs = [TensorSpec((f"n{i}",), np.float32) for i in range(12)]
    graph = trace(program, *specs)
    with pytest.raises(DimError, match=r"give numbers for them, as in memory_peak\(batch=8\)"):
        graph.memory_peak()
    assert graph.memory_peak(**{f"n{i}": 1 for i in range(12)}).bytes == 12 * 4 + 11 * 4 + 8


def test_calls_of_calls_take_one_look_each() -> None:
    @capture.function
    def once(x: np.ndarray) -> np.ndarray:
        return np.sin(x)

    @capture.function
    def twice(x: np.ndarray) -> np.ndarray:
        return once(once(x))

    graph = trace(lambda x: twice(twice(x)), TensorSpec((10,), np.float32))
    assert graph.cost().by_op == {"sin": (40, 320)}
    assert graph.memory_peak().bytes == 160
