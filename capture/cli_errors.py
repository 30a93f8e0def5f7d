"""Exit codes, and any exception as one message for the person at the terminal."""

from __future__ import annotations

import enum
import inspect
import sysconfig
from typing import NamedTuple

from capture.errors import CaptureError
from capture.location import INTERNAL, source_line
from ir.errors import EvaluationError, IRError
from ir.graph import Location

_INSTALLED = (
    "<frozen",
    *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")),
)
"""Where files begin that are not the user's."""


class ExitCode(enum.IntEnum):
    """How a run ended; ``docs/cli.md`` lists them."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_CAPTURED = 3
    NOT_EXPORTED = 4
    INTERRUPTED = 130
    PIPE_CLOSED = 141


class CommandError(Exception):
    """A command cannot go on; the message is for the user as it is.

    Args:
        message: What is wrong and what to do.
        code: How the run ends.
    """

    def __init__(self, message: str, code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.code = code


class UsageError(CommandError):
    """The command line asks for something that is not there or makes no sense."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.USAGE)


class Failure(NamedTuple):
    """What to print, and how the run ends."""

    message: str
    code: ExitCode


def failure(error: Exception) -> Failure:
    """Return the message and the exit code for an exception that ended a command."""
    if isinstance(error, CommandError):
        return Failure(str(error), error.code)
    if isinstance(error, EvaluationError):
        return Failure(message_of(error), ExitCode.FAILED)
    if isinstance(error, CaptureError | IRError):
        return Failure(message_of(error), ExitCode.NOT_CAPTURED)
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        return Failure(f"{name}{error.strerror or error}", ExitCode.FAILED)
    from exporters.errors import ExportError, VerificationError  # slow, so only on failure
    from exporters.json import JsonFormatError

    if isinstance(error, VerificationError | JsonFormatError):
        return Failure(message_of(error), ExitCode.FAILED)
    if isinstance(error, ExportError):
        return Failure(message_of(error), ExitCode.NOT_EXPORTED)
    return Failure(
        f"internal error: {type(error).__name__}: {error}\n"
        "  this is a bug in graph-capture; --debug shows where",
        ExitCode.FAILED,
    )


def program_failure(name: str, error: BaseException, function: object = None) -> CommandError:
    """Return the error for whatever a user's program raised while it was captured.

    Args:
        name: What the user calls the program.
        error: What it raised.
        function: Whose first line is named where the error has no line of its own.

    Raises:
        Exception: The error itself, where none of the user's code was running: a bug of ours.
    """
    line = _users_line(error)
    if not isinstance(error, CaptureError | IRError):
        if function is not None and line is None:
            raise error
        text = f"{name} raised {type(error).__name__}: {message_of(error)}"
        error = CommandError(text.rstrip(": "))
    location = line or _first_line(function)
    if location is not None and "\n  at " not in message_of(error):
        error.add_note(source_line(location))
    return CommandError(message_of(error), ExitCode.NOT_CAPTURED)


def message_of(error: BaseException) -> str:
    """Return the message with its notes."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def _users_line(error: BaseException) -> Location | None:
    """Return the innermost line of the traceback that is the user's own code."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return Location(error.filename, error.lineno, "<module>")
    found: Location | None = None
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        file = code.co_filename
        if not INTERNAL[file] and not file.startswith(_INSTALLED):
            found = Location(file, traceback.tb_lineno, code.co_name)
        traceback = traceback.tb_next
    return found


def _first_line(function: object) -> Location | None:
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return (
        None if code is None else Location(code.co_filename, code.co_firstlineno, code.co_name)
    )
