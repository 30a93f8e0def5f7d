"""Models of any size: 3 GiB of weights round-trip without memory for a second copy."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.benchmarks import big_model

CONSTANT = 128 << 20
"""What an export may take however large the weights: a few blocks on their way to the disk."""

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads peak memory from /proc"
)


@pytest.mark.parametrize("kind", ["memory", "mapped"])
@pytest.mark.parametrize(
    "width", [1 << 11, pytest.param(big_model.WIDTH, marks=pytest.mark.slow)]
)
def test_weights_round_trip_in_little_memory(tmp_path: Path, kind: str, width: int) -> None:
    """Export in one process, load in ONNX Runtime alone in another, compare with NumPy."""
    big_model.layers(tmp_path, "mapped", width)
    found = big_model.in_process(tmp_path, "--measure", kind, "export", str(width))
    measured = big_model.Measurement(*json.loads(found))
    assert measured.weights == big_model.LAYERS * width**2 * 4
    assert measured.extra <= CONSTANT
    worst = float(big_model.in_process(tmp_path, "--check", str(width)))
    assert worst < 1e-4
    assert len(list(tmp_path.glob("big.onnx*"))) == 2
