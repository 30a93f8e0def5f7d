"""Recording against NumPy's own execution, in one run: ``make bench``."""

from __future__ import annotations

import gc
import subprocess
import sys

import numpy as np

from tests.benchmarks.chains import best, chain, recording_seconds, seconds

LENGTH = 9_999


def test_recording_a_chain_against_executing_it(capsys):
    x = np.ones((4, 4), np.float32)
    executing = best(lambda: seconds(lambda: chain(x, LENGTH)))
    recording = best(lambda: recording_seconds(LENGTH))
    ratio = recording / executing
    with capsys.disabled():
        print(
            f"\nrecording {recording / LENGTH * 1e6:.2f} us/op, executing "
            f"{executing / LENGTH * 1e6:.2f} us/op: ratio {ratio:.1f} (bar 12, aim 6)"
        )
    assert ratio <= 12


def test_recording_cost_is_flat(capsys):
    gc.collect()
    gc.freeze()  # the test runner's own objects are not what recording makes the collector scan
    small = best(lambda: recording_seconds(999)) / 999
    large = best(lambda: recording_seconds(99_999), runs=3) / 99_999
    gc.unfreeze()
    with capsys.disabled():
        print(f"\nper op at 100,000 over 1,000: {large / small:.2f} (bar 0.7 to 1.3)")
    assert 0.7 <= large / small <= 1.3


IMPORTING = """
import time, numpy
start = time.perf_counter()
import capture
print(time.perf_counter() - start)
"""


def test_importing_capture(capsys):
    runs = [
        float(
            subprocess.run(
                [sys.executable, "-c", IMPORTING], capture_output=True, check=True, text=True
            ).stdout
        )
        for _ in range(5)
    ]
    with capsys.disabled():
        print(f"\nimport capture: {min(runs):.3f} s beyond NumPy (bar 0.25)")
    assert min(runs) <= 0.25
