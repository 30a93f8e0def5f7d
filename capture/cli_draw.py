"""``graph-capture draw``: a graph as text for drawing programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from capture.cli_errors import ExitCode, UsageError
from capture.cli_files import read_graph
from capture.cli_program import capture_program

if TYPE_CHECKING:
    import argparse

    from capture.cli_console import Console

_SUFFIXES = {".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".mermaid": "mermaid"}


def draw(options: argparse.Namespace, console: Console) -> ExitCode:
    """Write a graph in DOT or Mermaid, to a file or to stdout."""
    target = None if options.output is None else Path(options.output)
    form = options.format or _form_of(target)
    if target is not None and not target.parent.is_dir():
        raise UsageError(f"{target}: there is no folder {target.parent}")
    if options.program.endswith(".json"):
        graph = read_graph(options.program)
    else:
        graph = capture_program(options, console)
    text = graph.to_dot() if form == "dot" else graph.to_mermaid()
    if target is not None:
        target.write_text(f"{text}\n", encoding="utf-8")
        console.status(f"wrote {target}: {form}, {len(graph.nodes)} nodes")
    if options.json_output:
        console.result_json(
            {
                "name": graph.name,
                "format": form,
                "nodes": len(graph.nodes),
                "written": None if target is None else str(target),
                "text": text if target is None else None,
            }
        )
    elif target is None:
        console.result(text)
    return ExitCode.OK


def _form_of(target: Path | None) -> str:
    if target is None:
        return "dot"
    form = _SUFFIXES.get(target.suffix)
    if form is None:
        raise UsageError(f"{target}: give --format, or a name that ends in .dot or .mmd")
    return form
