"""``--json-output``: one object for every command and every outcome, as the docs list it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from capture.cli import _COMMANDS, main

DOCS = Path(__file__).parents[2] / "docs" / "cli.md"
X = "x:float32[batch,4]"
PROGRAM = ["program:predict", "--input", X]
HEAD = ["command", "ok", "exit_code", "error", "warnings"]
GOOD = {
    "completion": ["fish"],
    "convert": ["model.json", "again.onnx"],
    "coverage": ["np.median"],
    "diff": ["model.json", "model.json"],
    "doctor": [],
    "draw": ["model.json"],
    "explain": PROGRAM,
    "export": [*PROGRAM, "-o", "new.onnx", "--json", "new.json", "--verify"],
    "run": ["model.json", "--inputs", "in.npz"],
    "show": PROGRAM,
    "verify": ["model.onnx"],
}
OTHERS = [
    ["show", "model.json", "--stats"],
    ["show", "model.json", "--cost"],
    ["show", "model.json", "--node", "x"],
    ["show", "model.json", "--symbols"],
    ["run", "model.onnx", "--inputs", "in.npz"],
    ["run", "model.json", "--inputs", "in.npz", "-o", "out.npz"],
    ["draw", "model.json", "-o", "model.dot"],
]
pytestmark = pytest.mark.usefixtures("model")


@pytest.fixture(autouse=True)
def inputs(folder: Path) -> None:
    np.savez("in.npz", x=np.ones((2, 4), np.float32))


def result(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run a command; return what it prints, whose head must agree with the exit code."""
    capsys.readouterr()
    code = main([*words, "--json-output"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert list(document)[: len(HEAD)] == HEAD
    assert (document["command"], document["exit_code"]) == (words[0], code)
    assert document["ok"] is (code == 0)
    return document


def listed_keys() -> dict[str, set[str]]:
    """The keys that the docs list for each command."""
    text = DOCS.read_text(encoding="utf-8")
    table = text[text.index("| command | keys |") :].partition("\n\n")[0]
    found: dict[str, set[str]] = {}
    for row in table.splitlines()[2:]:
        commands, keys = row.strip("|").split("|", 1)
        for command in re.findall(r"`(\w+)`", commands):
            found[command] = set(re.findall(r"`(\w+)`", keys))
    return found


def test_every_command_is_tried_and_listed() -> None:
    assert set(GOOD) == set(_COMMANDS) == set(listed_keys())


@pytest.mark.parametrize(
    "words", [*([name, *words] for name, words in GOOD.items()), *OTHERS], ids=" ".join
)
def test_keys_are_those_of_the_docs(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    document = result(words, capsys)
    assert document["error"] is None
    if words[2:3] != ["--stats"]:
        assert set(document) - set(HEAD) <= listed_keys()[words[0]]


@pytest.mark.parametrize("name", sorted(set(GOOD) - {"completion", "coverage", "doctor"}))
def test_errors_are_in_the_same_place(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = {"convert": ["gone.onnx"], "diff": ["gone.json"], "export": ["-o", "new.onnx"]}
    document = result([name, "gone.json", *more.get(name, [])], capsys)
    assert document["exit_code"] == 2
    assert document["error"]


def test_export_tells_what_it_wrote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = result(["export", *GOOD["export"]], capsys)
    onnx, plain = document["written"]
    assert (onnx["format"], onnx["opset"], onnx["verified"]) == ("onnx", 20, True)
    assert (plain["format"], document["inputs"]) == ("json", {"x": "f32[batch,4]"})
    for entry in (*onnx["files"], *plain["files"]):
        assert (folder / entry["path"]).stat().st_size == entry["bytes"]


def test_warnings_are_in_the_object(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["show", "program:unused", "--input", "x:f32[3]", "--input", "y:f32[]"]
    (warning,) = result(words, capsys)["warnings"]
    assert warning.startswith("input 'y' is not used")


def test_run_prints_numbers_that_json_lacks_as_text(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = np.array([[1, 1, 1, 1], [np.nan, 1, np.inf, 1]], np.float32)
    np.savez("in.npz", x=rows)
    export = ["-q", "export", "program:twice", "--input", "x:f32[n,4]", "--json", "twice.json"]
    assert main(export) == 0
    (output,) = result(["run", "twice.json", "--inputs", "in.npz"], capsys)["outputs"]
    assert output["type"] == "f32[2,4]"
    assert output["values"] == [[2.0, 2.0, 2.0, 2.0], ["nan", 2.0, "inf", 2.0]]


def test_an_unknown_name_does_not_keep_the_others_from_being_answered(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = result(["coverage", "np.median", "np.medain", "np.sum"], capsys)
    assert document["exit_code"] == 2
    assert [row["name"] for row in document["functions"]] == ["np.median", "np.sum"]
    (unknown,) = document["unknown"]
    assert unknown["message"] == document["error"]
    assert main(["coverage", "np.medain", "np.sum"]) == 2
    out, err = capsys.readouterr()
    assert out == "np.sum: supported\n"
    assert "did you mean median" in err
