"""Programs that crash ONNX Runtime when written op by op."""

import numpy as np
import pytest

import capture
from exporters import to_onnx
from exporters.verification import run_model

WEIGHTS = np.random.default_rng(0).standard_normal((7, 2)).astype("f4")
BYTES = np.arange(7 * 3 * 5, dtype="u1").reshape(7, 3, 5)


def cast_of_transpose(x):
    return x.transpose(1, 2, 0).astype(np.float32) @ WEIGHTS


def cast_of_sum_of_transpose(x):
    turned = x.transpose(1, 2, 0)
    return (turned + turned)[:, None].astype(np.float32) @ WEIGHTS


def from_the_left(x):
    return WEIGHTS.T @ x.transpose(1, 0, 2).astype(np.float32)


def of_doubles(x):
    return x.astype(np.float64).transpose(1, 2, 0).astype(np.float32) @ WEIGHTS


PROGRAMS = [cast_of_transpose, cast_of_sum_of_transpose, from_the_left, of_doubles]


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("open_axis", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_transpose_a_cast_and_a_product(program, open_axis, level):
    dynamic = {0: {2 if program is from_the_left else 1: "n"}} if open_axis else None
    graph = capture.trace(program, BYTES, dynamic=dynamic)
    model = to_onnx(graph, optimize=level)
    (got,) = run_model(model, {"x": BYTES})
    np.testing.assert_allclose(got, program(BYTES), rtol=1e-5)
