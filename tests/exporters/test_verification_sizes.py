"""Made-up inputs have sizes that the graph takes."""

from __future__ import annotations

import numpy as np
import pytest

from capture import TensorSpec, trace
from exporters import verify
from exporters.verification_sizes import fitting_sizes
from ir import Dim
from ir.dims import symbols_of

n, m = TensorSpec(("n",), np.float32), TensorSpec(("m",), np.float32)


@pytest.mark.parametrize(
    ("program", "specs", "sizes"),
    [
        (lambda x: x.reshape(-1, 256).max(1), (n,), {"n": 256}),
        (lambda x: x[1:].reshape(-1, 48_000).max(1), (n,), {"n": 48_001}),
        (lambda x, y: x @ y, (n, m), {"n": 3, "m": 3}),
        (lambda x, y: x[::2] @ y, (n, m), {"n": 3, "m": 2}),
        (lambda x: x[20] + x, (n,), {"n": 21}),
        (lambda x: x @ np.ones(7, np.float32), (n,), {"n": 7}),
        (
            lambda x, y: x.reshape(-1, 6).sum(0) * y.reshape(5, -1).sum(),
            (n, m),
            {"n": 6, "m": 5},
        ),
    ],
)
def test_sizes_meet_the_constraints(program, specs, sizes):
    graph = trace(program, *specs)
    wanted = dict(zip((str(spec.shape[0]) for spec in specs), (3, 2), strict=False))
    assert fitting_sizes(wanted, {}, graph.constraints) == sizes
    assert verify(graph).ok


def test_what_cannot_be_met_is_left_alone():
    graph = trace(lambda x: x @ np.ones(7, np.float32), n)
    (symbol,) = symbols_of([Dim("n", max=5)])
    assert fitting_sizes({"n": 3}, {"n": symbol}, graph.constraints) == {"n": 3}


def test_outputs_have_elements_where_they_can():
    def windows(x, y):
        return np.lib.stride_tricks.sliding_window_view(x, 1500).max(1), np.diff(y)[4:], y[3:0]

    report = verify(trace(windows, n, m))
    assert [row.expected for row in report.differences[:3]] == ["f32[549]", "f32[1]", "f32[0]"]
