"""Existing ONNX models: called eagerly, as nodes of graphs, and as parts of files."""

from __future__ import annotations

import sys

import numpy as np
import onnx
import onnx.parser
import pytest

import capture
import exporters
from capture import CaptureDevice, TensorSpec, capture_scope
from exporters import load_onnx
from exporters.errors import ModelError
from exporters.running import run_model
from ir.errors import DTypeError, EvaluationError, ShapeError
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


def test_outside_a_scope_it_runs():
    proto = dense()
    model = load_onnx(proto)
    assert np.array_equal(model(X), run(proto, X)[0])
    assert np.array_equal(model(x=X), model(X))
    assert np.array_equal(model(X.tolist()), model(X))
    assert repr(model) == (
        "<ONNX model 'dense': (x: f32[batch,16]) -> (y: f32[batch,32]), 2,048 bytes>"
    )


def test_an_input_that_is_an_output_too_is_a_copy():
    text = """<ir_version: 8, opset_import: ["": 17]>
        same (float[n] x) => (float[n] y, float[n] x) { y = Neg(x) }"""
    model = load_onnx(parsed(text))
    x = np.arange(4, dtype=np.float32)
    given = x.copy()
    result = model(given)
    assert not np.shares_memory(result.x, given)
    assert np.array_equal(result.x, x)


def test_inside_a_scope_it_is_one_node():
    proto = dense()
    model = load_onnx(proto)
    device = CaptureDevice()
    with capture_scope(device) as scope:
        x = scope.input("x", ("n", 16), np.float32)
        y = model(x * 2)
        assert str(y.dtype) == "float32"
        assert y.shape[0] == x.shape[0]
        scope.output("y", y - 1)
    graph = scope.graph
    assert [node.op.name for node in graph.nodes] == ["multiply", "onnx.model", "subtract"]
    assert graph.nodes[1].location.file.endswith("test_load_onnx.py")
    written = agree(graph, run(proto, X * 2)[0] - 1, X)
    assert [node.op_type for node in written.graph.node] == [
        "Mul",
        "MatMul",
        "Add",
        "Relu",
        "Sub",
    ]
    assert [node.name for node in written.graph.node][1:3] == ["dense/MatMul", "dense/Add"]
    assert initializers(written)["w"] == (16, 32)


def test_weights_are_there_once():
    proto = dense(rows=32)
    model, other = load_onnx(proto), load_onnx(proto.SerializeToString(), name="other")
    x = normal(3, 32)
    graph = graph_of(lambda x: other(model(model(x))), spec("n", 32))
    assert sum(value.data.nbytes for value in graph.constants) < 3 * 32 * 32 * 4
    (y,) = run(proto, run(proto, run(proto, x)[0])[0])
    written = agree(graph, y, x)
    assert list(initializers(written).values()) == [(32, 32), (32,)]
    assert len({node.name for node in written.graph.node}) == 9
    assert written.doc_string.count("Contains the model") == 1


def test_names_that_meet():
    """The graph's own names are those of the model, and so is the name of the output."""
    model = load_onnx(dense())
    graph = capture.trace(
        lambda x, s, h: {"y": model(x) + s, "dense": h * 2},
        x=spec("n", 16),
        s=spec(),
        h=spec(1),
    )
    (y,) = run(dense(), X)
    assert y.shape == (3, 32)
    arrays = {"x": X, "s": np.float32(1), "h": normal(1)}
    results = graph(**arrays)
    got = run_model(exporters.to_onnx(graph), arrays)
    assert np.allclose(got[0], results[0])


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (X.astype(np.float64), DTypeError, r"x.astype\(np.float32\)"),
        (X[0], ShapeError, r"of rank 2, got f32\[16\].*x\[np.newaxis\]"),
        (X[:, :4], ShapeError, "axis 1 is 4, expected 16"),
    ],
)
def test_wrong_operands(wrong, error, said):
    model = load_onnx(dense())
    with pytest.raises(error, match=rf"(?s)^dense: input 'x' takes f32\[batch,16\].*{said}"):
        model(wrong)
    with pytest.raises(error, match=f"(?s){said}") as caught:
        capture.trace(model, TensorSpec(wrong.shape, wrong.dtype))
    assert "test_load_onnx.py" in "".join(caught.value.__notes__) or caught.value.__notes__


def test_wrong_calls():
    model = load_onnx(dense())
    with pytest.raises(TypeError, match="input 'x' is missing: takes x: f32"):
        model()
    with pytest.raises(TypeError, match="no input 'z'; it takes x"):
        model(X, z=1)
    with pytest.raises(TypeError, match="given twice"):
        model(X, x=X)
    with pytest.raises(TypeError, match="got 2 arrays"):
        model(X, X)


def test_sizes_that_only_a_run_tells():
    proto = parsed("""<ir_version: 8, opset_import: ["": 20]>
        found (float[n,4] x, float[m,4] y) => (int64[2,k] places, float[k] values, float[a,b] sum) {
          places = NonZero(x)
          order = Transpose(places)
          values = GatherND(x, order)
          sum = Concat<axis=0>(x, y)
        }""")
    model = load_onnx(proto)

    def program(x, y):
        places, values, total = model(x, y)
        return places[0] * values.astype(np.int64), total.sum(0)

    graph = graph_of(program, spec("n", 4), spec("m", 4))
    x, y = np.float32([[1, 0, 2, 0], [0, 0, 0, 7]]), normal(3, 4)
    agree(graph, program(x, y), x, y)
    assert program(x, y)[0].tolist() == [0, 0, 7]
    assert [str(value.type) for value in graph.nodes[0].outputs] == [
        "i64[2,k_1]",
        "f32[k_2]",
        "f32[a_3,4]",
    ]
    with capture.capture_scope(CaptureDevice()) as scope:
        results = model(
            scope.input("x", (2, 4), np.float32), scope.input("y", (3, 4), np.float32)
        )
        assert results.sum.shape == (5, 4)


