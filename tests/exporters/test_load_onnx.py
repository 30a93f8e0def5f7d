"""Existing ONNX models: called eagerly, as nodes of graphs, and as parts of files."""

from __future__ import annotations

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
from ir.errors import DTypeError, ShapeError
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
