"""Provenance: names from scopes and functions, source lines, docs, producer, oldest runtime."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import onnx
import pytest

import capture
from capture import CaptureDevice, TensorSpec, capture_scope, name_scope
from exporters import OnnxExporter, from_json, to_json, to_onnx, verify
from exporters.onnx import export
from exporters.onnx.kernels import MINIMAL_RUNTIME, kernel_versions, oldest_runtime
from exporters.onnx.summary import summarize
from ir.builder import GraphBuilder
from ir.ops import OPS
from ir.types import BFLOAT16, TensorType

ROWS = TensorSpec(("n", 4), np.float32)
SQUARE = np.eye(4, dtype=np.float32)


def node_names(model: onnx.ModelProto) -> list[str]:
    return [node.name for node in model.graph.node]


@capture.function
def attend(x):
    with name_scope("inner"):
        return np.tanh(x) @ SQUARE


@capture.function(inline=True)
def shift(x):
    return x + 1


@name_scope("encoder")
def encoder(x):
    with name_scope("attn/first"):
        x = attend(x)
    with name_scope("attn/second"):
        x = attend(x)
    return shift(x) @ SQUARE


# --- names --------------------------------------------------------------------------------


def test_nodes_are_named_by_scopes_and_functions():
    model = to_onnx(capture.trace(lambda x: np.exp(encoder(x)), ROWS))
    assert node_names(model) == [
        "encoder/attn/first/attend",
        "encoder/attn/second/attend",
        "encoder/shift/add",
        "encoder/matmul",
        "output",
    ]
    (function,) = model.functions
    assert [node.name for node in function.node][-3:-1] == ["inner/tanh", "inner/matmul"]
    assert len({name for node in model.graph.node for name in node.output}) == 5


def test_a_repeated_name_is_numbered_and_an_output_keeps_its_own():
    def program(x):
        with name_scope("block"):
            return np.exp(np.exp(np.exp(x)))

    model = to_onnx(capture.trace(program, ROWS))
    assert node_names(model) == ["block/exp", "block/exp_2", "block/output"]
    assert model.graph.node[-1].output == ["output"]


@pytest.mark.parametrize("function", [np.exp, np.arctan2], ids=["one node", "several"])
def test_a_value_called_as_an_output_is_numbered(function):
    """ONNX Runtime refuses two nodes of one name."""

    @name_scope("block")
    def program(x):
        output = function(x, *[x] * (function.nin - 1))
        return function(output, *[x] * (function.nin - 1)) + output

    graph = capture.trace(program, ROWS)
    names = node_names(to_onnx(graph))
    assert len(set(names)) == len(names)
    assert names[-1] == "block/output"
    assert verify(graph).ok


def test_rules_of_several_nodes_and_bodies_stay_in_their_scope():
    def body(k, x):
        with name_scope("step"):
            return np.arctan2(x, k + 1)

    def program(x):
        with name_scope("loop"):
            return capture.fori_loop(0, 3, body, x)

    graph = capture.trace(program, ROWS)
    model = to_onnx(graph)
    assert all(name.startswith("loop/") for name in node_names(model))
    (loop,) = [node for node in model.graph.node if node.op_type == "Loop"]
    (inner,) = [a.g for a in loop.attribute if a.HasField("g")]
    assert any(node.name.startswith("loop/step/") for node in inner.node)
    assert from_json(to_json(graph)) == graph
    assert verify(graph).ok


def test_odd_characters_of_scopes_are_replaced():
    def program(x):
        with name_scope("größe one/two"):
            return np.exp(x) + 1

    assert node_names(to_onnx(capture.trace(program, ROWS)))[0] == "gr_e_one/two/exp"


def test_a_scope_is_left_when_its_body_raises():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (4,))
        with pytest.raises(KeyError), name_scope("failing"):
            raise KeyError
        scope.output("y", np.exp(x))
    assert [node.scope for node in scope.graph.nodes] == [""]


def test_a_scope_does_nothing_where_nothing_is_captured():
    x = np.ones((2, 4), np.float32)
    assert encoder(x).shape == (2, 4)


@pytest.mark.parametrize("name", ["", "/", "a//b", "a/"])
def test_a_scope_needs_a_name(name):
    with pytest.raises(ValueError, match="a name scope needs a name"), name_scope(name):
        pass


def test_a_replayed_graph_keeps_its_scopes_below_the_current_one():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (4,))
        with name_scope("block"):
            y = np.exp(x)
        graph = scope.relative_graph(outputs={"y": y})
        bindings = capture.GraphBindings({"x": np.float32([1, 2, 3, 4]) + y})
        with name_scope("again"):
            again = scope.client.register_and_execute_graph(1, graph, bindings)["y"]
        scope.output("z", again)
    assert [node.scope for node in scope.graph.nodes] == ["block", "", "again/block"]


# --- texts --------------------------------------------------------------------------------


def test_docs_of_inputs_and_outputs():
    with capture_scope(CaptureDevice(), metadata={"author": "me"}) as scope:
        x = scope.input("x", (4,), doc="pixels, 0 to 1")
        scope.output("y", np.exp(x), doc="scores")
    model = to_onnx(from_json(to_json(scope.graph)))
    assert model.graph.input[0].doc_string == "pixels, 0 to 1"
    assert model.graph.output[0].doc_string == "scores"
    assert [entry.key for entry in model.metadata_props] == ["author", MINIMAL_RUNTIME]


def test_the_producer_version_is_that_of_the_project():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["project"]["version"] == export.VERSION


def test_no_absolute_path_gets_into_a_file():
    graph = capture.trace(lambda x: encoder(x), ROWS)
    for text in (to_json(graph), str(to_onnx(graph))):
        assert "tests/exporters/test_onnx_provenance.py" in text
        assert not re.search(r'"/\w', text)


def test_lines_are_relative_to_the_folder_of_import_wherever_python_runs(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text(
        "import numpy as np\nimport capture\nfrom capture import TensorSpec\n"
        "graph = capture.trace(lambda x: np.exp(x), TensorSpec((2,)))\n"
        "print(graph.nodes[0].location)\n"
    )
    command = [sys.executable, "-c", "import package.module"]
    path = f"{tmp_path}:{Path(__file__).parents[2]}"
    for where in (tmp_path, tmp_path / "package", "/"):
        done = subprocess.run(
            command, cwd=where, env={"PYTHONPATH": path}, capture_output=True, check=True
        )
        assert done.stdout == b"package/module.py:4\n"


# --- the oldest runtime -------------------------------------------------------------------


def test_the_oldest_runtime_comes_from_the_opset_and_every_kernel():
    f32, bf16 = np.dtype(np.float32), BFLOAT16
    oldest = f"onnxruntime {kernel_versions()[0]}"
    assert oldest_runtime([("Exp", f32)], 20) == oldest
    assert oldest_runtime([("Exp", f32), ("If", f32)], 17) == oldest
    assert oldest_runtime([("Exp", f32)], 26) not in (oldest, None)
    assert oldest_runtime([("Exp", f32), ("Tan", bf16)], 20) is None
    assert oldest_runtime([], 99) is None


def test_a_file_says_what_it_needs(tmp_path):
    graph = capture.trace(lambda x: encoder(x), ROWS, name="g")
    found = {}
    for opset in (17, 20, 26):
        path = tmp_path / f"{opset}.onnx"
        OnnxExporter(path, opset=opset, metadata={MINIMAL_RUNTIME: "of another file"}).export(
            graph
        )
        found[opset] = summarize(path)
    assert found[17].minimal_runtime == found[20].minimal_runtime == "onnxruntime 1.23.2"
    assert found[26].minimal_runtime != found[20].minimal_runtime
    assert str(found[20]).endswith("needs onnxruntime 1.23.2 or later")


def test_the_plain_form_may_run_nowhere():
    builder = GraphBuilder()
    x = builder.add_value(TensorType(np.dtype(np.float64), (2,)))
    y = builder.append(OPS["tan"], (x,))
    graph = builder.finish([("x", x)], [("y", y)])
    plain = to_onnx(graph, target="standard")
    assert [entry.key for entry in plain.metadata_props] == []
    assert [entry.key for entry in to_onnx(graph).metadata_props] == [MINIMAL_RUNTIME]
