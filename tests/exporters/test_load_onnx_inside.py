"""Loaded models as nodes: analysis, names, weights, sizes inside bodies."""

from __future__ import annotations

import sys

import numpy as np
import onnx
import onnx.parser
import pytest

import capture
import exporters
from capture import CaptureDevice, capture_scope
from exporters import load_onnx
from exporters.running import run_model
from ir.errors import DTypeError, EvaluationError
from tests.exporters.model_kit import (
    agree,
    dense,
    graph_of,
    initializers,
    normal,
    parsed,
    run,
    spec,
)

X = normal(3, 16)


def test_analysis_and_drawing():
    proto = dense()
    graph = graph_of(load_onnx(proto), spec("n", 16))
    assert "onnx.model" in graph.to_mermaid()
    assert "onnx.model" in graph.to_dot()
    assert graph.cost().parameters == 16 * 32
    assert graph.cost().at(n=2).flops == 2 * 2 * 32 * 16 + 2 * (2 * 32)
    assert graph.cost().at(n=2).bytes == 4 * (2 * 16 + 16 * 32 + 2 * 32)
    assert graph.to_networkx().number_of_nodes() > 2
    assert graph.memory_peak(n=2) is not None
    assert graph.is_isomorphic(graph_of(load_onnx(proto), spec("n", 16)))


def test_plain_numbers_keep_their_value():
    proto = parsed("""<ir_version: 8, opset_import: ["": 20]>
        typed (uint8[n] x, float s) => (float[n] y) { f = Cast<to=1>(x) y = Mul(f, s) }""")
    model = load_onnx(proto)
    assert model([1, 2], 3).tolist() == [3, 6]
    assert model([1, 2], True).tolist() == [1, 2]
    with pytest.raises(DTypeError, match=r"takes u8\[n\], got f64\[1\]"):
        model([1.5], 1)
    with pytest.raises(OverflowError):
        model([256], 1)
    graph = graph_of(lambda x: model(x, x.astype(np.float32).max()), spec("n", dtype=np.uint8))
    x = np.uint8([1, 3])
    agree(graph, x * np.float32(3), x)
    with pytest.raises(DTypeError, match=r"'s' takes f32\[\], got i64\[\]"):
        graph_of(lambda x: model(x, x.shape[0]), spec("n", dtype=np.uint8))


def test_unused_weights_that_are_inputs_too():
    proto = dense()
    for tensor in proto.graph.initializer:
        proto.graph.input.append(
            onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        )
    model = load_onnx(proto, outputs=["h"])
    assert (list(model.inputs), model.optional_inputs) == (["x"], ("w",))
    assert model(X).shape == (3, 32)


def test_sizes_that_a_tool_wrote_as_minus_one():
    proto = dense()
    for boundary in (proto.graph.input[0], proto.graph.output[0]):
        boundary.type.tensor_type.shape.dim[0].dim_value = -1
    model = load_onnx(proto)
    assert model.inputs == {"x": "f32[?,16]"}
    agree(graph_of(model, spec("n", 16)), run(proto, X), X)


def test_weights_keep_names_that_print():
    proto = dense()
    proto.graph.node[0].input[1] = proto.graph.initializer[0].name = "layer/kernel:0 (read)"
    graph = graph_of(load_onnx(proto), spec("n", 16))
    assert "%x, %layer/kernel_0_read_ {" in str(graph)
    written = agree(graph, run(dense(), X), X)
    assert "layer_kernel_0_read_" in initializers(written)


def test_a_node_of_many_weights_prints_short():
    text = "".join(f"h{k + 1} = Add(h{k}, w{k})\n" for k in range(30))
    proto = parsed(
        f"""<ir_version: 8, opset_import: ["": 20]>
        many (float[n,300] h0) => (float[n,300] h30) {{ {text} }}""",
        **{f"w{k}": np.full(300, k, np.float32) for k in range(30)},
    )
    graph = graph_of(load_onnx(proto), spec("n", 300))
    assert "onnx.model %h0, %w0, %w1, %w2, %w3, %w4, %w5, %w6, … 23 more {" in str(graph)
    agree(graph, np.full((2, 300), 435, np.float32), np.zeros((2, 300), np.float32))


