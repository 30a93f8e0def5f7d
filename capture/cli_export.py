"""``graph-capture export`` and ``convert``: a graph into files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from capture.cli_describe import Described
from capture.cli_errors import CommandError, ExitCode, UsageError
from capture.cli_extensions import find_exporter
from capture.cli_files import read_graph, writable
from capture.cli_program import capture_program
from exporters import ExportError, JsonExporter, OnnxExporter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
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
    if options.to is not None:
        _check_foreign(options)
    foreign = None if options.to is None else find_exporter(options.to)
    suffix = ".onnx" if foreign is None else ""
    path = None if options.output is None else writable(options.output, suffix)
    json_path = None if options.json is None else writable(options.json, ".json")
    graph = capture_program(options, console)
    written: list[dict[str, Any]] = []
    if path is not None and foreign is not None:
        written.append(_write_foreign(graph, path, foreign, options, console))
    elif path is not None:
        written.append(_write_onnx(graph, path, options, console))
    if json_path is not None:
        exporter = JsonExporter(json_path)
        with console.step(f"writing {json_path}") as say:
            exporter.export(graph)
            say(f"wrote {_sizes(exporter.written)}")
        written.append({"format": "json", "files": _files(exporter.written)})
    console.result_json(_document(graph, written))
    return ExitCode.OK


def convert(options: argparse.Namespace, console: Console) -> ExitCode:
    """Write the graph of a JSON file as ONNX."""
    path = writable(options.output, ".onnx")
    graph = read_graph(options.source)
    console.result_json(_document(graph, [_write_onnx(graph, path, options, console)]))
    return ExitCode.OK


def _document(graph: Graph, written: list[dict[str, Any]]) -> dict[str, Any]:
    """Return for scripts what was written, and of which graph."""
    document = Described(graph).interface()
    return {**document, "stats": graph.stats()._asdict(), "written": written}


def _write_onnx(
    graph: Graph, path: Path, options: argparse.Namespace, console: Console
) -> dict[str, Any]:
    exporter = OnnxExporter(
        path,
        opset=options.opset,
        target=options.target,
        optimize=options.optimize,
        external_data=_EXTERNAL_DATA[options.external_data],
        verify=options.verify,
    )
    doing = "writing and verifying" if options.verify else "writing"
    with console.step(f"{doing} {path}") as say:
        exporter.export(graph)
        oldest = exporter.minimal_runtime
        needs = f", needs {oldest} or later" if oldest else ""
        verified = ", same numbers in ONNX Runtime" if options.verify else ""
        say(f"wrote {_sizes(exporter.written)}: opset {options.opset}{needs}{verified}")
    return {
        "format": "onnx",
        "files": _files(exporter.written),
        "opset": options.opset,
        "target": options.target,
        "optimize": options.optimize,
        "minimal_runtime": oldest or None,
        "verified": options.verify,
    }


def _check_foreign(options: argparse.Namespace) -> None:
    if options.output is None:
        raise UsageError(f"--to {options.to}: give -o and the file to write")
    if options.verify:
        raise UsageError(
            f"--verify compares ONNX files; --to {options.to} writes another kind"
        )


def _write_foreign(
    graph: Graph,
    path: Path,
    factory: Callable[[Path], Exporter],
    options: argparse.Namespace,
    console: Console,
) -> dict[str, Any]:
    """Write with an exporter of another package; errors of its own are not ours."""
    with console.step(f"writing {path}") as say:
        try:
            factory(path).export(graph)
        except (ExportError, OSError):
            raise
        except Exception as error:
            raise CommandError(
                f"the exporter {options.to!r} raised {type(error).__name__}: {error}"
            ) from error
        say(f"wrote {path} with {options.to}")
    return {"format": options.to, "files": [{"path": str(path)}]}


def _files(paths: tuple[Path, ...]) -> list[dict[str, Any]]:
    return [{"path": str(path), "bytes": path.stat().st_size} for path in paths]


def _sizes(paths: tuple[Path, ...]) -> str:
    return " and ".join(f"{path} ({path.stat().st_size:,} bytes)" for path in paths)
