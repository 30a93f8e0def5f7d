"""The command ``graph-capture``: what it does is in ``docs/cli.md``.

Every command is a function in its own ``cli_`` module, imported only when it is asked for.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING

from capture.cli_console import Console
from capture.cli_errors import ExitCode, UsageError, failure
from capture.cli_extensions import load_ops
from capture.cli_parser import parser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Command = Callable[[argparse.Namespace, Console], ExitCode]

_COMMANDS = {
    "completion": "cli_completion",
    "convert": "cli_export",
    "coverage": "cli_coverage",
    "diff": "cli_diff",
    "doctor": "cli_doctor",
    "draw": "cli_draw",
    "explain": "cli_explain",
    "export": "cli_export",
    "run": "cli_run",
    "show": "cli_show",
    "verify": "cli_verify",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: Its words without the program's name; those of this process when left out.

    Returns:
        The exit code, one of :class:`capture.cli_errors.ExitCode`.
    """
    words = sys.argv[1:] if argv is None else argv
    if not words:
        parser().print_help()
        return ExitCode.USAGE
    try:
        options = parser().parse_args(words)
    except SystemExit:  # argparse has printed help or the version
        return ExitCode.OK
    except UsageError as error:
        # what failed to parse cannot say whether it is a script that asks
        options = argparse.Namespace(command=None, json_output="--json-output" in words)
        return _ended(options, Console(), ExitCode.USAGE, str(error))
    for general in ("quiet", "debug", "json_output"):
        vars(options).setdefault(general, False)
    console = Console(options.quiet)
    try:
        load_ops(console)
        code, message = _command(options.command)(options, console), None
    except KeyboardInterrupt:
        code, message = ExitCode.INTERRUPTED, "interrupted"
    except BrokenPipeError:
        return _reader_has_gone()
    except Exception as error:
        if options.debug:
            traceback.print_exception(error)
        message, code = failure(error)
    return _ended(options, console, code, message)


def _command(name: str) -> Command:
    command: Command = getattr(import_module(f"capture.{_COMMANDS[name]}"), name)
    return command


def _ended(
    options: argparse.Namespace, console: Console, code: ExitCode, message: str | None
) -> ExitCode:
    try:
        if options.json_output:
            console.finish(options.command, code, message)
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_has_gone()
    if message is not None:
        console.error(message)
    return code


def _reader_has_gone() -> ExitCode:
    """Let Python end without a message: the reader, ``head`` for one, has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.PIPE_CLOSED
