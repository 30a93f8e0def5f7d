"""Where an error is explained: the last line of every message we raise on purpose."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any, Self

import numpy as np

from ir.locations import notebook_cell

PAGE = "docs/errors.md"
_OURS = ("capture", "ir", "exporters")
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_MACHINERY = (
    *(os.path.join(_ROOT, package) + os.sep for package in _OURS),
    os.path.dirname(np.__file__) + os.sep,
    "<__array_function__",
)


class DocumentedError(Exception):
    """An error with a section in ``docs/errors.md``, which its last note names.

    A note, so that ``str(error)`` stays the message; tracebacks and the command line show both.
    """

    __notes__: list[str]

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        """Note the page."""
        error = super().__new__(cls, *args, **parameters)
        error.__notes__ = [f"  see {page_of(cls)}"]
        return error

    def add_note(self, note: str, /) -> None:
        """Add a note before the one that names the page."""
        self.__notes__.insert(-1, note)

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows: the user's own frames, then the message.

        A refusal is told in the user's terms; the frames in between are ours. ``%debug`` has all.
        """
        told = traceback.TracebackException.from_exception(self)
        frames = [frame for frame in told.stack if not _is_machinery(frame.filename)]
        told.stack = traceback.StackSummary.from_list(
            (
                notebook_cell(frame.filename) or frame.filename,
                frame.lineno or 0,
                frame.name,
                frame.line,
            )
            for frame in frames
        )
        return "".join(told.format()).splitlines()


def _is_machinery(file: str) -> bool:
    ipython = getattr(sys.modules.get("IPython"), "__file__", None)
    return file.startswith(_MACHINERY) or (
        ipython is not None and file.startswith(os.path.dirname(ipython) + os.sep)
    )


def page_of(error: type[BaseException]) -> str:
    """Return page and anchor of an error class; another package's class has its base's."""
    ours = next(
        (base for base in error.__mro__ if base.__module__.partition(".")[0] in _OURS), error
    )
    return f"{PAGE}#{ours.__name__.lower()}"
