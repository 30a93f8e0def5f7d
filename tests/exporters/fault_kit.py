"""Two models to export over each other, and the process whose children are killed at it."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper

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


def exporter(folder: Path, name: str, external: bool) -> OnnxExporter:
    """The exporter of a model; both models go to the same path."""
    return OnnxExporter(folder / "model.onnx", external_data=external, metadata={"is": name})


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def verdict(folder: Path) -> str:
    """Which of the models the files are, wholly; otherwise what is wrong."""
    model = onnx.load(folder / "model.onnx", load_external_data=False)
    (tensor,) = model.graph.initializer
    places = {entry.key: entry.value for entry in tensor.external_data}
    if not (folder / places["location"]).exists():
        return "no data"
    array = onnx.numpy_helper.to_array(tensor, str(folder))
    name = model.graph.name
    return name if np.array_equal(array, WEIGHTS[name]) else "mixed"


def export_for_ever(folder: Path) -> None:
    """Export the two models in turn until killed."""
    graphs = {name: graph_of_weights(name) for name in WEIGHTS}
    while True:
        for name, graph in graphs.items():
            exporter(folder, name, external=True).export(graph)


def main() -> None:
    """Kill children at random moments; print what each left, and check a rerun cleans up."""
    folder, moments, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    exporter(folder, "old", external=True).export(graph_of_weights("old"))
    for _ in range(moments):
        child = os.fork()
        if not child:
            export_for_ever(folder)
        time.sleep(rng.uniform(0.0, 0.06))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        print(verdict(folder))
    exporter(folder, "new", external=True).export(graph_of_weights("new"))
    assert verdict(folder) == "new"
    assert len(contents(folder)) == 2, sorted(contents(folder))


if __name__ == "__main__":
    main()
