"""What a terminal shows while a command works, and that nothing else ever sees it."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from capture.cli import main
from capture.cli_console import Console
from capture.cli_progress import ProgressLine
from ir.progress import counted, listening, tell

X = "x:float32[batch,4]"
CLEARED = "\r\x1b[K"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal_in_place_of_stderr(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Not a fixture, because pytest takes stderr back between the fixtures and the test."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_a_short_step_is_a_plain_line_that_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_in_place_of_stderr(monkeypatch)
    with Console().step("writing m.onnx") as say:
        assert terminal.getvalue() == "writing m.onnx …"
        say("wrote m.onnx")
    assert terminal.getvalue().startswith(f"writing m.onnx …{CLEARED}wrote m.onnx (")


def test_a_long_step_becomes_a_bar_that_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = terminal_in_place_of_stderr(monkeypatch)
    pytest.importorskip("rich")
    with ProgressLine("writing m.onnx") as line:
        line.show_bar()
        tell("writing nodes", 0, 512)
        tell("running nodes of a loop", 3, 3)
        tell("writing nodes", 256, 512)
        assert line._bars is not None
        (task,) = line._bars.tasks
        assert task.description == "writing m.onnx: writing nodes"
        assert (task.completed, task.total) == (256, 512)
    text = terminal.getvalue()
    assert text.startswith(f"writing m.onnx …{CLEARED}")
    assert "writing m.onnx" in text.removeprefix("writing m.onnx …")


def test_a_bar_that_comes_too_late_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_in_place_of_stderr(monkeypatch)
    with ProgressLine("reading") as line:
        pass
    line.show_bar()
    assert terminal.getvalue() == f"reading …{CLEARED}"


def test_without_rich_the_plain_line_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_in_place_of_stderr(monkeypatch)
    monkeypatch.setitem(sys.modules, "rich", None)
    with ProgressLine("reading") as line:
        line.show_bar()
    assert terminal.getvalue() == f"reading …{CLEARED}"


def test_what_the_program_prints_has_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = terminal_in_place_of_stderr(monkeypatch)
    console = Console()
    with console.programs_output(), console.step("capturing"):
        print("hello")
        assert sys.stdout.isatty()
    assert terminal.getvalue() == f"capturing …{CLEARED}hello\n"


def test_quiet_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_in_place_of_stderr(monkeypatch)
    with Console(quiet=True).step("writing") as say:
        say("wrote")
    assert terminal.getvalue() == ""


@pytest.mark.usefixtures("folder")
def test_pipes_get_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["export", "program:predict", "--input", X, "-o", "m.onnx", "--json", "m.json"]
    assert main([*words, "--verify"]) == 0
    np.savez("in.npz", x=np.ones((2, 4), np.float32))
    assert main(["run", "m.json", "--inputs", "in.npz"]) == 0
    out, err = capsys.readouterr()
    for mark in ("\r", "\x1b", "…"):
        assert mark not in out + err


def test_unheard_work_is_not_wrapped() -> None:
    items = list(range(3))
    assert counted("counting", items) is items
    heard: list[tuple[str, int, int]] = []
    with listening(lambda *words: heard.append(words)):
        assert list(counted("counting", items, every=2)) == items
    assert heard == [("counting", 0, 3), ("counting", 2, 3), ("counting", 3, 3)]
