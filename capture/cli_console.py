"""Where the command line writes: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from contextlib import contextmanager, nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO

from capture.cli_progress import ProgressLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_GRAPH_PARTS = re.compile(
    r"(?P<dim>(?<=  )# \S+:\d+$)|(?P<cyan>%[\w./:-]+)|(?P<bold>(?<= = )[a-zA-Z_]\w*)",
    re.MULTILINE,
)
_CHANGES = re.compile(r"(?P<red>^ *- .*$)|(?P<green>^ *\+ .*$)", re.MULTILINE)


class Console:
    """Streams of one run; they are looked up at each use, so redirections hold.

    Args:
        quiet: Leave out progress and status, keep results, warnings and errors.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self._document: dict[str, Any] = {}
        self._warnings: list[str] = []
        self._line: ProgressLine | None = None

    def result(self, text: str) -> None:
        """Write what the user asked for."""
        print(text)

    def result_json(self, document: dict[str, Any]) -> None:
        """Keep a result for scripts until :meth:`finish` knows how the run ended."""
        self._document = document

    def finish(self, command: str | None, code: int, error: str | None) -> None:
        """Write the result for scripts, headed by what every command says in the same way."""
        head = {
            "command": command,
            "ok": code == 0,
            "exit_code": code,
            "error": error,
            "warnings": self._warnings,
        }
        document = {**head, **self._document, **head}
        print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))

    def graph(self, text: str) -> None:
        """Write the text of a graph, coloured on a terminal."""
        print(_GRAPH_PARTS.sub(_painted, text) if _has_colours(sys.stdout) else text)

    def difference(self, text: str) -> None:
        """Write lines that begin with + and -, coloured on a terminal."""
        print(_CHANGES.sub(_painted, text) if _has_colours(sys.stdout) else text)

    def status(self, text: str) -> None:
        """Say what was done."""
        if not self.quiet:
            print(text, file=sys.stderr)

    def warning(self, text: str) -> None:
        """Say what the user should know."""
        self._warnings.append(text)
        print(f"{_label('warning:', 'yellow')} {text}", file=sys.stderr)

    def error(self, text: str) -> None:
        """Say what went wrong."""
        print(f"{_label('error:', 'red')} {text}", file=sys.stderr)

    @contextmanager
    def programs_output(self) -> Iterator[None]:
        """Send what the user's program prints to stderr: stdout is for results."""
        with redirect_stdout(_Beside(self)):
            yield

    def make_room(self) -> None:
        """Remove the line of a step, because the program prints something."""
        if self._line is not None:
            self._line.make_room()

    def verdict(self, ok: bool, text: str) -> str:
        """Return a word in green or red where stdout shows colours."""
        return paint(text, "green" if ok else "red") if _has_colours(sys.stdout) else text

    @contextmanager
    def step(self, doing: str) -> Iterator[Callable[[str], None]]:
        """Name a step while it runs, on a terminal only.

        Yields:
            What takes the line that stays when the step is done; its time is added.
        """
        shown = not self.quiet and sys.stderr.isatty()
        done: list[str] = []
        start = time.perf_counter()
        with ProgressLine(doing) if shown else nullcontext() as self._line:
            yield done.append
        self._line = None
        elapsed = duration(time.perf_counter() - start)
        for line in done:
            self.status(f"{line} ({elapsed})")


class _Beside:
    """The stderr of the moment, which moves the line of a step out of the way."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def write(self, text: str) -> int:
        self._console.make_room()
        return sys.stderr.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


def duration(seconds: float) -> str:
    """Return a time as people read it: ``12 ms`` or ``3.4 s``."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def paint(text: str, style: str) -> str:
    """Return the text between ANSI codes."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def _painted(match: re.Match[str]) -> str:
    style = match.lastgroup
    assert style is not None
    return paint(match[0], style)


def _label(text: str, style: str) -> str:
    return paint(text, style) if _has_colours(sys.stderr) else text


def _has_colours(stream: TextIO) -> bool:
    """Only a terminal, and not one whose user said no (https://no-color.org)."""
    return (
        stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
