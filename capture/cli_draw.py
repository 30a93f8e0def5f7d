"""``graph-capture draw``: a graph as a picture, or as text for drawing programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from capture.cli_errors import CommandError, ExitCode, UsageError
from capture.cli_files import read_graph
from capture.cli_program import capture_program
from exporters.files import atomic_files
from exporters.places import TargetFile
from ir.errors import MissingExtraError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from capture.cli_console import Console
    from ir.graph import Graph

_SUFFIXES = {
    ".dot": "dot",
    ".gv": "dot",
    ".htm": "html",
    ".html": "html",
    ".mermaid": "mermaid",
    ".mmd": "mermaid",
    ".svg": "svg",
}
_FORMS: dict[str, Callable[[Graph], str]] = {
    "dot": lambda graph: f"{graph.to_dot()}\n",
    "html": lambda graph: graph.to_html(),
    "mermaid": lambda graph: f"{graph.to_mermaid()}\n",
    "svg": lambda graph: graph.to_svg(),
}


def draw(options: argparse.Namespace, console: Console) -> ExitCode:
    """Write a graph as SVG, HTML, DOT or Mermaid, to a file or to stdout."""
    target = None if options.output is None else Path(options.output)
    form = options.format or _form_of(target)
    if target is not None and not target.parent.is_dir():
        raise UsageError(f"{target}: there is no folder {target.parent}")
    if options.program.endswith(".json"):
        graph = read_graph(options.program)
    else:
        graph = capture_program(options, console)
    try:
        text = _FORMS[form](graph)
    except MissingExtraError as error:
        raise CommandError(str(error)) from None
    if target is not None:
        with atomic_files(TargetFile(target).place()) as (file,):
            file.write(text.encode())
        console.status(f"wrote {target}: {form}, {len(graph.nodes)} nodes")
    if options.json_output:
        console.result_json(
            {
                "name": graph.name,
                "format": form,
                "nodes": len(graph.nodes),
                "written": None if target is None else str(target),
                "text": text.removesuffix("\n") if target is None else None,
            }
        )
    elif target is None:
        console.result(text.removesuffix("\n"))
    return ExitCode.OK


def _form_of(target: Path | None) -> str:
    if target is None:
        return "dot"
    form = _SUFFIXES.get(target.suffix)
    if form is None:
        raise UsageError(
            f"{target}: give --format, or a name that ends in .svg, .html, .dot or .mmd"
        )
    return form
