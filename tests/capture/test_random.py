"""Random draws: recorded on a capture device, eager and seedable on a NumPy device."""

from __future__ import annotations

import numpy as np
import pytest

import capture
import ir
from capture import CaptureDevice, NumpyDevice, capture_scope
from capture import random as draws
from capture.errors import ScopeError
from exporters import from_json, to_json, to_onnx
from exporters.running import run_model
from ir.errors import DTypeError

COUNT = 20_000

DRAWS = {
    "uniform": (lambda: draws.uniform(-1, 3, COUNT), 1.0, 4 / np.sqrt(12)),
    "uniform32": (
        lambda: draws.uniform(size=(COUNT,), dtype=np.float32),
        0.5,
        1 / np.sqrt(12),
    ),
    "normal": (lambda: draws.normal(2.0, 0.5, COUNT), 2.0, 0.5),
    "integers": (lambda: draws.integers(-2, 3, COUNT), 0.0, np.sqrt(2)),
    "bernoulli": (lambda: draws.bernoulli(0.25, COUNT), 0.25, np.sqrt(0.25 * 0.75)),
}


def recorded(draw):
    with capture_scope(CaptureDevice()) as scope:
        scope.input("unused", (2,))
        scope.output("drawn", draw())
        scope.output("unused_again", scope.constant(np.zeros(2)))
    return scope.graph


@pytest.mark.filterwarnings("ignore::capture.scope.UnusedInputWarning")
@pytest.mark.parametrize("name", DRAWS)
def test_a_recorded_draw_has_the_distribution_in_both_runtimes(name):
    draw, mean, deviation = DRAWS[name]
    graph = recorded(draw)
    ir.check(graph)
    assert from_json(to_json(graph)) == graph
    eager = draw()
    assert type(eager) is np.ndarray
    feeds = {"unused": np.zeros(2, np.float32)}
    for drawn in (eager, graph(**feeds)[0], run_model(to_onnx(graph), feeds)[0]):
        assert drawn.dtype == eager.dtype
        assert drawn.shape == (COUNT,)
        assert abs(drawn.mean() - mean) < 0.05
        assert abs(drawn.std() - deviation) < 0.05


def test_each_run_draws_anew_and_equal_draws_stay_apart():
    def program(x):
        return x + draws.normal(size=x.shape), x + draws.normal(size=x.shape)

    graph = capture.trace(program, np.zeros((2, 3)), dynamic={0: {0: "n"}})
    assert sum(node.op.name == "random_normal" for node in graph.nodes) == 2
    one, other = graph(np.zeros((4, 3)))
    assert (one != other).all()
    assert (graph(np.zeros((4, 3)))[0] != one).all()


def test_integers_stay_in_their_range():
    graph = capture.trace(lambda x: x * 0 + draws.integers(3, 6, x.shape), np.zeros(500, int))
    values = run_model(to_onnx(graph), {"x": np.zeros(500, int)})[0]
    assert set(values) == {3, 4, 5}


def test_a_numpy_device_draws_now_and_is_seedable():
    device = NumpyDevice(seed=3)
    first = draws.normal(size=4, device=device)
    device.seed(3)
    np.testing.assert_array_equal(draws.normal(size=4, device=device), first)


def test_a_capture_device_records_inside_its_scope_only():
    device = CaptureDevice()
    with pytest.raises(ScopeError):
        draws.uniform(device=device)
    with capture_scope(device) as scope:
        scope.output("y", draws.bernoulli(np.array([0.0, 1.0]), device=device))
    np.testing.assert_array_equal(scope.graph(), [False, True])


def test_refusals():
    with pytest.raises(ValueError, match="low 3 must be below high 3"):
        draws.integers(3, 3)
    with capture_scope(CaptureDevice()), pytest.raises(DTypeError, match="not int32"):
        draws.normal(size=2, dtype=np.int32)
