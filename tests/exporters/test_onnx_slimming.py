"""Nothing in the file that nobody needs: inputs, equal nodes, equal constants."""

import numpy as np
import pytest

import capture
from capture import TensorSpec
from capture.scope import UnusedInputWarning
from exporters import OnnxExporter, to_onnx
from exporters.verification import run_model

X = np.float32([[1, np.nan, 3], [4, 5, 5]])


def graph_with_unused_input(*shape):
    def program(x, unused):
        return x * 2

    spec = TensorSpec(("n", 3), np.float32), TensorSpec(shape, np.float32)
    with pytest.warns(UnusedInputWarning, match="'unused' is not used by any output"):
        return capture.trace(program, *spec)


def test_unused_inputs_stay_unless_they_are_not_wanted():
    graph = graph_with_unused_input("m")
    kept = to_onnx(graph)
    assert [value.name for value in kept.graph.input] == ["x", "unused"]
    dropped = to_onnx(graph, keep_unused_inputs=False)
    assert [value.name for value in dropped.graph.input] == ["x"]
    np.testing.assert_array_equal(run_model(dropped, {"x": X})[0], X * 2)


def test_an_input_whose_size_is_asked_for_is_used():
    def program(x, y):
        return np.zeros(y.shape[0], np.float32) + x.sum()

    graph = capture.trace(
        program, TensorSpec(("n",), np.float32), TensorSpec(("m", 2), np.float32)
    )
    model = to_onnx(graph, keep_unused_inputs=False)
    assert [value.name for value in model.graph.input] == ["x", "y"]


def test_files_without_unused_inputs_verify(tmp_path):
    path = tmp_path / "model.onnx"
    exporter = OnnxExporter(path, keep_unused_inputs=False, verify=True)
    exporter.export(graph_with_unused_input(4))
    np.testing.assert_array_equal(run_model(path, {"x": X})[0], X * 2)


def test_equal_nodes_are_written_once():
    graph = capture.trace(lambda x: (x.max(1), x.argmax(1), x.min(1)), X)
    model = to_onnx(graph)
    types = [node.op_type for node in model.graph.node]
    assert types.count("IsNaN") == 1
    assert types.count("Cast") == 2  # the flags as numbers, and what is found of them back
    got = run_model(model, {"x": X})
    for value, want in zip(got, (X.max(1), X.argmax(1), X.min(1)), strict=True):
        np.testing.assert_array_equal(value, want)


def test_equal_constants_are_written_once():
    graph = capture.trace(lambda x: (x * np.float32(0), np.where(x > 0, x, 0)), X)
    arrays = [(t.data_type, t.raw_data) for t in to_onnx(graph, optimize=0).graph.initializer]
    assert len(arrays) == len(set(arrays))


def test_random_nodes_are_never_merged():
    def program(x):
        return x + capture.random.uniform(size=x.shape), x + capture.random.uniform(
            size=x.shape
        )

    a, b = run_model(to_onnx(capture.trace(program, X[1])), {"x": X[1]})
    assert not np.array_equal(a, b)
