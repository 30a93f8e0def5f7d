"""What a terminal shows while a step of a command runs."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, Self

from ir.progress import listening

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

_PATIENCE = 0.4
"""Seconds before a bar replaces the plain line: most steps are done by then, and importing rich
takes longer than they do."""


class ProgressLine:
    """One line on a terminal: what is being done, and how far it is where that is known.

    It begins as plain text and becomes a bar if the step takes long and rich is installed; it is
    gone when the step is done.

    Args:
        doing: What the step does.
    """

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._lock = threading.Lock()
        self._timer = threading.Timer(_PATIENCE, self.show_bar)
        self._timer.daemon = True
        self._bars: Bars | None = None
        self._plain = self._done = False
        self._part, self._taken, self._total = "", 0, 0
        self._listening = listening(self.hear)

    def __enter__(self) -> Self:
        print(f"{self._doing} …", end="", file=sys.stderr, flush=True)
        self._plain = True
        self._timer.start()
        self._listening.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._listening.__exit__(None, None, None)
        self._timer.cancel()
        with self._lock:
            self._done = True
            if self._bars is not None:
                self._bars.stop()
            self._clear()

    def make_room(self) -> None:
        """Remove the plain line, because the program prints something; a bar moves by itself."""
        with self._lock:
            self._clear()

    def hear(self, part: str, taken: int, total: int) -> None:
        """Take note of how far the work is; small work inside larger work does not count."""
        if total < self._total and self._taken < self._total:
            return
        self._part, self._taken, self._total = part, taken, total
        if self._bars is not None:
            self._update(self._bars)

    def show_bar(self) -> None:
        """Replace the plain line by a bar."""
        bars = _bars()
        with self._lock:
            if self._done or bars is None:
                return
            bars.add_task(self._doing, total=None)
            self._update(bars)
            self._clear()
            bars.start()
            self._bars = bars

    def _clear(self) -> None:
        if self._plain:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        self._plain = False

    def _update(self, bars: Bars) -> None:
        part = f": {self._part}" if self._part else ""
        bars.update(
            bars.task_ids[0],
            description=f"{self._doing}{part}",
            completed=self._taken,
            total=self._total or None,
        )


def _bars() -> Bars | None:
    try:
        from rich import progress
        from rich.console import Console
    except ModuleNotFoundError:  # the plain line says enough
        return None
    return progress.Progress(
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(bar_width=24),
        progress.TaskProgressColumn(),
        progress.TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
    )