def test_declared_names_unify():
    """An axis named as one of the inputs has its size, which the run checks."""
    proto = parsed("""<ir_version: 8, opset_import: ["": 20, "com.microsoft": 1]>
        same (float[n,8] x, float[n,8] y) => (float[n,8] z) {
          a = com.microsoft.Gelu(x)
          z = Add(a, y)
        }""")
    model = load_onnx(proto)
    graph = graph_of(lambda x, y: model(x, y) + x, spec("n", 8), spec("m", 8))
    x, y = normal(2, 8), normal(2, 8)
    agree(graph, run(proto, x, y)[0] + x, x, y)
    with pytest.raises(ValueError, match="needs m == n"):
        graph(x, normal(1, 8))
    written = exporters.to_onnx(graph)
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        run(written, x, normal(1, 8))
    with pytest.raises(
        ShapeError, match=r"f32\[n,8\] \(n is 2\), got f32\[3,8\]: axis 0 is 3"
    ):
        model(x, normal(3, 8))


def test_shapes_that_the_file_has_wrong():
    proto = parsed("""<ir_version: 8, opset_import: ["": 20]>
        wrong (float[n,4] x, int64[1] k) => (float[n] y) {
          y = Reshape(x, k)
        }""")
    x, k = normal(2, 4), np.int64([-1])
    model = load_onnx(proto)
    assert model(x, k).shape == (8,)
    graph = graph_of(model, spec("n", 4), spec(1, dtype=np.int64))
    with pytest.raises(ValueError, match="require_shape"):
        graph(x, k)
    freed = load_onnx(proto, shapes={"y": ("elements",)})
    graph = graph_of(freed, spec("n", 4), spec(1, dtype=np.int64))
    agree(graph, x.reshape(-1), x, k)


def test_optional_inputs():
    proto = parsed(
        """<ir_version: 8, opset_import: ["": 20]>
        scaled (float[n,16] x, float[16,32] w, float b) => (float[n,32] y) {
          h = MatMul(x, w)
          y = Add(h, b)
        }""",
        w=normal(16, 32),
        b=np.float32(2),
    )
    model = load_onnx(proto)
    assert list(model.inputs) == ["x"]
    assert model.optional_inputs == ("w", "b")
    w = normal(16, 32)
    (y,) = run_model(proto, {"x": X, "w": w, "b": np.float32(5)})
    assert np.array_equal(model(X, w=w, b=5), y)
    graph = graph_of(lambda x, b: model(x, b=b), spec("n", 16), spec())
    own = onnx.numpy_helper.to_array(proto.graph.initializer[0])
    agree(graph, X @ own + 7, X, np.float32(7))
    graph = graph_of(lambda x, w: model(x, w=w), spec("n", 16), spec(16, 32))
    assert agree(graph, X @ w + 2, X, w).graph.initializer[0].dims == []


def test_initializers_of_old_files_are_no_inputs():
    proto = dense(opset=9)
    proto.ir_version = 3
    for tensor in proto.graph.initializer:
        proto.graph.input.append(
            onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        )
    model = load_onnx(proto)
    assert (list(model.inputs), model.optional_inputs) == (["x"], ())
    agree(graph_of(model, spec("n", 16)), run(proto, X)[0], X)


def test_outputs_are_chosen():
    model = load_onnx(dense(), outputs=["s", "y"])
    assert model(X)._fields == ("s", "y")
    s, y = model(X)
    assert np.array_equal(np.maximum(s, 0), y)
    agree(graph_of(model, spec("n", 16)), [s, y], X)
    assert load_onnx(dense(), outputs=["h"])(X).shape == (3, 32)
    with pytest.raises(ModelError, match=r"dense: no output 'q'; outputs are \['y'\]"):
        load_onnx(dense(), outputs=["q"])


def test_unused_outputs_leave_nothing_behind():
    model = load_onnx(dense(), outputs=["h", "y"])
    graph = graph_of(lambda x: model(x).h, spec("n", 16))
    written = agree(graph, load_onnx(dense(), outputs=["h"])(X), X)
    assert [node.op_type for node in written.graph.node] == ["MatMul"]
    assert list(initializers(written)) == ["w"]


def test_an_input_given_back_and_one_value_twice():
    proto = parsed("""<ir_version: 8, opset_import: ["": 20]>
        back (float[n] x) => (float[n] y, float[n] x) { y = Neg(x) }""")
    graph = graph_of(lambda x: load_onnx(proto)(x), spec("n"))
    agree(graph, [-X[0], X[0]], X[0])


def test_inside_functions_branches_and_loops():
    proto = dense(columns=16)
    model = load_onnx(proto)

    @capture.function
    def layer(x):
        return model(x) * 0.5

    def program(x):
        x = layer(layer(x))
        x = capture.cond(x.sum() > 0, lambda: model(x), lambda: x - 1)
        return capture.fori_loop(0, 3, lambda i, h: model(h) + i, x)

    def plain(x):
        for _ in range(2):
            x = run(proto, x)[0] * np.float32(0.5)
        x = run(proto, x)[0] if x.sum() > 0 else x - 1
        for i in range(3):
            x = run(proto, x)[0] + i
        return x

    graph = graph_of(program, spec("n", 16))
    written = agree(graph, plain(X), X)
    assert list(initializers(written).values()).count((16, 16)) == 1


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
