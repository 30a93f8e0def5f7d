"""``graph-capture explain``: everything that stands in the way of capturing a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture.cli_errors import ExitCode
from capture.cli_program import explain_program

if TYPE_CHECKING:
    import argparse

    from capture.cli_console import Console


def explain(options: argparse.Namespace, console: Console) -> ExitCode:
    """Print every refusal of a program."""
    found = explain_program(options, console)
    if options.json_output:
        refusals = []
        for refusal in found:
            at = refusal.location
            place = None if at is None else {"file": at.file, "line": at.line}
            kind, message = type(refusal.error).__name__, str(refusal.error)
            refusals.append({"error": kind, "message": message, "location": place})
        console.result_json(
            {
                "function": found.function,
                "complete": found.complete,
                "refusals": refusals,
            }
        )
    else:
        console.result(str(found))
    return ExitCode.OK if found else ExitCode.NOT_CAPTURED
