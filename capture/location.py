"""The user's line: found by walking out of our and NumPy's own files."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
import sysconfig
from typing import TYPE_CHECKING

import numpy as np

from ir.builder import Locator
from ir.locations import notebook_cell

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from ir.graph import Location

_OUR_FOLDERS = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep
    for file in (__file__, sys.modules["ir"].__file__ or "", np.__file__)
)
_EXPORTERS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "exporters"
)


class _InternalFiles(dict[str, bool]):
    """Whether a file belongs to the machinery; each file is decided once."""

    def __missing__(self, filename: str) -> bool:
        internal = filename.startswith((*_OUR_FOLDERS, _EXPORTERS + os.sep))
        internal = internal or filename.startswith("<__array_function__")
        internal = internal or filename == contextlib.__file__  # runs our with blocks
        self[filename] = internal
        return internal


INTERNAL = _InternalFiles()

_INSTALLED = tuple({sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib")})
_STANDARD = sysconfig.get_path("stdlib") + os.sep


class _LibraryFiles(dict[str, bool]):
    """Whether a file belongs to the machinery or to a library that is nobody's own program."""

    def __missing__(self, filename: str) -> bool:
        self[filename] = library = INTERNAL[filename] or _is_library(filename)
        return library


def _is_library(filename: str) -> bool:
    from capture.interception.libraries import LIBRARIES  # its package needs this module

    for folder in _INSTALLED:
        if filename.startswith(folder):
            package = filename.removeprefix(folder).partition(os.sep)[0]
            return package.removesuffix(".py") in LIBRARIES
    return filename.startswith((_STANDARD, "<frozen "))


_LIBRARY = _LibraryFiles()


def user_frame(depth: int = 1) -> FrameType:
    """Return the nearest frame outside capture, ir and NumPy."""
    frame: FrameType | None = sys._getframe(depth)
    last = frame
    while frame is not None and INTERNAL[frame.f_code.co_filename]:
        last = frame
        frame = frame.f_back
    result = frame or last
    assert result is not None
    return result


def library_at_work() -> str:
    """Return the package whose code is running for the user, such as ``scipy``, else nothing."""
    frame = user_frame(2)
    if not _LIBRARY[frame.f_code.co_filename]:
        return ""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def locate(code: CodeType | None, lasti: int) -> Location | None:
    """Return file, line and function of an instruction."""
    return Locator()(code, lasti)


def source_line(location: Location | None) -> str:
    """Return ``at file:line: source text``, or an empty string where nothing is known."""
    if location is None:
        return ""
    text = linecache.getline(location.file, location.line).strip()
    place = f"{notebook_cell(location.file) or location.file}:{location.line}"
    return f"  at {place}: {text}" if text else f"  at {place}"


def user_location(depth: int = 1) -> Location | None:
    """Return the location of the user's current line, also where a library's code runs."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and _LIBRARY[frame.f_code.co_filename]:
        frame = frame.f_back
    frame = frame or user_frame(depth + 1)
    return locate(frame.f_code, frame.f_lasti)


def raised_at(error: BaseException) -> Location | None:
    """Return the innermost line of the error's traceback that is the user's own code."""
    found: Location | None = None
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if not _LIBRARY[frame.f_code.co_filename]:
            found = locate(frame.f_code, traceback.tb_lasti)
        traceback = traceback.tb_next
    return found


def here(depth: int = 1) -> str:
    """Return the user's current line as a second line for a message, with a newline before it."""
    text = source_line(user_location(depth + 1))
    return f"\n{text}" if text else ""
