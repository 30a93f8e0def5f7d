"""The models that this project and an expert write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import capture
from exporters import to_onnx
from tests.benchmarks.latency.workload import in_one_line

if TYPE_CHECKING:
    from pathlib import Path

    import onnx

    from tests.benchmarks.latency.workload import Workload

OURS = "graph-capture"
HAND_WRITTEN = "hand-written"
LEVELS = {OURS: 1, f"{OURS}, optimize=0": 0, f"{OURS}, optimize=2": 2}


def captured(workload: Workload, level: int = 1) -> onnx.ModelProto:
    """Capture the NumPy program and export it."""
    specifications = [
        capture.TensorSpec(one.shape, one.array.dtype) for one in workload.inputs
    ]
    return to_onnx(capture.trace(workload.program, *specifications), optimize=level)


def write(workload: Workload, folder: Path) -> dict[str, str]:
    """Write the hand-written and the captured models; return what failed, and why."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{HAND_WRITTEN}.onnx").write_bytes(workload.hand_written().SerializeToString())
    failed = {}
    for variant, level in LEVELS.items():
        try:
            made = captured(workload, level)
        except Exception as error:  # a refusal is a line of the table
            failed[variant] = in_one_line(error)
        else:
            (folder / f"{variant}.onnx").write_bytes(made.SerializeToString())
    return failed
