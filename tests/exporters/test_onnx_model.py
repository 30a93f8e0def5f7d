"""The model around the nodes: names, boundaries, constants, metadata, determinism, errors."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from exporters.errors import ExportError, OpsetError, UnsupportedLoweringError
from exporters.onnx import to_onnx
from exporters.onnx.export import VERSION
from exporters.running import run_model
from ir.builder import GraphBuilder
from ir.dims import Dim
from ir.graph import Graph, Node, Value
from ir.ops import elementwise as ew
from ir.ops import reduction as red
from ir.ops.base import Op
from ir.types import TensorType
from tests.exporters.onnx_checks import assert_valid, chain

F32 = np.dtype(np.float32)
LINE = TensorType(F32, (4,))
X = np.arange(4, dtype=np.float32)


def names(model: onnx.ModelProto) -> list[str]:
    return [name for node in model.graph.node for name in node.output]


def located() -> Graph:
    """x + c, then squared, on two lines of this file."""
    builder = GraphBuilder()
    x = builder.add_value(LINE)
    c = builder.add_value(LINE, "offset", X)
    y = builder.append(ew.add, (x, c), located.__code__, 0)
    builder.names[y] = "shifted value"
    z = builder.append(ew.square, (y,), located.__code__, 0)
    return builder.finish([("x", x)], [("result", z)], name="two", metadata={"author": "me"})


def test_a_whole_model():
    model = to_onnx(located(), metadata={"version": "3"})
    assert_valid(model)
    assert model.graph.name == "two"
    assert (model.producer_name, model.producer_version) == ("graph-capture", VERSION)
    assert {p.key: p.value for p in model.metadata_props} == {
        "author": "me",
        "version": "3",
        "graph_capture.minimal_runtime": "onnxruntime 1.23.2",
    }
    assert names(model) == ["shifted_value", "result"]
    assert [tensor.name for tensor in model.graph.initializer] == ["offset"]
    line = located.__code__.co_firstlineno
    source = f"tests/exporters/test_onnx_model.py:{line}"
    assert {node.doc_string for node in model.graph.node} == {source}


def test_doc_strings_are_optional():
    model = to_onnx(located(), doc_strings=False)
    assert {node.doc_string for node in model.graph.node} == {""}


def test_the_same_graph_gives_the_same_bytes():
    first, second = (
        to_onnx(located()).SerializeToString(deterministic=True) for _ in range(2)
    )
    assert first == second


def test_inputs_and_constants_as_outputs():
    builder = GraphBuilder()
    x, c = builder.add_value(LINE), builder.add_value(LINE, None, X)
    y = builder.append(ew.add, (x, c))
    graph = builder.finish(
        [("x", x)], [("x", x), ("same", x), ("c", c), ("y", y), ("y again", y)]
    )
    model = to_onnx(graph)
    assert_valid(model)
    got = run_model(model, {"x": X})
    assert [array.tolist() for array in got] == [a.tolist() for a in (X, X, X, X + X, X + X)]


def test_names_never_clash_with_declared_ones():
    builder = GraphBuilder()
    x = builder.add_value(LINE)
    y = builder.append(ew.add, (x, x))
    z = builder.append(ew.log1p, (y,))
    builder.names[y] = "x"
    graph = builder.finish([("x", x)], [("add_1", z), ("constant", y), ("log", y)])
    model = to_onnx(graph)
    assert_valid(model)
    assert len(set(names(model))) == len(names(model))
    np.testing.assert_allclose(run_model(model, {"x": X})[0], np.log1p(X + X), rtol=1e-6)


def test_an_output_named_as_another_input_is_refused():
    builder = GraphBuilder()
    x = builder.add_value(LINE)
    graph = builder.finish([("x", x)], [("x", builder.append(ew.add, (x, x)))])
    with pytest.raises(ExportError, match="names both an input and a different output"):
        to_onnx(graph)


def test_a_graph_without_outputs_is_refused():
    builder = GraphBuilder()
    graph = builder.finish([("x", builder.add_value(LINE))], [])
    with pytest.raises(ExportError, match="a graph without outputs cannot be an ONNX model"):
        to_onnx(graph)


def test_equal_constants_are_written_once():
    builder = GraphBuilder()
    x = builder.add_value(LINE)
    first = builder.add_value(LINE, "w", X)
    second = builder.add_value(LINE, "v", X.copy())
    other = builder.add_value(LINE, "u", np.array([0, 1, 2, 4], np.float32))
    total = x
    for constant in (first, second, other):
        total = builder.append(ew.add, (total, constant))
    model = to_onnx(builder.finish([("x", x)], [("y", total)]))
    assert [tensor.name for tensor in model.graph.initializer] == ["w", "u"]


def test_an_input_with_a_default_may_be_left_out():
    builder = GraphBuilder()
    x, d = builder.add_value(LINE), builder.add_value(LINE, None, X)
    graph = builder.finish([("x", x), ("d", d)], [("y", builder.append(ew.multiply, (x, d)))])
    model = to_onnx(graph)
    assert_valid(model)
    assert run_model(model, {"x": X})[0].tolist() == (X * X).tolist()
    assert run_model(model, {"x": X, "d": X + 1})[0].tolist() == (X * (X + 1)).tolist()


def test_symbols_become_dim_params():
    n = Dim("n")
    graph = chain(red.Sum((1,)), TensorType(F32, (n, 3)))
    model = to_onnx(graph)
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "n"
    assert model.graph.output[0].type.tensor_type.shape.dim[0].dim_param == "n"


class Unknown(Op):
    name = "unknown"

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        return operands


def test_messages():
    with pytest.raises(UnsupportedLoweringError) as undefined:
        to_onnx(chain(Unknown(), LINE))
    assert str(undefined.value) == "unknown: no ONNX lowering is known: f32[4]"
    whole = TensorType(np.dtype(np.int32), (4,))
    with pytest.raises(OpsetError) as late:
        to_onnx(chain(ew.bitwise_and, whole, whole), opset=17)
    assert str(late.value) == (
        "bitwise_and: no BitwiseAnd of i32 in ONNX Runtime at opset 17; opset 18 has it: "
        "i32[4], i32[4]"
    )


def test_a_constant_negative_power_is_refused():
    builder = GraphBuilder()
    whole = TensorType(np.dtype(np.int64), ())
    x = builder.add_value(whole)
    power = builder.append(ew.power, (x, builder.add_value(whole, None, np.array(-2))))
    graph = builder.finish([("x", x)], [("y", power)])
    with pytest.raises(UnsupportedLoweringError, match="no integer value") as refused:
        to_onnx(graph)
    assert "hint: raise a float" in str(refused.value)


def test_a_negative_power_at_run_time_stops_the_model():
    whole = TensorType(np.dtype(np.int64), (2,))
    model = to_onnx(chain(ew.power, whole, whole))
    base = np.array([2, 3])
    assert run_model(model, {"x0": base, "x1": np.array([3, 2])})[0].tolist() == [8, 9]
    with pytest.raises(Exception, match="delta in Range"):
        run_model(model, {"x0": base, "x1": np.array([3, -2])})


def test_a_value_used_before_its_definition_is_an_export_error():
    dangling = Value(LINE, "lost")
    node = Node(ew.add, (dangling, dangling), (LINE,))
    graph = Graph((), (), (node,), node.outputs, ("y",))
    with pytest.raises(ExportError, match="used before it is computed"):
        to_onnx(graph)


def test_the_runtime_may_not_swap_the_operands_of_where():
    """It takes away a Not before Where, and a -0.0 gets into the branch that loses it."""
    builder = GraphBuilder()
    x, y = builder.add_value(LINE), builder.add_value(LINE)
    chosen = builder.append(ew.where, (builder.append(ew.equal, (x, x)), x, y))
    graph = builder.finish([("x", x), ("y", y)], [("z", chosen)])
    zeros = np.array([-0.0, 0.0, -0.0, 1.0], np.float32)
    (got,) = run_model(to_onnx(graph), {"x": zeros, "y": X})
    assert np.signbit(got).tolist() == np.signbit(zeros).tolist()


def test_halves_round_after_every_node():
    """ONNX Runtime alone computes a run of float16 nodes in float32 and rounds at its end."""
    half = TensorType(np.dtype(np.float16), (1,))
    builder = GraphBuilder()
    x, y = builder.add_value(half), builder.add_value(half)
    back = builder.append(ew.subtract, (builder.append(ew.add, (x, y)), x))
    graph = builder.finish([("x", x), ("y", y)], [("z", back)])
    feeds = {"x": np.array([2048], np.float16), "y": np.array([1], np.float16)}
    assert run_model(to_onnx(graph), feeds)[0].tolist() == [0.0]


def test_sums_of_repeated_positions_lose_nothing():
    """ONNX Runtime's ScatterND adds from several threads at once."""
    from ir.ops.indexing import ScatterND

    count = 200_000
    types = LINE, TensorType(np.dtype(np.int64), (count, 1)), TensorType(F32, (count,))
    feeds = {
        "x0": np.zeros(4, np.float32),
        "x1": (np.arange(count) % 4).reshape(-1, 1),
        "x2": np.ones(count, np.float32),
    }
    model = to_onnx(chain(ScatterND("add"), *types))
    assert run_model(model, feeds)[0].tolist() == [count / 4] * 4
