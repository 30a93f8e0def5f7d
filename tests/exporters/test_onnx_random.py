"""Random ops by their distributions: static, symbolic and 0-d, new on every run."""

from __future__ import annotations

import numpy as np
import pytest

from exporters.errors import UnsupportedLoweringError
from exporters.onnx import to_onnx
from exporters.running import ModelSession
from ir.builder import GraphBuilder
from ir.dims import Dim
from ir.ops import random as rnd
from ir.types import TensorType
from tests.exporters.onnx_checks import assert_valid, chain

FLOATS = [np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)]
COUNT = 20_000
N = Dim("n")


def draws(op, symbolic):
    builder = GraphBuilder()
    x = builder.add_value(TensorType(np.dtype(np.float32), (N, 2)))
    graph = builder.finish([("x", x)], [("y", builder.append(op, ()))])
    model = to_onnx(graph)
    assert_valid(model)
    session = ModelSession(model)
    feeds = {"x": np.zeros((COUNT // 2, 2), np.float32)}
    first, second = (session.run(feeds)[0] for _ in range(2))
    assert first.dtype == graph.outputs[0].type.dtype
    assert first.shape == ((COUNT // 2, 2) if symbolic else (COUNT,))
    assert (first != second).any()
    return first.astype(np.float64)


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats(dtype, symbolic):
    shape = (N, 2) if symbolic else (COUNT,)
    uniform = draws(rnd.RandomUniform(shape, dtype, -1.0, 3.0), symbolic)
    assert -1 <= uniform.min() < -0.95
    assert 2.95 < uniform.max() <= 3
    assert abs(uniform.mean() - 1) < 0.05
    normal = draws(rnd.RandomNormal(shape, dtype, 5.0, 2.0), symbolic)
    assert abs(normal.mean() - 5) < 0.1
    assert abs(normal.std() - 2) < 0.1


@pytest.mark.parametrize("symbolic", [False, True])
def test_integers(symbolic):
    shape = (N, 2) if symbolic else (COUNT,)
    drawn = draws(rnd.RandomIntegers(shape, -2, 4), symbolic)
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [-2, -1, 0, 1, 2, 3]
    assert abs(counts / COUNT - 1 / 6).max() < 0.02


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_bernoulli(dtype):
    session = ModelSession(to_onnx(chain(rnd.Bernoulli(), TensorType(dtype, (3, N)))))
    probability = np.repeat(np.array([[0.0], [0.25], [1.0]], dtype), COUNT, 1)
    (drawn,) = session.run({"x0": probability})
    assert drawn.dtype == bool
    never, sometimes, always = drawn.mean(1)
    assert (never, always) == (0, 1)
    assert abs(sometimes - 0.25) < 0.02


def test_a_single_number():
    op = rnd.RandomUniform((), np.dtype(np.float32))
    (drawn,) = ModelSession(to_onnx(chain(op))).run({})
    assert drawn.shape == ()
    assert 0 <= drawn <= 1


def test_refusals():
    op = rnd.RandomUniform((3,), np.dtype(np.float32))
    with pytest.raises(UnsupportedLoweringError, match="opset=21 or earlier"):
        to_onnx(chain(op), opset=22)
    with pytest.raises(UnsupportedLoweringError, match="more than a float64 draw tells"):
        to_onnx(chain(rnd.RandomIntegers((3,), 0, 2**62)))
