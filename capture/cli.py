"""The command ``graph-capture``: what it does is in ``docs/cli.md``.

Every command is a function in its own ``cli_`` module, imported only when it is asked for.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING

from capture.cli_console import Console
from capture.cli_errors import ExitCode, failure
from capture.cli_extensions import load_ops
from capture.cli_parser import parser

if TYPE_CHECKING:
    import argparse
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
    try:
        options = parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed help or what is wrong
        return stop.code if isinstance(stop.code, int) else ExitCode.USAGE
    for general in ("quiet", "debug"):
        vars(options).setdefault(general, False)
    console = Console(options.quiet)
    try:
        load_ops(console)
        code = _command(options.command)(options, console)
        sys.stdout.flush()
    except KeyboardInterrupt:
        console.error("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.PIPE_CLOSED
    except Exception as error:
        return _report(error, options, console)
    return code


def _command(name: str) -> Command:
    command: Command = getattr(import_module(f"capture.{_COMMANDS[name]}"), name)
    return command


def _report(error: Exception, options: argparse.Namespace, console: Console) -> ExitCode:
    if options.debug:
        traceback.print_exception(error)
    message, code = failure(error)
    if getattr(options, "json_output", False):
        console.result_json({"ok": False, "exit_code": int(code), "error": message})
    console.error(message)
    return code
