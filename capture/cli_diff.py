"""``graph-capture diff``: what changed between two saved graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.cli_errors import ExitCode
from capture.cli_files import read_graph

if TYPE_CHECKING:
    import argparse

    from capture.cli_console import Console
    from ir.differences import GraphDiff


def diff(options: argparse.Namespace, console: Console) -> ExitCode:
    """Print the differences; the exit code tells whether there are any."""
    found = read_graph(options.before).diff(read_graph(options.after))
    if options.json_output:
        console.result_json(_document(found))
    else:
        console.difference(str(found))
    return ExitCode.FAILED if found else ExitCode.OK


def _document(found: GraphDiff) -> dict[str, Any]:
    return {
        "before": found.before.name,
        "after": found.after.name,
        "unchanged_nodes": found.unchanged,
        "differences": [difference._asdict() for difference in found],
        "nested": [_document(inner) for inner in found.nested],
    }