def test_unused_outputs_of_unknown_size_leave_nothing_behind():
    proto = parsed("""<ir_version: 8, opset_import: ["": 20]>
        both (float[n] x) => (int64[1,k] places, float[n] y, float[m] z) {
          places = NonZero(x)
          y = Tanh(x)
          z = Concat<axis=0>(x, y)
        }""")
    model = load_onnx(proto)
    x = X[0]
    written = agree(graph_of(lambda x: model(x).y, spec("n")), np.tanh(x), x)
    assert [node.op_type for node in written.graph.node] == ["Tanh"]
    sized = graph_of(lambda x: model(x).y + model(x).z.shape[0], spec("n"))
    written = agree(sized, np.tanh(x) + np.float32(32), x)
    assert "Concat" in [node.op_type for node in written.graph.node]
    assert "NonZero" not in [node.op_type for node in written.graph.node]


def test_without_a_runtime_models_are_captured_and_exported(monkeypatch):
    monkeypatch.setitem(sys.modules, "exporters.running", None)
    proto = dense(rows=24)
    model = load_onnx(proto)
    with pytest.raises(EvaluationError, match=r"pip install graph-capture\[runtime\]"):
        model(normal(2, 24))
    constant = normal(2, 24)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2, 24), np.float32)
        scope.output("y", model(x) + model(scope.constant(constant)))
    assert len(exporters.to_onnx(scope.graph).graph.node) == 7


def test_a_model_as_a_function_of_its_own_name():
    graph = capture.trace(load_onnx(dense(), name="scorer"), spec("n", 16))
    assert (graph.name, graph.inputs[0].name) == ("scorer", "x")


FOUND = """<ir_version: 8, opset_import: ["": 20]>
    found (float[n] x) => (float[k] v) {
      p = NonZero(x)
      t = Transpose(p)
      v = GatherND(x, t)
    }"""


def test_sizes_that_data_decides_inside_bodies():
    model = load_onnx(parsed(FOUND))
    x = np.float32([1, 0, 2, 0, 3, -4])

    @capture.function
    def doubled(x):
        return model(x) * 2

    def plain(x):
        return x[x != 0]

    def repeated(x):
        zero = np.float32(0)
        return capture.fori_loop(0, 3, lambda i, total: total + model(x * (i + 1)).sum(), zero)

    programs = [
        (lambda x: doubled(doubled(x) - 2), plain(plain(x) * 2 - 2) * 2),
        (lambda x: capture.cond(x.sum() > 0, lambda: model(x), lambda: x), plain(x)),
        (repeated, np.float32(plain(x).sum() * 6)),
        (lambda x: model(x).sum() / model(x).shape[0], plain(x).mean()),
        (
            lambda x: capture.scan(lambda c, e: (c, model(x + e).sum()), np.float32(0), x)[1],
            np.float32([plain(x + e).sum() for e in x]),
        ),
    ]
    for program, wanted in programs:
        agree(graph_of(program, spec("n")), wanted, x)


def test_weights_that_change_are_seen():
    """A part of a graph may have the weights as inputs; the same array may hold others later."""
    graph = graph_of(load_onnx(dense()), spec("n", 16))
    part = graph.subgraph(["x", "w"], [graph.output_names[0]])
    w = normal(16, 32)
    bias = onnx.numpy_helper.to_array(dense().graph.initializer[1])
    for _ in range(2):
        np.testing.assert_allclose(part(X, w), np.maximum(X @ w + bias, 0), 1e-4, 1e-5)
        w *= 2
    (got,) = run_model(exporters.to_onnx(part), {"x": X, "w": w})
    np.testing.assert_allclose(got, np.maximum(X @ w + bias, 0), 1e-4, 1e-5)
