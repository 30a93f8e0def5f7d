"""Export 3 GiB of weights, in memory and mapped: ``python -m tests.benchmarks.big_model``.

Each measurement is a process of its own, so that its peak memory is its own. The floor writes
the same bytes with ``ndarray.tofile`` and syncs them to the disk, as the exporter does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

GIB = 1 << 30
LAYERS = 3
WIDTH = 1 << 14
"""A layer of this width takes 1 GiB in float32."""


class Measurement(NamedTuple):
    """What one process found.

    Attributes:
        seconds: How long writing took.
        extra: Peak memory of the process beyond that before writing, without mapped files.
        weights: Bytes of weights.
    """

    seconds: float
    extra: int
    weights: int


def memory(field: str) -> int:
    """Return a field of ``/proc/self/status`` in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))


class PeakMemory:
    """Samples anonymous memory from a thread: mapped pages of a file can always be dropped."""

    def __enter__(self) -> PeakMemory:
        import threading

        self._before = self._peak = memory("RssAnon")
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.005):
            self._peak = max(self._peak, memory("RssAnon"))

    def __exit__(self, *exc_info: object) -> None:
        self._done.set()
        self._thread.join()

    @property
    def extra(self) -> int:
        return self._peak - self._before


def layers(folder: Path, kind: str, width: int) -> list[np.ndarray]:
    """Return different matrices, in memory or mapped from files made before."""
    found = []
    for number in range(LAYERS):
        path = folder / f"layer{number}.bin"
        if not path.exists():
            rng = np.random.default_rng(number)
            with path.open("wb") as file:
                for _ in range(16):
                    rows = rng.standard_normal((width // 16, width), np.float32)
                    (rows / np.float32(width**0.5)).tofile(file)
        mapped = np.memmap(path, np.float32, "r", shape=(width, width))
        found.append(mapped if kind == "mapped" else np.array(mapped))
    return found


def write_plainly(folder: Path, weights: list[np.ndarray]) -> None:
    """Write the bytes alone, to a new file that takes the old one's place.

    Over an old file it would be several times faster on some machines: the page cache gives
    back the pages it just dropped.
    """
    with (folder / "new.bin").open("wb") as file:
        for array in weights:
            array.tofile(file)
        file.flush()
        os.fsync(file.fileno())
    (folder / "new.bin").replace(folder / "plain.bin")


def measure(folder: Path, kind: str, way: str, width: int) -> Measurement:
    """Write the weights in one way, in this process."""
    weights = layers(folder, kind, width)
    size = sum(array.nbytes for array in weights)
    if way == "tofile":
        start = time.perf_counter()
        write_plainly(folder, weights)
        return Measurement(time.perf_counter() - start, 0, size)
    import capture
    from exporters import OnnxExporter

    def network(x):  # type: ignore[no-untyped-def]
        for array in weights:
            x = np.tanh(x @ array)
        return x

    exporter = OnnxExporter(folder / "big.onnx", external_data=True)
    with PeakMemory() as peak:
        graph = capture.trace(network, capture.TensorSpec(("batch", width), np.float32))
        start = time.perf_counter()
        exporter.export(graph)
        seconds = time.perf_counter() - start
    return Measurement(seconds, peak.extra, size)


def check(folder: Path, width: int) -> float:
    """Load the model in ONNX Runtime alone; return the largest difference from NumPy."""
    import onnxruntime

    x = np.linspace(-1, 1, width, dtype=np.float32).reshape(1, width)
    session = onnxruntime.InferenceSession(
        folder / "big.onnx", providers=["CPUExecutionProvider"]
    )
    (got,) = session.run(None, {"x": x})
    for array in layers(folder, "mapped", width):
        x = np.tanh(x @ array)
    return float(np.abs(got - x).max())


def in_process(folder: Path, *words: str) -> str:
    """Run this module's command in a process of its own and return what it prints."""
    command = [sys.executable, "-m", "tests.benchmarks.big_model", "--in", str(folder), *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def rows(folder: Path, width: int = WIDTH, runs: int = 2) -> list[str]:
    """Measure everything and return lines of a Markdown table."""
    layers(folder, "mapped", width)
    lines = [
        "| weights | export | `tofile` and sync | ratio (bar 1.3) | extra memory |",
        "|---|---|---|---|---|",
    ]
    for kind in ("memory", "mapped"):
        found: dict[str, list[Measurement]] = {"tofile": [], "export": []}
        for _ in range(runs):
            for way, measured in found.items():
                text = in_process(folder, "--measure", kind, way, str(width))
                measured.append(Measurement(*json.loads(text)))
        export, floor = (min(found[way]) for way in ("export", "tofile"))
        extra = max(one.extra for one in found["export"]) / export.weights
        lines.append(
            f"| {export.weights / GIB:.2f} GiB, {kind} | {export.seconds:.2f} s | "
            f"{floor.seconds:.2f} s | {export.seconds / floor.seconds:.2f} | {extra:.1%} |"
        )
    worst = in_process(folder, "--check", str(width)).strip()
    lines += ["", f"Loaded back in ONNX Runtime alone: largest difference from NumPy {worst}."]
    return lines


def main() -> None:
    """Measure in a temporary folder, or one part where the command says so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--in", dest="folder", type=Path, help="a folder with 10 GiB of room")
    parser.add_argument("--measure", nargs=3, metavar=("KIND", "WAY", "WIDTH"))
    parser.add_argument("--check", type=int, metavar="WIDTH")
    options = parser.parse_args()
    if options.measure:
        kind, way, width = options.measure
        print(json.dumps(measure(options.folder, kind, way, int(width))))
    elif options.check:
        print(f"{check(options.folder, options.check):.1e}")
    else:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            print("\n".join(rows(Path(folder))))


if __name__ == "__main__":
    main()
