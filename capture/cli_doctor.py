"""``graph-capture doctor``: what is installed, and whether it works together."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.cli_errors import ExitCode
from capture.cli_parser import version
from capture.cli_run import first_line
from capture.inputs import TensorSpec
from capture.tracing import trace
from exporters.onnx.kernels import kernel_table, kernel_versions
from exporters.onnx.legality import OLDEST_OPSET, newest_opset

if TYPE_CHECKING:
    import argparse

    from capture.cli_console import Console

_PACKAGES = (
    "numpy",
    "ml_dtypes",
    "onnx",
    "onnxruntime",
    "safetensors",
    "networkx",
    "graphlay",
)
_NO_RUNTIME = "onnxruntime is not installed: run and verify need it"


def doctor(options: argparse.Namespace, console: Console) -> ExitCode:
    """Print versions, opsets and kernel tables, and try one export."""
    table = kernel_table()
    packages = {name: _installed(name) for name in _PACKAGES}
    problem = _trial() if packages["onnxruntime"] else _NO_RUNTIME
    trial_failed = problem not in (None, _NO_RUNTIME)
    document = {
        "ok": not trial_failed,
        "graph_capture": version(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": packages,
        "opsets": {
            "oldest": OLDEST_OPSET,
            "newest_onnxruntime": newest_opset("onnxruntime"),
            "newest_standard": newest_opset("standard"),
        },
        "kernel_table": {
            "installed_runtime": table.runtime,
            "opsets": [table.oldest_opset, table.newest_opset],
            "tables": list(kernel_versions()),
        },
        "problem": problem,
    }
    if options.json_output:
        console.result_json(document)
    else:
        console.result(_text(document, console))
    return ExitCode.FAILED if trial_failed else ExitCode.OK


def _text(document: dict[str, Any], console: Console) -> str:
    opsets, table = document["opsets"], document["kernel_table"]
    rows = [
        ("graph-capture", document["graph_capture"]),
        ("python", f"{document['python']} on {document['platform']}"),
        *((name, found or "not installed") for name, found in document["packages"].items()),
        (
            "opsets",
            f"{opsets['oldest']} to {opsets['newest_onnxruntime']} for onnxruntime, "
            f"to {opsets['newest_standard']} for standard",
        ),
        (
            "kernel table",
            f"{table['installed_runtime']}, opsets {table['opsets'][0]} to "
            f"{table['opsets'][1]}",
        ),
        ("tables for", f"onnxruntime {', '.join(table['tables'])}"),
    ]
    problem = document["problem"]
    verdict = console.verdict(
        document["ok"], problem or "capture, export and ONNX Runtime work together"
    )
    return "\n".join(
        [*(f"{name:<14} {text}" for name, text in rows), f"{'trial':<14} {verdict}"]
    )


def _installed(name: str) -> str | None:
    for distribution in (name, f"{name}-gpu") if name == "onnxruntime" else (name,):
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    return None


def _trial() -> str | None:
    """Capture, export and run one program; return what went wrong."""
    try:
        from exporters.verification import verify

        weights = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
        spec = TensorSpec(("batch", 4), np.float32)
        verify(trace(lambda x: np.tanh(x @ weights).sum(axis=1), spec))
    except Exception as error:  # whatever it is, telling it is this command's purpose
        return f"{type(error).__name__}: {first_line(error)}"
    return None
