"""Cached graphs: registered once, replayed with other tensors, sizes, numbers and ranges."""

from __future__ import annotations

import numpy as np
import pytest

import ir
from capture import CaptureDevice, GraphBindings, capture_scope
from capture.errors import BindingError, ScopeError
from exporters import from_json, to_json, to_onnx
from exporters.running import run_model
from tests.capture.telling import HERE, told


def relative():
    """Rows ``r`` of ``x`` times ``k``, and those of them whose first element is positive."""
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", ("m", 3), np.float64)
        k = scope.input("k", (), np.float64)
        start, size = scope.dim("r.start"), scope.dim("r.size")
        rows = x[start : start + size] * k
        graph = scope.relative_graph(outputs={"rows": rows, "some": rows[rows[:, 0] > 0]})
        scope.output("x_again", x)
        scope.output("k_again", k)
    return graph


GRAPH = relative()
A, B = np.arange(15.0).reshape(5, 3) - 4, -np.arange(12.0).reshape(4, 3)


def replayed():
    with capture_scope(CaptureDevice()) as scope:
        a = scope.input("a", ("n", 3), np.float64)
        b = scope.input("b", (4, 3), np.float64)
        first = scope.client.register_and_execute_graph(
            7, GRAPH, GraphBindings({"x": a}, scalars={"k": 2}, ranges={"r": slice(1, 3)})
        )
        second = scope.client.execute_graph(
            7, GraphBindings({"x": b}, scalars={"k": -0.5}, ranges={"r": slice(0, 2)})
        )
        for name, tensor in (*first.items(), *second.items()):
            unique = name if name not in scope._boundaries.outputs else f"{name}_2"
            scope.output(unique, tensor)
    return scope.graph


def test_tensors_scalars_and_ranges_are_bound_anew():
    graph = replayed()
    ir.check(graph)
    rows, some, rows_2, some_2 = graph(A, B)
    np.testing.assert_array_equal(rows, A[1:3] * 2)
    np.testing.assert_array_equal(some, (A[1:3] * 2)[(A[1:3] * 2)[:, 0] > 0])
    np.testing.assert_array_equal(rows_2, B[:2] * -0.5)
    np.testing.assert_array_equal(some_2, (B[:2] * -0.5)[(B[:2] * -0.5)[:, 0] > 0])


def test_a_replay_is_ordinary_recording():
    graph = replayed()
    assert from_json(to_json(graph)) == graph
    for got, want in zip(
        run_model(to_onnx(graph), {"a": A, "b": B}), graph(A, B), strict=True
    ):
        np.testing.assert_array_equal(got, want)


def test_intermediates_and_data_dependent_sizes_are_fresh():
    graph = replayed()
    counts = [node.op.count for node in graph.nodes if node.op.name == "nonzero"]
    assert len(set(counts)) == 2


def test_symbols_are_found_through_inputs_or_bound_by_name():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (5, 3), np.float64)
        start = x.shape[0] - 2
        outputs = scope.client.register_and_execute_graph(
            1, GRAPH, GraphBindings({"x": x}, {"r.start": start, "r.size": 2}, {"k": 3})
        )
        scope.output("rows", outputs["rows"])
    np.testing.assert_array_equal(scope.graph(A), A[3:5] * 3)


def test_an_unknown_id_is_refused():
    with capture_scope(CaptureDevice()) as scope, pytest.raises(BindingError) as caught:
        scope.client.execute_graph(9, GraphBindings())
    assert told(caught) == (
        "graph id 9 is not registered in this scope; known ids: none\n" + HERE
    )


def test_registrations_die_with_the_scope():
    device = CaptureDevice()
    with capture_scope(device) as scope:
        x = scope.input("x", (5, 3), np.float64)
        bindings = GraphBindings({"x": x}, scalars={"k": 1}, ranges={"r": slice(0, 1)})
        scope.client.register_and_execute_graph(1, GRAPH, bindings)
        old = scope.client
        scope.output("y", x)
    with pytest.raises(ScopeError):
        old.execute_graph(1, bindings)
    with capture_scope(device) as scope, pytest.raises(BindingError, match="not registered"):
        scope.client.execute_graph(1, bindings)


def test_an_id_keeps_its_graph():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (5, 3), np.float64)
        bindings = GraphBindings({"x": x}, scalars={"k": 1}, ranges={"r": slice(0, 1)})
        scope.client.register_and_execute_graph(1, GRAPH, bindings)
        scope.client.register_and_execute_graph(1, relative(), bindings)
        with pytest.raises(BindingError, match="registered for another graph"):
            scope.client.register_and_execute_graph(1, replayed(), bindings)


@pytest.mark.parametrize(
    ("bindings", "message"),
    [
        ({"tensors": {"x": A}, "scalars": {"k": 1}}, "symbol 'r.size' is not bound"),
        ({"tensors": {"y": A}}, "has no input 'y'; inputs are ['x', 'k']"),
        ({"scalars": {"k": 1}, "ranges": {"r": slice(0, 1)}}, "input 'x' of type f64[m,3]"),
        ({"dims": {"q": 1}}, "has no symbol 'q'"),
        ({"ranges": {"r": slice(0, 4, 2)}}, "has a step; ranges are contiguous"),
        (
            {"tensors": {"x": A[:, :2]}, "scalars": {"k": 1}, "ranges": {"r": slice(0, 1)}},
            "input 'x' must be f64[5,3], got f64[5,2]",
        ),
    ],
)
def test_what_does_not_fit_is_refused(bindings, message):
    with capture_scope(CaptureDevice()) as scope, pytest.raises(BindingError) as caught:
        scope.client.register_and_execute_graph(1, GRAPH, GraphBindings(**bindings))
    assert message in str(caught.value)
