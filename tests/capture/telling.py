"""Reading whole error messages, with the test's own line as the place they must name."""

from __future__ import annotations

import inspect
import linecache
import traceback
from typing import TYPE_CHECKING, Any

from ir.error_pages import DocumentedError, page_of

if TYPE_CHECKING:
    import pytest

HERE = "  at <here>"


def line_text(file: str, line: int) -> str:
    """Return a line as errors quote it."""
    return f"  at {file}:{line}: {linecache.getline(file, line).strip()}"


def this_line(offset: int = 0) -> str:
    """Return the caller's line (plus an offset) as errors quote it."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return line_text(frame.f_back.f_code.co_filename, frame.f_back.f_lineno + offset)


def told(caught: pytest.ExceptionInfo[Any]) -> str:
    """Return an error's message and notes, the test's raising line replaced by :data:`HERE`.

    The line comes from the traceback: the innermost one that is in the test's own file.
    """
    test_file = traceback.extract_tb(caught.tb)[0].filename
    lines = [entry for entry in traceback.extract_tb(caught.tb) if entry.filename == test_file]
    assert lines[-1].lineno is not None
    where = line_text(test_file, lines[-1].lineno)
    return told_error(caught.value).replace(where, HERE)


def told_error(error: BaseException) -> str:
    """Return an error's message and notes, but for the last line, which is checked here."""
    notes = list(getattr(error, "__notes__", ()))
    if isinstance(error, DocumentedError):
        assert notes.pop() == f"  see {page_of(type(error))}"
    return "\n".join([str(error), *notes])
