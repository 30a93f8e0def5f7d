"""The command line: ``diff``, ``explain``, ``draw``, ``show --cost`` and ``completion``."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from capture.cli import _COMMANDS, main
from capture.cli_parser import parser

X = "x:float32[batch,4]"
pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def doubled(folder: Path) -> None:
    """The program ``predict`` with its result doubled, as ``doubled.json``."""
    source = "from program import predict\n\ndef doubled(x):\n    return predict(x) * 2\n"
    (folder / "doubling.py").write_text(source, encoding="utf-8")
    words = ["-q", "export", "doubling.py:doubled", "--input", X, "--name", "predict"]
    assert main([*words, "--json", "doubled.json"]) == 0


@pytest.mark.usefixtures("model")
def test_diff_of_equal_graphs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "model.json", "model.json"]) == 0
    assert capsys.readouterr().out == "predict: no differences, 4 nodes the same\n"


@pytest.mark.usefixtures("model", "doubled")
def test_diff_names_differences_and_exits_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "model.json", "doubled.json"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "predict: 2 differences, 4 nodes the same"
    assert lines[1].startswith("+ %doubled = multiply %3, %0 : f32[batch,3]")
    assert lines[2:] == ["- return output=%2", "+ return output=%doubled"]


@pytest.mark.usefixtures("model", "doubled")
def test_diff_for_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "model.json", "doubled.json", "--json-output"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["unchanged_nodes"], document["nested"]) == (False, 4, [])
    assert [row["kind"] for row in document["differences"]] == ["added", "rewired"]


def test_diff_of_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a.json", "b.json", "--json-output"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out) == {
        "command": "diff",
        "ok": False,
        "exit_code": 2,
        "error": "there is no file a.json",
        "warnings": [],
    }
    assert err == "error: there is no file a.json\n"


def test_explain_of_a_good_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-q", "explain", "program:predict", "--input", X]) == 0
    assert capsys.readouterr().out == "predict: nothing stands in the way of capture\n"


def test_explain_lists_refusals_and_exits_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["explain", "program:branch", "--input", X]
    assert main(words) == 3
    text = capsys.readouterr().out
    assert text.startswith("branch: 1 refusal\n1. ConcreteValueError: ")
    assert main([*words, "--json-output"]) == 3
    document = json.loads(capsys.readouterr().out)
    (refusal,) = document["refusals"]
    assert (document["ok"], document["complete"]) == (False, True)
    assert refusal["error"] == "ConcreteValueError"
    assert refusal["location"]["line"] == 12


def test_explain_of_a_program_that_fails_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "program:broken", "--input", X]) == 3
    assert "broken raised NameError: " in capsys.readouterr().err
    assert main(["explain", "program:missing", "--input", X]) == 2


@pytest.mark.usefixtures("model")
def test_draw(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "model.json"]) == 0
    dot = capsys.readouterr().out
    assert dot.startswith('digraph "predict" {')
    assert main(["draw", "model.json", "--format", "mermaid"]) == 0
    mermaid = capsys.readouterr().out
    assert mermaid.startswith("flowchart TD\n")
    for name, text in (("a.dot", dot), ("a.gv", dot), ("a.mmd", mermaid)):
        assert main(["draw", "program:predict", "--input", X, "-o", name]) == 0
        written = (folder / name).read_text(encoding="utf-8")
        assert written.splitlines()[0] == text.splitlines()[0]
        assert f"wrote {name}: " in capsys.readouterr().err


@pytest.mark.usefixtures("model")
def test_draw_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "model.json", "--format", "svg"]) == 0
    svg = capsys.readouterr().out
    assert svg.startswith("<svg ")
    for name, start in (("a.svg", svg), ("a.html", "<!DOCTYPE html>\n")):
        assert main(["draw", "model.json", "-o", name]) == 0
        assert (folder / name).read_text(encoding="utf-8").startswith(start)
        assert f"wrote {name}: {name[2:]}, " in capsys.readouterr().err


@pytest.mark.usefixtures("model")
def test_draw_over_what_is_no_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.svg").mkdir()
    assert main(["draw", "model.json", "-o", "a.svg"]) == 1
    assert "it is a folder" in capsys.readouterr().err


@pytest.mark.usefixtures("model")
def test_draw_without_the_layout_engine(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "graphlay", None)
    assert main(["draw", "model.json", "-o", "a.svg"]) == 1
    assert "pip install 'graph-capture[drawing]'" in capsys.readouterr().err
    assert not (folder / "a.svg").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["-o", "a.txt"],
            "a.txt: give --format, or a name that ends in .svg, .html, .dot or .mmd",
        ),
        (["-o", "no/a.dot"], "there is no folder no"),
    ],
)
def test_draw_where_it_cannot(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["draw", "program:predict", "--input", X, *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("model")
def test_show_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "model.json", "--cost"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "total     33*batch flops  96*batch + 48 bytes"
    assert lines[-1] == "longest chain: 4 nodes"
    assert main(["show", "model.json", "--cost", "--json-output"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["flops"] == "33*batch"
    assert document["longest_chain"] == ["matmul", "max", "subtract", "exp"]
    assert main(["show", "model.onnx", "--cost"]) == 2


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["ex"], {"export", "explain"}),
        (["export", "--ta"], {"--target"}),
        (["export", "program:predict", "--target", ""], {"onnxruntime", "standard"}),
        (["completion", ""], {"bash", "fish", "zsh"}),
        (["draw", "program"], {"program.py"}),
    ],
)
def test_bash_completes(
    words: list[str], completed: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    listed = " ".join(f"'{word}'" for word in ["graph-capture", *words])
    ask = f"COMP_WORDS=({listed}); COMP_CWORD={len(words)}; _graph_capture"
    command = ["bash", "-c", f'{script}\n{ask}\nprintf "%s\\n" "${{COMPREPLY[@]}}"']
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert set(found.split()) == completed


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("expo", {"export"}),
        ("export --js", {"--json", "--json-output"}),
        ("export --target ", {"onnxruntime", "standard"}),
        ("completion ", {"bash", "fish", "zsh"}),
        ("draw --format mer", {"mermaid"}),
    ],
)
@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_completes(
    words: str, completed: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "fish"]) == 0
    script = capsys.readouterr().out
    ask = f"{script}\ncomplete -C 'graph-capture {words}'"
    done = subprocess.run(
        ["fish", "--no-config", "-c", ask], check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert {line.partition("\t")[0] for line in done.stdout.splitlines()} == completed


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_takes_its_script(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    (folder / "_graph-capture").write_text(capsys.readouterr().out, encoding="utf-8")
    ask = "autoload -Uz compinit; compinit -u -D; source ./_graph-capture; "
    ask += "print $_comps[graph-capture]"
    done = subprocess.run(
        ["zsh", "-f", "-c", ask], check=True, capture_output=True, text=True, cwd=folder
    )
    assert (done.stdout, done.stderr) == ("_graph_capture\n", "")


def test_every_command_is_in_the_help_and_in_the_docs() -> None:
    docs = Path(__file__).parents[2] / "docs" / "cli.md"
    text = docs.read_text(encoding="utf-8")
    for name in _COMMANDS:
        assert f"`{name}" in text
        assert re.search(rf"\n +{name}\s", parser().format_help())
