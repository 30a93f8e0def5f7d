"""Measure everything and write ``docs/benchmarks.md``: ``python -m tests.benchmarks.report``.

Ten minutes and 20 GB of disk; ``--width 4096`` takes smaller weights, ``--peers PYTHON`` names an
interpreter that has torch, jax2onnx, ndonnx and skl2onnx. Times are the least of several runs,
ratios are of times from one process.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import numpy as np

from exporters import to_json, to_onnx
from tests.benchmarks import big_model
from tests.benchmarks.chains import (
    bare_protobuf,
    best,
    chain,
    finishing,
    recording_seconds,
    seconds,
)
from tests.benchmarks.latency import table as latency

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
LENGTHS = (999, 9_999, 99_999)

INTRODUCTION = """\
# Benchmarks

Written by `python -m tests.benchmarks.report`. {machine}

The chain is additions, multiplications and hyperbolic tangents of a (4, 4) array. Times are per
operation or node, the least of several runs; a ratio compares two times of the same run.
"""


def machine() -> str:
    """Return what was measured with."""
    packages = [
        f"{name} {metadata.version(name)}" for name in ("numpy", "onnx", "onnxruntime")
    ]
    return (
        f"CPython {platform.python_version()}, {', '.join(packages)}, "
        f"{os.cpu_count()} cores, {platform.machine()}, load average {os.getloadavg()[0]:.1f}: "
        "above 1 other programs ran too, and times vary by a factor of two."
    )


def recording() -> list[str]:
    """Recording against NumPy's own execution."""
    return [
        "## Recording against running NumPy",
        "",
        "| operations | recording | NumPy | ratio (bar 12) |",
        "|---|---|---|---|",
        *map(recording_row, LENGTHS),
    ]


def recording_row(length: int) -> str:
    """Return the row of one length."""
    x = np.ones((4, 4), np.float32)
    ours = best(lambda: recording_seconds(length), 5) / length
    numpy = best(lambda: seconds(lambda: chain(x, length)), 5) / length
    return f"| {length:,} | {ours * 1e6:.2f} µs | {numpy * 1e6:.2f} µs | {ours / numpy:.1f} |"


def exporting() -> list[str]:
    """Exporting against bare protobuf for the same content, and JSON against ONNX."""
    return [
        "## Exporting against bare protobuf",
        "",
        "`to_onnx` and serialising, against protobuf calls alone for the same bytes; the graph is",
        "finished before (`finish` is what leaving the scope costs).",
        "",
        "| nodes | finish | export | bare protobuf | ratio (bar 2) | `to_json` | JSON over ONNX |",
        "|---|---|---|---|---|---|---|",
        *map(exporting_row, LENGTHS),
    ]


def exporting_row(length: int) -> str:
    """Return the row of one length."""
    finish, graph = min((finishing(length) for _ in range(3)), key=lambda pair: pair[0])
    build = bare_protobuf(to_onnx(graph))
    export, floor, json = [], [], []
    for _ in range(7):  # in turn, so that a busy moment of the machine meets all of them
        export.append(seconds(lambda: to_onnx(graph).SerializeToString()))
        floor.append(seconds(build))
        json.append(seconds(lambda: to_json(graph)))
    ratio, json_ratio = min(export) / min(floor), min(json) / min(export)
    finish_us, export_us, floor_us, json_us = (
        f"{spent / length * 1e6:.2f} µs"
        for spent in (finish, min(export), min(floor), min(json))
    )
    return (
        f"| {length:,} | {finish_us} | {export_us} | {floor_us} | {ratio:.2f} | {json_us} | "
        f"{json_ratio:.2f} |"
    )


def weights(width: int) -> list[str]:
    """Large weights against writing their bytes alone."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            "## Large weights",
            "",
            "`OnnxExporter(external_data=True)`, against `ndarray.tofile` of the same arrays into",
            "a new file; both sync to the disk. Extra memory is the peak above the weights.",
            "",
            *big_model.rows(Path(folder), width),
        ]


def main() -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=big_model.WIDTH, help="of a layer")
    parser.add_argument("--peers", default=sys.executable, help="a Python that has the peers")
    options = parser.parse_args()
    sections = [INTRODUCTION.format(machine=machine()).splitlines()]
    for section in (
        recording,
        exporting,
        lambda: latency.section(options.peers),
        lambda: weights(options.width),
    ):
        sections.append(section())
        print("\n".join(sections[-1]), flush=True)
    text = "\n\n".join("\n".join(section).strip() for section in sections) + "\n"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
