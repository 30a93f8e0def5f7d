"""The command line, through ``main`` and once as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from capture.cli import main
from capture.cli_errors import ExitCode, failure

ROOT = Path(__file__).parent.parent.parent
SOURCE = """\
import numpy as np

W = np.arange(12, dtype=np.float32).reshape(4, 3) / 10


def predict(x):
    z = x @ W
    return np.exp(z - z.max(axis=1, keepdims=True))


def branch(x):
    if x.sum() > 0:
        return x
    return -x


def broken(x):
    return x + missing_name


def nothing(x):
    x + 1


def scaled(x, k=2, *, mode="up"):
    print("printed by the program")
    return {"file": x * k if mode == "up" else x / k}


def unused(x, y):
    return x + 1


def half(x):
    return x[: x.shape[0] // 2]


def twice(x):
    return x + x


def no_outputs(x):
    return {}


def interrupted(x):
    raise KeyboardInterrupt
"""
X = "x:float32[batch,4]"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program, made the current one; the module is new in every test."""
    (tmp_path / "program.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "faulty.py").write_text("import no_such_package_here\n", encoding="utf-8")
    (tmp_path / "unclosed.py").write_text("def f(x:\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("program", "faulty", "unclosed"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


@pytest.fixture
def model() -> None:
    assert main(["-q", "export", "program:predict", "--input", X,
                 "-o", "model.onnx", "--json", "model.json"]) == 0  # fmt: skip


def rows(dtype: type = np.float32) -> np.ndarray:
    return np.linspace(-1, 1, 8, dtype=dtype).reshape(2, 4)


def expected(x: np.ndarray) -> np.ndarray:
    z = x @ (np.arange(12, dtype=np.float32).reshape(4, 3) / 10)
    return np.exp(z - z.max(axis=1, keepdims=True))


# --- export and convert -------------------------------------------------------------------


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
    assert ": opset 18, same numbers in ONNX Runtime (" in lines[1]
    assert lines[2].startswith("wrote model.json (")
    assert (folder / "model.onnx").stat().st_size > 0


def test_export_puts_weights_beside_the_model(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "program:predict", "--input", X, "-o", "model.onnx"]
    assert main([*words, "--external-data", "always"]) == 0
    assert "and model.onnx.data (" in capsys.readouterr().err
    assert main([*words, "--external-data", "never"]) == 0
    assert "model.onnx.data" not in capsys.readouterr().err


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


# --- inputs and values --------------------------------------------------------------------


def shown(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["show", *words]) == 0
    return capsys.readouterr().out.partition("\n")[0]


@pytest.mark.parametrize(
    ("words", "first_line"),
    [
        (["--input", "x:bf16[2,3]"], "graph twice(%x: bf16[2,3]) {"),
        (["--input", "x:bool"], "graph twice(%x: bool[]) {"),
        (["--input", "x:int64[n, max(n,3), ?]"], "graph twice(%x: i64[n,max(n,3),x_2]) {"),
        (["--input", "x=example.npy"], "graph twice(%x: f64[2,4]) {"),
        (
            ["--input", "x=example.npy", "--dynamic", "x:0=batch"],
            "graph twice(%x: f64[batch,4]) {",
        ),
        (["--input", "x=example.npy", "--dynamic", "all"], "graph twice(%x: f64[x_0,x_1]) {"),
        (["--input", "x:f32[3]", "--name", "other"], "graph other(%x: f32[3]) {"),
    ],
)
def test_inputs(words: list[str], first_line: str, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("example.npy", rows(np.float64))
    assert shown(["program:twice", *words], capsys) == first_line


def test_static_values_and_files_and_the_programs_own_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["show", "program.py:scaled", "--input", "x:f32[3]", "--arg", "k=2.5"]
    assert main([*words, "--arg", "mode=down"]) == 0
    out, err = capsys.readouterr()
    assert "divide %x, %0" in out
    assert "= 2.5" in out
    assert "printed by the program" in err


USAGE = [
    (["program"], "program: expected module:function, as in model:predict"),
    (["program:twiec"], "program:twiec: the module has no 'twiec'; did you mean twice?"),
    (["program:W"], "program:W: W is a ndarray, not a function"),
    (
        ["program:twice"],
        "twice(x): nothing is given for 'x'; for an array --input 'x:float32[batch,4]', "
        "for a fixed value --arg x=3",
    ),
    (["program:twice", "--input", "y:f32"], "twice(x) has no parameter 'y'"),
    (
        ["program:twice", "--input", "x"],
        "--input x: expected name:dtype[shape], as in --input x:float32[batch,784] (quote it "
        "in a shell that expands brackets), or name=example.npy",
    ),
    (
        ["program:twice", "--input", "x=gone.npy"],
        "--input x=gone.npy: there is no file gone.npy",
    ),
    (
        ["program:twice", "--input", "x:f33[2]"],
        "--input x:f33[2]: no dtype 'f33'; dtypes are bool, int8, int16, int32, int64, uint8, "
        "uint16, uint32, uint64, float16, bfloat16, float32, float64",
    ),
    (
        ["program:twice", "--input", "x:f32[-1]"],
        "--input x:f32[-1]: the size -1 is negative; write ? for an unknown size",
    ),
    (
        ["program:twice", "--input", "x:f32[2]", "--input", "x:f32"],
        "--input x:f32: 'x' is given twice",
    ),
    (
        ["program:twice", "--input", "x:f32[2]", "--dynamic", "x:1=n"],
        "--dynamic x:1=n: 'x' has 1 axes",
    ),
    (
        ["program:twice", "--input", "x:f32[2]", "--dynamic", "batch"],
        "--dynamic batch: expected input:axis=symbol, as in --dynamic x:0=batch, or all",
    ),
    (
        ["program:twice", "--input", "x:f32[n]", "--bound", "m=1:2"],
        "--bound m=1:2: no input has this symbol; symbols are n",
    ),
    (
        ["program:twice", "--input", "x:f32[n]", "--bound", "n=1"],
        "--bound n=1: expected symbol=min:max, as in --bound batch=1:64",
    ),
    (
        ["program:twice", "--input", "x:f32", "--arg", "x=1"],
        "'x' is given by --input and by --arg",
    ),
    (["program:twice", "--arg", "k"], "--arg k: expected name=value, as in --arg k=3"),
    (
        ["program:twice", "--input", "x:f32", "--name", "a b"],
        "--name a b: a graph's name is an identifier",
    ),
    (["gone.json"], "there is no file gone.json"),
]


@pytest.mark.parametrize(("words", "message"), USAGE, ids=[m for _, m in USAGE])
def test_usage_errors(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", *words]) == ExitCode.USAGE
    assert capsys.readouterr() == ("", f"error: {message}\n")


def test_a_missing_module_is_a_usage_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "progam:twice"]) == ExitCode.USAGE
    assert capsys.readouterr().err == (
        f"error: no module 'progam' in {folder} or among the installed packages; "
        "did you mean program?\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "nothing to write: give -o model.onnx, --json model.json or both"),
        (
            ["--json", "m.json", "--verify"],
            "--verify compares the ONNX file: give -o model.onnx too",
        ),
        (["-o", "gone/m.onnx"], "gone/m.onnx: there is no folder gone"),
        (["-o", "m.txt"], "m.txt: expected a name that ends in .onnx"),
    ],
)
def test_usage_errors_of_export(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "program:twice", "--input", "x:f32", *words]) == ExitCode.USAGE
    assert capsys.readouterr() == ("", f"error: {message}\n")


@pytest.mark.parametrize("words", [[], ["frobnicate"], ["export"], ["show", "a", "--what"]])
def test_argparse_errors(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == ExitCode.USAGE
    assert "usage: graph-capture" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["--help"], *([c, "--help"] for c in ("export", "show", "verify", "run", "convert"))],
)
def test_help_has_examples(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert "examples:\n  graph-capture " in capsys.readouterr().out


# --- programs that cannot be captured -----------------------------------------------------


def test_errors_name_the_users_line_and_the_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "program:branch", "--input", X]) == ExitCode.NOT_CAPTURED
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith("error: bool() of a captured bool[]: its concrete value is not")
    assert lines[1] == f"  at {folder}/program.py:12: if x.sum() > 0:"
    assert lines[2].startswith("  ways out: np.where(condition, a, b)")
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("program", "first", "at"),
    [
        (
            "program:broken",
            "broken raised NameError: name 'missing_name' is not defined",
            "program.py:18: return x + missing_name",
        ),
        (
            "program:nothing",
            "trace: the function returned None; return the arrays it computes",
            "program.py:21: def nothing(x):",
        ),
        (
            "faulty:f",
            "importing faulty raised ModuleNotFoundError: No module named 'no_such_package_here'",
            "faulty.py:1: import no_such_package_here",
        ),
        (
            "unclosed.py:f",
            "importing unclosed.py raised SyntaxError: '(' was never closed (unclosed.py, line 1)",
            "unclosed.py:1: def f(x:",
        ),
    ],
)
def test_errors_of_the_program(
    folder: Path, program: str, first: str, at: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", program, "--input", X]) == ExitCode.NOT_CAPTURED
    prefix = "" if program.startswith("unclosed") else f"{folder}/"
    assert capsys.readouterr().err == f"error: {first}\n  at {prefix}{at}\n"


def test_debug_adds_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--debug", "show", "program:broken", "--input", X]) == ExitCode.NOT_CAPTURED
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):")
    assert "error: broken raised NameError" in err


