"""Snapshots: pruned, finished graphs from an open scope, without side effects."""

import numpy as np
import pytest

import ir
from capture import CaptureDevice, capture_scope
from capture.errors import BoundaryError, ScopeError
from ir.errors import InvalidGraphError


def program(scope, with_snapshots):
    x = scope.input("x", ("n", 2))
    y = x * 2
    window = y[1:]
    window += 1
    if with_snapshots:
        for _ in range(3):
            scope.snapshot(outputs=[y, window, x])
    y[0] = 5
    if with_snapshots:
        scope.snapshot(outputs={"w": window, "n": np.float32(3)})
    scope.output("y", y + np.float32([1, 2]))
    if with_snapshots:
        scope.snapshot()


def test_it_is_a_finished_graph_from_an_open_scope():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        y = x + 1
        graph = scope.snapshot(outputs=[y])
        assert not scope.is_closed
        ir.check(graph)
        with pytest.raises(InvalidGraphError):
            graph.name = "other"
        scope.output("z", y * 2)
    np.testing.assert_array_equal(graph(np.float32([1, 2])), [2, 3])
    np.testing.assert_array_equal(scope.graph(np.float32([1, 2])), [4, 6])


def test_it_is_pruned():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        _ = np.sin(x)
        y = x + 1
        graph = scope.snapshot(outputs=[y])
    assert [node.op.name for node in graph.nodes] == ["add"]


def test_it_takes_any_live_tensors():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        weights = scope.constant(np.float32([1, 2, 3]))
        y = x * weights
        tensors = {"input": x, "constant": weights, "view": y[1:], "scalar": y.sum(), "y": y}
        results = scope.snapshot(outputs=tensors)(np.float32([1, 1, 1]))
    for got, want in zip(results, ([1, 1, 1], [1, 2, 3], [2, 3], 6, [1, 2, 3]), strict=True):
        np.testing.assert_array_equal(got, want)


def test_it_takes_further_inputs():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]), "weights")
        y = weights * 2
        graph = scope.snapshot(inputs=[weights], outputs=[y])
    np.testing.assert_array_equal(graph(np.float32([5, 6])), [10, 12])
    np.testing.assert_array_equal(graph(), [2, 4])


def test_without_outputs_it_takes_the_declared_ones():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.output("y", x + 1)
        assert scope.snapshot().output_names == ("y",)


def test_it_shows_each_moment():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,)) * 1
        graphs = []
        for number in range(3):
            x[0] = number
            graphs.append(scope.snapshot(outputs=[x]))
    for number, graph in enumerate(graphs):
        np.testing.assert_array_equal(graph(np.float32([7, 8])), [number, 8])


def test_it_has_no_side_effects():
    graphs = []
    for with_snapshots in (False, True):
        with capture_scope(CaptureDevice()) as scope:
            program(scope, with_snapshots)
        graphs.append(scope.graph)
    assert graphs[0] == graphs[1]


def test_a_refused_snapshot_has_no_side_effects():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        y = x + 1
        with pytest.raises(BoundaryError):
            scope.snapshot(inputs={"y": y}, outputs=[y])
        scope.output("y", y)
    assert [value.name for value in scope.graph.inputs] == ["x"]


def test_a_snapshot_of_a_closed_scope_is_refused():
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x") + 1)
    with pytest.raises(ScopeError, match="^snapshot: the scope is complete"):  # noqa: RUF043
        scope.snapshot()
