"""Two graphs to export over each other, faults, and a process whose children are killed."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import onnx
import onnx.checker
import onnx.numpy_helper
import pytest

from exporters import files
from exporters.json import JsonExporter, JsonFormatError, load_json
from exporters.onnx import OnnxExporter
from ir.builder import GraphBuilder
from ir.graph import Graph
from ir.ops import elementwise as ew
from ir.types import type_of

WEIGHTS = {
    "old": np.arange(300_000, dtype=np.float32),
    "new": np.arange(300_000, dtype=np.float32)[::-1],
}


def graph_of_weights(name: str) -> Graph:
    """A sum with the weights, under the name."""
    weights = WEIGHTS[name]
    builder = GraphBuilder()
    x = builder.add_value(type_of(weights))
    y = builder.append(ew.add, (x, builder.add_value(type_of(weights), "w", weights)))
    return builder.finish([("x", x)], [("y", y)], name=name)


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


class ExportedFiles(Protocol):
    """A format whose documents have data files: exports to one path, and reads them again.

    Attributes:
        name: Of the document.
        suffix: Of its data files.
    """

    name: str
    suffix: str

    def export(self, folder: Path, name: str, external: bool = True) -> None:
        """Write one of the graphs to the path that both go to."""

    def verdict(self, folder: Path) -> str:
        """Which of the graphs the files are, wholly; otherwise what is wrong."""


class OnnxFiles:
    """A model with external data."""

    name, suffix = "model.onnx", ".data"

    def export(self, folder: Path, name: str, external: bool = True) -> None:
        exporter = OnnxExporter(
            folder / self.name, external_data=external, metadata={"is": name}
        )
        exporter.export(graph_of_weights(name))

    def verdict(self, folder: Path) -> str:
        model = onnx.load(folder / self.name, load_external_data=False)
        (tensor,) = model.graph.initializer
        places = {entry.key: entry.value for entry in tensor.external_data}
        try:
            array = onnx.numpy_helper.to_array(tensor, str(folder))
        except (onnx.checker.ValidationError, OSError, RuntimeError) as error:
            return _told(error, folder / places["location"])
        name = model.graph.name
        return name if np.array_equal(array, WEIGHTS[name]) else "mixed"


class JsonFiles:
    """A JSON graph with a sidecar."""

    name, suffix = "model.json", ".safetensors"

    def export(self, folder: Path, name: str, external: bool = True) -> None:
        limit = 1000 if external else None
        JsonExporter(folder / self.name, inline_limit=limit).export(graph_of_weights(name))

    def verdict(self, folder: Path) -> str:
        sidecar = json.loads((folder / self.name).read_bytes()).get("sidecar")
        try:
            graph = load_json(folder / self.name)
        except JsonFormatError as error:
            return _told(error, folder / str(sidecar))
        (weights,) = graph.constants
        same = weights.data is not None and np.array_equal(weights.data, WEIGHTS[graph.name])
        return graph.name if same else "mixed"


def _told(error: Exception, data: Path) -> str:
    """Return what a reader was told; the data may be gone for a moment and there again."""
    gone = "No such file" in str(error) or not data.exists()
    return "no data" if gone else str(error)


class Faults:
    """Fails the n-th of all writes, syncs and renames of an export.

    Args:
        number: Which one fails; beyond the last, none does.
        error: What it raises.
    """

    def __init__(self, number: int, error: BaseException) -> None:
        self._left = number
        self._error = error
        self.failed = False

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.failed = True
            raise self._error

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        replace, fsync, opened = os.replace, os.fsync, Path.open

        def failing_replace(*paths: Any) -> None:
            self.step()
            replace(*paths)

        def failing_fsync(descriptor: int) -> None:
            self.step()
            fsync(descriptor)

        def failing_open(path: Path, mode: str = "r", **options: Any) -> Any:
            if mode != "xb":
                return opened(path, mode, **options)
            self.step()
            return FailingFile(opened(path, mode, **options), self)

        monkeypatch.setattr(files.os, "replace", failing_replace)
        monkeypatch.setattr(files.os, "fsync", failing_fsync)
        monkeypatch.setattr(files.Path, "open", failing_open)


class FailingFile:
    """A file whose writes count as steps."""

    def __init__(self, file: BinaryIO, faults: Faults) -> None:
        self._file = file
        self._faults = faults

    def write(self, data: Any) -> int:
        self._faults.step()
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def export_for_ever(exported: ExportedFiles, folder: Path) -> None:
    """Export the two graphs in turn until killed, with data files and without."""
    while True:
        for external in (True, True, False):
            for name in WEIGHTS:
                exported.export(folder, name, external)


KINDS: dict[str, ExportedFiles] = {"OnnxFiles": OnnxFiles(), "JsonFiles": JsonFiles()}


def main() -> None:
    """Kill children at random moments; print what each left, and check a rerun cleans up."""
    exported, folder = KINDS[sys.argv[1]], Path(sys.argv[2])
    moments, seed = int(sys.argv[3]), int(sys.argv[4])
    rng = random.Random(seed)
    exported.export(folder, "old")
    for _ in range(moments):
        child = os.fork()
        if not child:
            export_for_ever(exported, folder)
        time.sleep(rng.uniform(0.0, 0.1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print(exported.verdict(folder))
    exported.export(folder, "new")
    assert exported.verdict(folder) == "new"
    assert len(contents(folder)) == 2, sorted(contents(folder))


if __name__ == "__main__":
    main()
