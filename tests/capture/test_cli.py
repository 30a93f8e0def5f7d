"""The command line: ``export``, ``convert``, ``doctor``, and once as a process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from capture.cli import main
from capture.cli_errors import ExitCode

ROOT = Path(__file__).parent.parent.parent
X = "x:float32[batch,4]"
pytestmark = pytest.mark.usefixtures("folder")


def test_export_writes_both_files_and_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["export", "program:predict", "--input", X, "-o", "model.onnx",
                 "--json", "model.json", "--verify", "--opset", "18"])  # fmt: skip
    out, err = capsys.readouterr()
    assert code == 0
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith(
        "captured predict: x f32[batch,4] -> output f32[batch,3], 4 nodes ("
    )
    assert lines[1].startswith("wrote model.onnx (")
    assert ": opset 18, needs onnxruntime 1.23.2 or later, same numbers in " in lines[1]
    assert lines[2].startswith("wrote model.json (")
    assert (folder / "model.onnx").stat().st_size > 0


def test_export_puts_weights_beside_the_model(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "program:enlarged", "--input", X, "-o", "model.onnx"]
    assert main([*words, "--external-data", "always"]) == 0
    assert re.search(r"and model\.onnx\.[0-9a-f]{16}\.data \(", capsys.readouterr().err)
    assert main([*words, "--external-data", "never"]) == 0
    assert ".data" not in capsys.readouterr().err


def test_quiet_leaves_only_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export", "program:unused", "--input", "x:f32[3]", "--input", "y:f32[]"]
    assert main([*words, "-o", "m.onnx", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == ("warning: input 'y' is not used by any output; it stays in the graph\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["program:branch", "--input", X], ExitCode.NOT_CAPTURED),
        (["program:no_outputs", "--input", X], ExitCode.NOT_EXPORTED),
        (["program:predict", "--input", X, "--opset", "99"], ExitCode.NOT_EXPORTED),
        (["program:interrupted", "--input", X], ExitCode.INTERRUPTED),
    ],
)
def test_a_failing_export_leaves_no_file(
    folder: Path, words: list[str], code: ExitCode
) -> None:
    before = sorted(folder.iterdir())
    assert main(["export", *words, "-o", "m.onnx", "--json", "m.json"]) == code
    assert sorted(folder.iterdir()) == before


def test_a_failing_export_keeps_the_older_file(folder: Path) -> None:
    (folder / "m.onnx").write_bytes(b"older")
    words = ["export", "program:predict", "--input", X, "-o", "m.onnx"]
    assert main([*words, "--opset", "99"]) == ExitCode.NOT_EXPORTED
    assert (folder / "m.onnx").read_bytes() == b"older"


@pytest.mark.usefixtures("model")
def test_convert_gives_the_bytes_of_export(folder: Path) -> None:
    assert main(["convert", "model.json", "again.onnx", "--verify"]) == 0
    assert (folder / "again.onnx").read_bytes() == (folder / "model.onnx").read_bytes()


def test_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert f"\nnumpy          {np.__version__}\n" in out
    assert out.endswith("trial          capture, export and ONNX Runtime work together\n")
    assert main(["doctor", "--json-output"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is True
    assert document["opsets"]["oldest"] == 17
    assert document["kernel_table"]["installed_runtime"].startswith("onnxruntime ")


def test_python_m_capture(folder: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "capture", "export", "program:predict", "--input", X,
         "-o", "model.onnx", "--verify"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (0, "")
    assert "same numbers in ONNX Runtime" in result.stderr
    assert "\x1b" not in result.stderr
    assert (folder / "model.onnx").exists()
