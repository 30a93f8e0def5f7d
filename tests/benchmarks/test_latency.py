"""What the latency benchmark compares gives the same numbers."""

from __future__ import annotations

import pytest

from tests.benchmarks.latency import ours
from tests.benchmarks.latency.notes import Notes
from tests.benchmarks.latency.registry import WORKLOADS
from tests.benchmarks.latency.timing import Runner, difference


@pytest.mark.parametrize("variant", [ours.HAND_WRITTEN, *ours.LEVELS])
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: workload.slug)
def test_model_agrees_with_numpy(workload, variant, tmp_path):
    notes = Notes(tmp_path)
    ours.write(workload, notes)
    assert notes.failed == {}
    results = Runner(notes.path(workload, variant), workload).results()
    assert difference(workload, results, workload.expected()) is None
