"""The command line: ``run``, ``verify``, and files that hold something else."""

from __future__ import annotations

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from capture.cli import main
from capture.cli_errors import ExitCode

X = "x:float32[batch,4]"
pytestmark = pytest.mark.usefixtures("folder")


def rows(dtype: type = np.float32) -> np.ndarray:
    return np.linspace(-1, 1, 8, dtype=dtype).reshape(2, 4)


def expected(x: np.ndarray) -> np.ndarray:
    z = x @ (np.arange(12, dtype=np.float32).reshape(4, 3) / 10)
    return np.exp(z - z.max(axis=1, keepdims=True))


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("name", ["model.onnx", "model.json"])
def test_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("in.npz", x=rows())
    assert main(["run", name, "--inputs", "in.npz", "-o", "out.npz"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == "wrote out.npz: output"
    with np.load("out.npz") as archive:
        np.testing.assert_allclose(archive["output"], expected(rows()), rtol=1e-5)
    assert main(["-q", "run", name, "--inputs", "in.npz"]) == 0
    assert capsys.readouterr().out.startswith("output: f32[2,3]\n[[")


@pytest.mark.parametrize("name", ["m.onnx", "m.json"])
def test_run_with_bfloat16_and_an_output_called_file(name: str) -> None:
    words = ["-q", "export", "program:scaled", "--input", "x:bfloat16[3]"]
    assert main([*words, "-o", "m.onnx", "--json", "m.json"]) == 0
    np.savez("in.npz", x=np.arange(3).astype(ml_dtypes.bfloat16))
    assert main(["-q", "run", name, "--inputs", "in.npz", "-o", "out.npz"]) == 0
    with np.load("out.npz") as archive:
        assert archive["file"].view(ml_dtypes.bfloat16).tolist() == [0, 2, 4]


@pytest.mark.usefixtures("model")
def test_run_refuses_what_does_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("wide.npz", x=rows(np.float64))
    np.savez("other.npz", z=rows())
    np.savez("objects.npz", x=np.array([None]))
    messages = {
        ("model.json", "wide.npz"): "input 'x': expected f32[batch,4], got f64[2,4]",
        ("model.json", "other.npz"): "predict: no input 'z'; inputs are ['x']",
        ("model.onnx", "other.npz"): "model.onnx: no input 'z'; inputs are ['x']",
        ("model.onnx", "objects.npz"): "objects.npz: no .npz file of plain arrays: Object "
        "arrays cannot be loaded when allow_pickle=False",
    }
    for (model, inputs), message in messages.items():
        assert main(["run", model, "--inputs", inputs, "-o", "out.npz"]) == ExitCode.FAILED
        out, err = capsys.readouterr()
        assert (out, err.splitlines()[0]) == ("", f"error: {message}")
    assert main(["run", "model.onnx", "--inputs", "wide.npz"]) == ExitCode.FAILED
    assert "Unexpected input data type" in capsys.readouterr().err
    assert not Path("out.npz").exists()


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    "words", [["model.json"], ["model.onnx"], ["model.onnx", "--reference", "model.json"]]
)
def test_verify_agrees(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("in.npz", x=rows())
    assert main(["verify", *words]) == 0
    out = capsys.readouterr().out
    assert out.startswith("ONNX Runtime agrees with the interpreter of 'predict'\noutput ")
    assert main(["verify", *words, "--inputs", "in.npz", "--json-output"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is True
    assert {row["actual"] for row in document["outputs"]} == {"f32[2,3]"}


@pytest.mark.usefixtures("model")
def test_verify_finds_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-q", "export", "program:twice", "--input", X, "--json", "other.json"]
    assert main(words) == 0
    words = ["verify", "model.onnx", "--reference", "other.json"]
    assert main(words) == ExitCode.FAILED
    assert capsys.readouterr().out.startswith(
        "ONNX Runtime DIFFERS from the interpreter of 'twice'\n"
    )
    assert main([*words, "--json-output"]) == ExitCode.FAILED
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert document["outputs"][0]["max_abs"] is None


@pytest.mark.usefixtures("model")
def test_verify_without_reference_and_with_wrong_inputs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "model.json").unlink()
    assert main(["verify", "model.onnx"]) == 0
    assert "agrees with its own unoptimised run" in capsys.readouterr().out
    np.savez("other.npz", z=rows())
    assert main(["-q", "verify", "model.onnx", "--inputs", "other.npz", "--json-output"]) == 1
    out, err = capsys.readouterr()
    message = "other.npz: no input 'z'; inputs are ['x']"
    document = json.loads(out)
    assert (document["ok"], document["exit_code"], document["error"]) == (False, 1, message)
    assert err == f"error: {message}\n"


@pytest.mark.parametrize("content", [b"", b"hello", b"\x08\x09\x12\xff"])
def test_files_that_hold_something_else(
    folder: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.onnx", "b.json"):
        (folder / name).write_bytes(content)
        for command in ("show", "verify", "run"):
            assert main([command, name]) == ExitCode.FAILED
            out, err = capsys.readouterr()
            assert out == ""
            assert "Traceback" not in err
            assert "internal error" not in err
    assert main(["convert", "b.json", "c.onnx"]) == ExitCode.FAILED
    assert capsys.readouterr().err.startswith("error: b.json: json: ")
    assert not (folder / "c.onnx").exists()
