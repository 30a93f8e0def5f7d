"""The command line: inputs and values as they are written, and usage errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from capture.cli import main
from capture.cli_errors import ExitCode

pytestmark = pytest.mark.usefixtures("folder")


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
    np.save("example.npy", np.zeros((2, 4)))
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["exprt"], "; did you mean export?"),
        (["export"], "the following arguments are required: MODULE:FUNCTION"),
        (["show", "a", "--what"], "unrecognized arguments: --what"),
        (["draw", "a", "--format", "mermaids"], "; did you mean mermaid?"),
    ],
)
def test_words_that_do_not_parse(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == ExitCode.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.splitlines()[1].startswith("  see graph-capture")
    assert main([*words, "--json-output"]) == ExitCode.USAGE
    document = json.loads(capsys.readouterr().out)
    assert message in document["error"]


def test_without_words_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == ExitCode.USAGE
    assert capsys.readouterr().out.startswith("usage: graph-capture")


@pytest.mark.parametrize(
    "words",
    [["--help"], *([c, "--help"] for c in ("export", "show", "verify", "run", "convert"))],
)
def test_help_has_examples(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert "examples:\n  graph-capture " in capsys.readouterr().out


def test_a_model_is_no_program(capsys):
    assert main(["draw", "model.onnx"]) == 2
    assert (
        "model.onnx: is a model already; graph-capture show prints" in capsys.readouterr().err
    )
