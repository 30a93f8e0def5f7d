"""``graph-capture export`` and ``convert``: a graph into files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from capture.cli_errors import ExitCode, UsageError
from capture.cli_files import read_graph, writable
from capture.cli_program import capture_program
from exporters import JsonExporter, OnnxExporter

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from capture.cli_console import Console
    from ir.exporter import Exporter
    from ir.graph import Graph

_EXTERNAL_DATA: dict[str, Literal["auto"] | bool] = {
    "auto": "auto",
    "always": True,
    "never": False,
}


def export(options: argparse.Namespace, console: Console) -> ExitCode:
    """Capture a program and write it; ONNX comes first, so that a refusal leaves no file."""
    if options.output is None and options.json is None:
        raise UsageError("nothing to write: give -o model.onnx, --json model.json or both")
    if options.output is None and options.verify:
        raise UsageError("--verify compares the ONNX file: give -o model.onnx too")
    onnx_path = None if options.output is None else writable(options.output, ".onnx")
    json_path = None if options.json is None else writable(options.json, ".json")
    graph = capture_program(options, console)
    if onnx_path is not None:
        _write_onnx(graph, onnx_path, options, console)
    if json_path is not None:
        exporter = JsonExporter(json_path)
        with console.step(f"writing {json_path}") as say:
            say(f"wrote {_export(exporter, graph, json_path, exporter.sidecar)}")
    return ExitCode.OK


def convert(options: argparse.Namespace, console: Console) -> ExitCode:
    """Write the graph of a JSON file as ONNX."""
    path = writable(options.output, ".onnx")
    graph = read_graph(options.source)
    _write_onnx(graph, path, options, console)
    return ExitCode.OK


def _write_onnx(
    graph: Graph, path: Path, options: argparse.Namespace, console: Console
) -> None:
    exporter = OnnxExporter(
        path,
        opset=options.opset,
        target=options.target,
        external_data=_EXTERNAL_DATA[options.external_data],
        verify=options.verify,
    )
    doing = "writing and verifying" if options.verify else "writing"
    with console.step(f"{doing} {path}") as say:
        written = _export(exporter, graph, path, path.with_name(f"{path.name}.data"))
        verified = ", same numbers in ONNX Runtime" if options.verify else ""
        say(f"wrote {written}: opset {options.opset}{verified}")


def _export(exporter: Exporter, graph: Graph, path: Path, sidecar: Path) -> str:
    """Export, and return which files that wrote; a sidecar may be left from an earlier run."""
    before = _identity(sidecar)
    exporter.export(graph)
    paths = [path] if _identity(sidecar) == before else [path, sidecar]
    return " and ".join(f"{path} ({path.stat().st_size:,} bytes)" for path in paths)


def _identity(path: Path) -> tuple[int, int] | None:
    if not path.exists():
        return None
    stat = path.stat()
    return stat.st_ino, stat.st_mtime_ns