def test_interruption(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "program:interrupted", "--input", X]) == ExitCode.INTERRUPTED
    assert capsys.readouterr() == ("", "error: interrupted\n")


def test_the_import_path_is_restored() -> None:
    before = list(sys.path)
    main(["-q", "show", "program.py:twice", "--input", X])
    assert sys.path == before


def test_a_bug_of_ours_is_called_one() -> None:
    assert failure(KeyError("q")) == (
        "internal error: KeyError: 'q'\n  this is a bug in graph-capture; --debug shows where",
        ExitCode.FAILED,
    )


# --- show ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("model")
def test_show_prints_the_graph_with_source_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json"]) == 0
    from_file = capsys.readouterr()
    assert "\n  %1 = matmul %x, %0 : f32[batch,3]" in from_file.out
    assert "# program.py:7\n" in from_file.out
    assert from_file.err == ""
    assert main(["show", "program:predict", "--input", X]) == 0
    assert capsys.readouterr().out == from_file.out


@pytest.mark.usefixtures("model")
def test_show_one_node(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json", "--node", "%2"]) == 0
    assert capsys.readouterr().out == (
        "%2 : f32[batch,1]\n"
        "  op        max {axes=[1], keepdims=true}\n"
        "  operand   %1 : f32[batch,3]\n"
        f"  line      {folder}/program.py:8: "
        "return np.exp(z - z.max(axis=1, keepdims=True))\n"
        "  function  predict\n"
        "  used by   %3 = subtract\n"
    )
    assert main(["show", "model.json", "--node", "output", "--json-output"]) == 0
    node = json.loads(capsys.readouterr().out)
    assert (node["op"], node["operands"], node["returned_as"]) == ("exp", ["3"], ["output"])
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
    assert json.loads(capsys.readouterr().out) == [
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
    assert text.startswith("onnx predict(%x: f32[batch,4]) {\n  %constant = initializer")
    assert "= MatMul %x, %constant " in text
    assert "return %output: f32[batch,3]" in text
    assert main(["show", "model.onnx", "--stats", "--json-output"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["opset"], document["ops"]["MatMul"]) == (20, 1)
    assert main(["show", "model.onnx", "--symbols"]) == ExitCode.USAGE


# --- run ----------------------------------------------------------------------------------


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
        assert capsys.readouterr() == ("", f"error: {message}\n")
    assert main(["run", "model.onnx", "--inputs", "wide.npz"]) == ExitCode.FAILED
    assert "Unexpected input data type" in capsys.readouterr().err
    assert not Path("out.npz").exists()


# --- verify -------------------------------------------------------------------------------


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
    assert json.loads(out) == {"ok": False, "exit_code": 1, "error": message}
    assert err == f"error: {message}\n"


# --- files that are none ------------------------------------------------------------------


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


# --- doctor, and the command as a process --------------------------------------------------


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
