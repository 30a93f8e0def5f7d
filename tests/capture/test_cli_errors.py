"""The command line: programs that cannot be captured."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from capture.cli import main
from capture.cli_errors import ExitCode, failure

X = "x:float32[batch,4]"
pytestmark = pytest.mark.usefixtures("folder")


def test_errors_name_the_users_line_and_the_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", "program:branch", "--input", X]) == ExitCode.NOT_CAPTURED
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith("error: bool() of a captured bool[]: its concrete value is not")
    assert lines[1] == f"  at {folder}/program.py:12: if x.sum() > 0:"
    assert lines[2].startswith("  ways out: return np.where(x.sum() > 0, x, …)")
    assert "Traceback" not in err


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
            "trace: nothing returned None and wrote to none of its arguments; return the arrays "
            "it computes",
            "program.py:21: def nothing(x):",
        ),
        (
            "faulty:f",
            "importing faulty raised ModuleNotFoundError: No module named 'no_such_package'",
            "faulty.py:1: import no_such_package",
        ),
        (
            "unclosed.py:f",
            "importing unclosed.py raised SyntaxError: '(' was never closed "
            "(unclosed.py, line 1)",
            "unclosed.py:1: def f(x:",
        ),
    ],
)
def test_errors_of_the_program(
    folder: Path, program: str, first: str, at: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", program, "--input", X]) == ExitCode.NOT_CAPTURED
    assert capsys.readouterr().err.startswith(f"error: {first}\n  at {folder}/{at}\n")


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
