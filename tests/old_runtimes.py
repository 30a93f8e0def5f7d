"""Run every sample in other releases of ONNX Runtime: ``python -m tests.old_runtimes PYTHON …``.

Each argument is the interpreter of an environment with that release, NumPy and ml_dtypes. A file
is run where it says that it can be; what does not give NumPy's values there belongs into
``exporters/onnx/kernels/faults.py``. Takes minutes per release, hence no test.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from exporters import to_onnx
from exporters.errors import ExportError
from exporters.onnx.kernels import MINIMAL_RUNTIME
from ir.graph import Graph
from tests.exporters.test_fusion import graph_of as fused_graph
from tests.fusion import SAMPLES as FUSED
from tests.fusion.base import EDGES, with_edges
from tests.samples import SAMPLES
from tests.samples.checking import capture_sample, resized, run_numpy

Case = tuple[str, Graph, tuple[Any, ...], Any]
"""What to call it, the program's graph, its arguments and the sample."""


def cases(pattern: str) -> Iterator[Case]:
    """Yield every sample as it is, with open axes, and with edge values in it."""
    for sample in SAMPLES:
        if re.search(pattern, sample.name):
            yield sample.name, capture_sample(sample, sample.arrays), sample.arrays, sample
            if sample.symbolic:
                graph = capture_sample(sample, sample.arrays, symbolic=True)
                for size in (0, 1, 5) if sample.empty else (1, 5):
                    yield f"{sample.name}@{size}", graph, resized(sample, size), sample
    for fused in FUSED:
        if re.search(pattern, fused.name):
            graph = fused_graph(fused)
            yield fused.name, graph, fused.arrays, fused
            for row in range(len(EDGES) if fused.edges and fused.level == 1 else 0):
                arrays = tuple(with_edges(array, row) for array in fused.arrays)
                yield f"{fused.name}, {EDGES[row]}", graph, arrays, fused


def record(case: Case, opset: int) -> dict[str, Any]:
    """Return what the worker needs of a case."""
    name, graph, arrays, sample = case
    level, least = getattr(sample, "level", 1), getattr(sample, "opset", 0)
    model = to_onnx(graph, opset=max(opset, least), optimize=level)
    names = [value.name for value in graph.inputs]
    return {
        "name": name,
        "model": model.SerializeToString(),
        "needs": _needs(model),
        "feeds": dict(zip(names, map(np.asarray, arrays), strict=True)),
        "results": run_numpy(sample, arrays),
        "rtol": sample.rtol or 0.0,
        "atol": sample.atol,
    }


def _needs(model: onnx.ModelProto) -> str | None:
    said = {entry.key: entry.value for entry in model.metadata_props}.get(MINIMAL_RUNTIME)
    return None if said is None else said.split()[1]


def write(path: Path, pattern: str, opset: int) -> int:
    """Store every case that the opset has a form of; return how many."""
    count = 0
    with path.open("wb") as file:
        for case in cases(pattern):
            try:
                pickle.dump(record(case, opset), file)
            except ExportError:
                continue
            count += 1
        pickle.dump(None, file)
    return count


def run(python: str, path: Path) -> Iterator[str]:
    """Yield what goes wrong in the runtime of an interpreter, processes that end included."""
    worker, start = Path(__file__).with_name("runtime_worker.py"), 0
    while True:
        command = [python, str(worker), str(path), str(start)]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "["]
        yield from (f"{name}: {text}" for _, name, text in lines if text is not None)
        if done.returncode == 0:
            return
        if not lines:
            raise RuntimeError(done.stderr)
        index, name, _ = lines[-1]
        yield f"{name}: the process ended with {done.returncode}"
        start = index + 1


def main() -> int:
    """Export the samples once, and run them in every release given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="+")
    parser.add_argument("--opset", type=int, default=20)
    parser.add_argument("-k", dest="pattern", default="", help="names of samples")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = 0
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        path = Path(folder, "cases")
        print(write(path, asked.pattern, asked.opset), "models")
        for python in asked.python:
            for line in run(python, path):
                print(f"{python}: {line}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
