"""Verification: what agrees passes, what differs is named with its line."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import onnx
import pytest

from exporters.errors import ExportError, VerificationError
from exporters.onnx import OnnxExporter, to_onnx
from exporters.onnx.fusion.normalizations import Softmax
from exporters.running import run_model
from exporters.verification import first_divergence, verify
from exporters.verification_comparison import TOLERANCES
from exporters.verification_precision import tolerances
from ir.builder import GraphBuilder
from ir.dims import Dim
from ir.graph import Graph
from ir.locations import portable_path
from ir.ops import elementwise as ew
from ir.ops import indexing as idx
from ir.ops import reduction as red
from ir.ops.base import Op
from ir.ops.linear_algebra import matmul
from ir.types import BFLOAT16, TensorType
from tests.exporters.onnx_checks import chain

F32 = np.dtype(np.float32)


def program() -> Graph:
    builder = GraphBuilder()
    n = Dim("n", min=2, max=6)
    x = builder.add_value(TensorType(F32, (n, 3)))
    y = builder.append(ew.exp, (x,), program.__code__, 0)
    return builder.finish([("x", x)], [("y", builder.append(red.Sum((1,)), (y,)))], name="p")


def test_a_graph_agrees_with_its_interpreter():
    report = verify(program())
    assert report.ok
    assert report.first_divergence is None
    lines = str(report).splitlines()
    assert lines[0] == "ONNX Runtime agrees with the interpreter of 'p'"
    assert lines[1].split() == ["output", "type", "max", "abs", "max", "rel", "verdict"]
    assert [line.split()[:2] for line in lines[2:]] == [["y", "(optimised)"], ["y", "(plain)"]]


def test_given_inputs_and_references():
    x = np.ones((4, 3), np.float32)
    assert verify(program(), x).ok
    assert verify(to_onnx(program()), x, reference=lambda x: np.exp(x).sum(1)).ok
    assert verify(to_onnx(program()).SerializeToString(), reference=program()).ok


def test_the_reference_evaluator_if_asked(tmp_path):
    report = verify(program(), evaluator=True)
    assert [row.name for row in report.differences][-1] == "y (evaluator)"
    path = tmp_path / "m.onnx"
    OnnxExporter(path).export(program())
    for model in (path, path.read_bytes()):
        assert verify(model, reference=program(), evaluator=True).ok
    large = np.ones(300, np.float32)
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (300,)))
    w = builder.add_value(TensorType(F32, (300,)), "w", large)
    graph = builder.finish([("x", x)], [("y", builder.append(ew.add, (x, w)))])
    OnnxExporter(path, external_data=True).export(graph)
    assert verify(path, reference=graph, evaluator=True).ok
    model = onnx.load(path, load_external_data=False)
    assert verify(model, reference=graph, weights={"w": large}, evaluator=True).ok


def test_a_file_by_itself(tmp_path):
    path = tmp_path / "m.onnx"
    OnnxExporter(path).export(program())
    report = verify(path)
    assert report.ok
    assert report.compared == "its own unoptimised run"
    assert verify(str(path), reference=program()).ok


class WrongExp(Op):
    """Evaluates as another function than it exports as."""

    name = "wrong_exp"

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        return operands

    def evaluate(self, *operands: np.ndarray) -> tuple[np.ndarray, ...]:
        return (np.exp(operands[0]) + np.float32(0.5),)


@pytest.fixture
def wrong(monkeypatch):
    from exporters.onnx.lowering import LOWERINGS, Lowering

    monkeypatch.setitem(LOWERINGS, WrongExp, Lowering(lambda c, x: x.function("Exp"), 17))
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (3,)))
    y = builder.append(ew.negative, (x,))
    z = builder.append(WrongExp(), (y,), program.__code__, 0)
    return builder.finish([("x", x)], [("z", builder.append(ew.square, (z,)))])


def test_a_difference_names_its_node_and_line(wrong):
    with pytest.raises(VerificationError, match="DIFFERS from the interpreter") as caught:
        verify(wrong)
    assert isinstance(caught.value, ExportError)
    assert isinstance(caught.value, AssertionError)
    line = program.__code__.co_firstlineno
    source = f"{portable_path(__file__)}:{line}"
    assert f"first divergence: wrong_exp: f32[3] at {source}\n" in str(caught.value)
    x = np.float32([0, 1, 2])
    report = verify(wrong, x, raise_on_mismatch=False)
    assert not report.ok
    shown = str(report.first_divergence).splitlines()[1:]
    assert shown[0] == "  operand [-0. -1. -2.]"
    assert shown[1].startswith("  expected [1.5 0.867")
    assert shown[2].startswith("  got [1. 0.367")
    assert all(row.mismatches == 3 for row in report.differences)
    assert verify(wrong, atol=10.0, rtol=10.0).ok


def test_invalid_models_are_refused():
    model = to_onnx(program())
    model.graph.node[0].op_type = "Nonsense"
    with pytest.raises(VerificationError, match="not valid ONNX"):
        verify(model)


def test_wrong_dtypes_and_shapes_are_differences():
    graph = program()
    with pytest.raises(VerificationError, match=r"f64\[3\] got f32\[3\]"):
        verify(to_onnx(graph), reference=lambda x: np.exp(x.astype(np.float64)).sum(1))
    with pytest.raises(VerificationError, match="1 outputs, the reference 2"):
        verify(to_onnx(graph), reference=lambda x: (x, x))


def test_made_up_inputs_become_tame_until_they_suit():
    data, positions = TensorType(F32, (2,)), TensorType(np.dtype(np.int64), (5,))
    assert verify(chain(idx.Take(0), data, positions)).ok
    impossible = chain(idx.Take(0), TensorType(F32, (0,)), positions)
    with pytest.raises(VerificationError, match="no made-up inputs suit"):
        verify(impossible)


@pytest.mark.parametrize("dtype", [BFLOAT16, np.dtype(bool), np.dtype(np.uint64)], ids=str)
def test_every_dtype_goes_in_and_out(dtype):
    graph = chain(
        ew.logical_not if dtype.kind == "b" else ew.positive, TensorType(dtype, (2, 0))
    )
    assert verify(graph).ok
    scalar = chain(ew.equal, TensorType(dtype, ()), TensorType(dtype, ()))
    assert verify(scalar).ok


def test_bfloat16_arrays_keep_their_bits():
    array = np.array([[1.5, -0.0], [np.nan, 3e38]], BFLOAT16)
    graph = chain(ew.positive, TensorType(BFLOAT16, (2, 2)))
    (got,) = run_model(to_onnx(graph), {"x0": array})
    assert got.dtype == BFLOAT16
    assert got.view(np.uint16).tolist() == array.view(np.uint16).tolist()


def test_a_model_from_elsewhere():
    value = onnx.helper.make_tensor_value_info
    node = onnx.helper.make_node("Relu", ["a"], ["b"])
    inputs = [value("a", onnx.TensorProto.FLOAT, ["batch size?", 3])]
    outputs = [value("b", onnx.TensorProto.FLOAT, ["batch size?", 3])]
    body = onnx.helper.make_graph([node], "g", inputs, outputs)
    imports = [onnx.helper.make_opsetid("", 20)]
    assert verify(onnx.helper.make_model(body, opset_imports=imports, ir_version=9)).ok


def test_a_difference_inside_a_fused_form_is_found(monkeypatch):
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (2, 3)))
    shifted = builder.append(ew.subtract, (x, builder.append(red.Max((1,), True), (x,))))
    powers = builder.append(ew.exp, (shifted,))
    total = builder.append(red.Sum((1,), True), (powers,))
    y = builder.append(ew.divide, (powers, total))
    graph = builder.finish([("x", x)], [("y", y)])
    feeds = {"x": np.float32([[1, 2, 3], [0, 0, 0]])}
    assert first_divergence(graph, feeds) is None
    monkeypatch.setattr(Softmax, "evaluate", lambda op, x: (np.zeros_like(x),))
    assert str(first_divergence(graph, feeds)).startswith("softmax {axis=1}: f32[2,3]")


def test_without_a_runtime_the_message_says_how_to_get_one(tmp_path):
    program = (
        "import sys; sys.modules['onnxruntime'] = None\n"
        "import numpy as np\n"
        "from capture import TensorSpec, trace\n"
        "import exporters\n"
        "from exporters import OnnxExporter, to_onnx\n"
        "from ir.errors import MissingExtraError\n"
        "graph = trace(np.tanh, TensorSpec((3,)))\n"
        "to_onnx(graph)\n"
        "checked = OnnxExporter('model.onnx', verify=True).export\n"
        "for ask in (lambda graph: exporters.verify(graph), checked):\n"
        "    try:\n"
        "        ask(graph)\n"
        "    except MissingExtraError as error:\n"
        "        print(str(error).count(\"pip install 'graph-capture[runtime]'\"))\n"
    )
    command = [sys.executable, "-c", program]
    where = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, cwd=tmp_path, env=where, capture_output=True, check=True)
    assert done.stdout.split() == [b"1", b"1"]
    assert not list(tmp_path.iterdir())


def test_float64_made_of_float32_is_as_precise_as_float32():
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (64, 64)))
    product = builder.append(matmul, (x, x))
    wide = builder.append(ew.Cast(np.dtype(np.float64)), (product,))
    y = builder.append(ew.multiply, (wide, wide))
    z = builder.append(ew.Cast(np.dtype(np.float64)), (x,))
    graph = builder.finish([("x", x)], [("y", y), ("z", builder.append(ew.exp, (z,)))])
    assert verify(graph).ok
    allowed = tolerances(graph)
    assert [allowed[value] for value in graph.outputs] == [
        TOLERANCES[F32],
        TOLERANCES[np.dtype(np.float64)],
    ]


def test_made_up_values_keep_to_given_ranges():
    builder = GraphBuilder()
    pixels = builder.add_value(TensorType(np.dtype(np.uint8), (64,)))
    x = builder.add_value(TensorType(F32, (64,)))
    graph = builder.finish([("pixels", pixels), ("x", x)], [("p", pixels), ("y", x)])
    seen = {}

    def reference(pixels, x):
        seen.update(pixels=pixels, x=x)
        return pixels, x

    ranges = {"pixels": (200, 255), "x": (5, 6)}
    assert verify(to_onnx(graph), reference=reference, ranges=ranges).ok
    assert seen["pixels"].min() >= 200
    assert seen["pixels"].max() == 255
    assert 5 <= seen["x"].min() <= seen["x"].max() <= 6
    with pytest.raises(VerificationError, match="no input is called 'q'; there are pixels, x"):
        verify(graph, ranges={"q": (0, 1)})
    with pytest.raises(VerificationError, match="'x': 2 is above 1"):
        verify(graph, ranges={"x": (2, 1)})
