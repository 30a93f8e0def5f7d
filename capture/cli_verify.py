"""``graph-capture verify``: ONNX Runtime against the reference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from capture.cli_errors import CommandError, ExitCode, UsageError
from capture.cli_files import existing, read_arrays, read_graph
from capture.cli_run import first_line, runtime
from ir.errors import EvaluationError

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from capture.cli_console import Console
    from exporters.verification import VerificationReport
    from ir.graph import Graph


def verify(options: argparse.Namespace, console: Console) -> ExitCode:
    """Compare a model with its reference and print the table."""
    path = existing(options.file, ".onnx", ".json")
    running = runtime()
    from exporters.errors import ExportError
    from exporters.verification import verify as compare

    reference = _reference(path, options.reference, console)
    subject: Graph | str = str(path)
    if path.suffix == ".json":
        assert reference is not None
        subject = reference
    if options.inputs is None:
        inputs: list[Any] = []
    else:
        if reference is not None:
            names = [str(value.name) for value in reference.inputs]
        else:
            names = _session_inputs(running, path)
        inputs = _in_order(read_arrays(options.inputs), names, options.inputs)
    with console.step(f"verifying {path}") as say:
        try:
            report = compare(
                subject,
                *inputs,
                reference=reference,
                opset=options.opset,
                rtol=options.rtol,
                atol=options.atol,
                raise_on_mismatch=False,
            )
        except ExportError as error:
            if isinstance(
                error.__cause__, EvaluationError
            ):  # the inputs' fault, not the format's
                raise CommandError(str(error)) from error
            raise
        except Exception as error:
            raise CommandError(f"{path}: cannot be verified: {first_line(error)}") from error
        say(f"ran {path} with and without optimisations")
    if options.json_output:
        console.result_json(_document(report))
    else:
        head, _, rest = str(report).partition("\n")
        console.result(f"{console.verdict(report.ok, head)}\n{rest}")
    return ExitCode.OK if report.ok else ExitCode.FAILED


def _reference(path: Path, given: str | None, console: Console) -> Graph | None:
    if path.suffix == ".json":
        if given is not None:
            raise UsageError(
                "a .json file is its own reference; --reference is for .onnx files"
            )
        return read_graph(str(path))
    if given is not None:
        return read_graph(given)
    beside = path.with_suffix(".json")
    if beside.is_file():
        console.status(f"reference: {beside}, found beside the model")
        return read_graph(str(beside))
    console.status("no reference: the model is compared with its own unoptimised run")
    return None


def _session_inputs(running: Any, path: Path) -> list[str]:
    try:
        return list(running.ModelSession(str(path)).input_names)
    except Exception as error:  # the runtime's own classes share no root
        raise CommandError(
            f"{path}: ONNX Runtime does not load it: {first_line(error)}"
        ) from error


def _in_order(arrays: dict[str, Any], names: list[str], path: str) -> list[Any]:
    unknown = [name for name in arrays if name not in names]
    missing = [name for name in names if name not in arrays]
    if unknown or missing:
        wrong = f"no input {unknown[0]!r}" if unknown else f"input {missing[0]!r} is missing"
        raise CommandError(f"{path}: {wrong}; inputs are {names}")
    return [arrays[name] for name in names]


def _document(report: VerificationReport) -> dict[str, Any]:
    return {
        "compared": report.compared,
        "outputs": [
            {
                "name": row.name,
                "expected": row.expected,
                "actual": row.actual,
                "max_abs": _finite(row.absolute),
                "max_rel": _finite(row.relative),
                "mismatches": row.mismatches,
                "ok": row.ok,
            }
            for row in report.differences
        ],
        "first_divergence": report.first_divergence,
    }


def _finite(number: float) -> float | None:
    """JSON knows no infinity."""
    return number if math.isfinite(number) else None
