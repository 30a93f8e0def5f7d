"""The command line: ``show``."""

from __future__ import annotations

import json

import pytest

from capture.cli import main
from capture.cli_errors import ExitCode

X = "x:float32[batch,4]"
pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.usefixtures("model")
def test_show_prints_the_graph_with_source_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json"]) == 0
    from_file = capsys.readouterr()
    assert "\n  %z = matmul %x, %W : f32[batch,3]" in from_file.out
    assert "# program.py:7\n" in from_file.out
    assert from_file.err == ""
    assert main(["show", "program:predict", "--input", X]) == 0
    assert capsys.readouterr().out == from_file.out


@pytest.mark.usefixtures("model")
def test_show_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json", "--node", "%0"]) == 0
    assert capsys.readouterr().out == (
        "%0 : f32[batch,1]\n"
        "  op        max {axes=[1], keepdims=true}\n"
        "  operand   %z : f32[batch,3]\n"
        "  line      program.py:8: "
        "return np.exp(z - z.max(axis=1, keepdims=True))\n"
        "  function  predict\n"
        "  used by   %1 = subtract\n"
    )
    assert main(["show", "model.json", "--node", "output", "--json-output"]) == 0
    node = json.loads(capsys.readouterr().out)
    assert (node["op"], node["operands"], node["returned_as"]) == ("exp", ["1"], ["output"])
    assert main(["show", "model.json", "--node", "outpt"]) == ExitCode.USAGE
    assert capsys.readouterr().err == (
        "error: predict: no value 'outpt'; did you mean output?\n"
    )


def test_show_symbols(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-q", "show", "program:half", "--input", "x:f32[n,4]", "--bound", "n=2:8"]
    assert main([*words, "--symbols"]) == 0
    text = capsys.readouterr().out
    assert text == "2 <= n <= 8, axis 0 of %x, in the types of 2 values\n"
    assert main([*words, "--symbols", "--json-output"]) == 0
    assert json.loads(capsys.readouterr().out)["symbols"] == [
        {"name": "n", "min": 2, "max": 8, "defined_by": "x", "axis": 0, "mentions": 2}
    ]


@pytest.mark.usefixtures("model")
def test_show_counts_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json", "--stats"]) == 0
    assert capsys.readouterr().out.endswith("symbols: batch\n")
    assert main(["show", "model.json", "--stats", "--json-output"]) == 0
    assert json.loads(capsys.readouterr().out)["nodes"] == 4
    assert main(["show", "model.json", "--json-output"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["inputs"] == {"x": "f32[batch,4]"}
    assert document["outputs"] == {"output": "f32[batch,3]"}
    assert [value["op"] for value in document["values"]] == [
        None, None, "matmul", "max", "subtract", "exp",
    ]  # fmt: skip


@pytest.mark.usefixtures("model")
def test_show_onnx(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.onnx"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("onnx predict(%x: f32[batch,4]) {\n  %W = initializer")
    assert "= MatMul %x, %W " in text
    assert "return %output: f32[batch,3]" in text
    assert main(["show", "model.onnx", "--stats", "--json-output"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["opset"], document["ops"]["MatMul"]) == (20, 1)
    assert main(["show", "model.onnx", "--symbols"]) == ExitCode.USAGE
