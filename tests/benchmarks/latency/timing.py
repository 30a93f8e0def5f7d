"""Times models of one workload in turn, after checking that they agree with NumPy."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import onnx
import onnxruntime

from tests.benchmarks.latency.notes import in_one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.benchmarks.latency.workload import Array, Workload

SAMPLE = 0.002
"""Seconds of one sample; a busy moment of the machine then spoils few of many samples."""


class Latency(NamedTuple):
    """What one model costs.

    Attributes:
        nodes: In the file.
        running: After ONNX Runtime's own fusions.
        least: Seconds of the fastest sample, per run.
        median: Seconds of the middle sample, per run.
    """

    nodes: int
    running: int
    least: float
    median: float


class Runner:
    """One model, loaded for one thread, with its inputs bound."""

    def __init__(self, path: Path, workload: Workload) -> None:
        self.nodes = len(onnx.load(path, load_external_data=False).graph.node)
        with tempfile.TemporaryDirectory() as folder:
            optimized = Path(folder) / "optimized.onnx"
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.graph_optimization_level = (
                onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
            )
            options.log_severity_level = 4
            options.optimized_model_filepath = str(optimized)
            self.session = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )
            self.running = len(onnx.load(optimized).graph.node)
        self.binding = self.session.io_binding()
        for declared, one in zip(self.session.get_inputs(), workload.inputs, strict=True):
            self.binding.bind_cpu_input(declared.name, one.array)
        for declared in self.session.get_outputs():
            self.binding.bind_output(declared.name)

    def results(self) -> list[Array]:
        """Run once and return the outputs."""
        self.session.run_with_iobinding(self.binding)
        return list(self.binding.copy_outputs_to_cpu())

    def seconds(self, repeats: int) -> float:
        """Return the time of one run, of so many."""
        run, binding = self.session.run_with_iobinding, self.binding
        start = time.perf_counter()
        for _ in range(repeats):
            run(binding)
        return (time.perf_counter() - start) / repeats


def difference(workload: Workload, got: list[Array], wanted: list[Array]) -> str | None:
    """Return what is wrong with results, if anything."""
    if len(got) != len(wanted):
        return f"{len(got)} outputs instead of {len(wanted)}"
    for number, (mine, right) in enumerate(zip(got, wanted, strict=True)):
        if mine.shape != right.shape:
            return f"output {number} has shape {mine.shape} instead of {right.shape}"
        error = np.abs(mine - right) / np.maximum(1, np.abs(right))
        if not error.max() <= workload.tolerance:
            return f"output {number} is off by {error.max():.1e}"
    return None


def measure(
    workload: Workload, paths: Mapping[str, Path], rounds: int
) -> tuple[dict[str, Latency], dict[str, str]]:
    """Return the latency of each variant that is right, and why others have none."""
    wanted = workload.expected()
    runners: dict[str, Runner] = {}
    refused: dict[str, str] = {}
    for variant, path in paths.items():
        try:
            runner = Runner(path, workload)
            wrong = difference(workload, runner.results(), wanted)
        except Exception as error:  # a file that the runtime refuses is a result, too
            wrong = in_one_line(error)
        if wrong:
            refused[variant] = wrong
        else:
            runners[variant] = runner
    samples = interleaved(runners, rounds)
    found = {
        variant: Latency(
            runner.nodes,
            runner.running,
            min(samples[variant]),
            statistics.median(samples[variant]),
        )
        for variant, runner in runners.items()
    }
    return found, refused


def interleaved(runners: Mapping[str, Runner], rounds: int) -> dict[str, list[float]]:
    """Time each in turn, beginning with another one each round."""
    repeats = {
        variant: max(1, int(SAMPLE / min(runner.seconds(3) for _ in range(3))))
        for variant, runner in runners.items()
    }
    samples: dict[str, list[float]] = {variant: [] for variant in runners}
    order = list(runners)
    for _ in range(rounds):
        order.append(order.pop(0))
        for variant in order:
            samples[variant].append(runners[variant].seconds(repeats[variant]))
    return samples
