"""The models that this project and an expert write."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import capture
from exporters import to_onnx

if TYPE_CHECKING:
    import onnx

    from exporters.onnx.legality import Optimize
    from tests.benchmarks.latency.notes import Notes
    from tests.benchmarks.latency.workload import Workload

OURS = "graph-capture"
HAND_WRITTEN = "hand-written"
LOOSE = f"{OURS}, optimize=2"
LEVELS: dict[str, Optimize] = {OURS: 1, f"{OURS}, optimize=0": 0, LOOSE: 2}


def captured(workload: Workload, level: Optimize = 1) -> onnx.ModelProto:
    """Capture the NumPy program and export it."""
    specifications = [
        capture.TensorSpec(one.shape, one.array.dtype) for one in workload.inputs
    ]
    return to_onnx(capture.trace(workload.program, *specifications), optimize=level)


def write(workload: Workload, notes: Notes) -> None:
    """Write the hand-written and the captured models."""
    notes.write(workload, HAND_WRITTEN, workload.hand_written)
    for variant, level in LEVELS.items():
        notes.write(workload, variant, partial(captured, workload, level))
