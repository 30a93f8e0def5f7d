"""What refusals propose, in the user's own words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage

import capture
from capture import TensorSpec
from capture.errors import ConcreteValueError, UnsupportedError
from ir.errors import ShapeError
from tests.capture.telling import HERE, told

MATRIX = TensorSpec((3, 4), np.float64)


def message(error, function):
    with pytest.raises(error) as caught:
        capture.trace(function, MATRIX)
    return told(caught)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (np.linalg.svd, "np.linalg.svd: has no captured form yet: it decomposes a matrix"),
        (np.fft.fft, "np.fft.fft: has no captured form yet: Fourier transforms are not"),
        (
            lambda x: np.save("x.npy", x),
            "np.save: has no captured form yet: it reads or writes",
        ),
        (np.array_str, "np.array_str: has no captured form yet: it makes or reads text"),
    ],
)
def test_the_problem_then_the_line_then_a_way_out(function, problem):
    first, line, *rest = message(UnsupportedError, lambda x: function(x)).splitlines()
    assert first.startswith(problem)
    assert line == HERE
    assert rest[0].startswith("  ways out: ")


def test_a_range_over_a_captured_number():
    def program(x):
        n = np.count_nonzero(x)
        for _ in range(1, n):
            x = x + 1
        return x

    assert message(ConcreteValueError, program).endswith(
        f"{HERE}\n  ways out: @capture.control_flow on program, which turns its own branches and "
        "loops\n            capture.fori_loop(1, n, lambda i, value: …, value)\n"
        "            operate on the whole axis instead of looping over rows"
    )


def test_a_range_over_a_length_that_depends_on_data():
    def program(x):
        positive, total = x[x > 0], 0.0
        for i in range(len(positive)):
            total = total + positive[i]
        return total

    assert "capture.fori_loop(0, positive.shape[0], lambda" in message(
        ConcreteValueError, program
    )


def test_a_length_outside_a_loop():
    text = message(ConcreteValueError, lambda x: x + len(x[x > 0]))
    assert "x.shape[0] gives a symbolic size" in text
    assert "capture.fori_loop" in text


def test_a_library_that_needs_numbers_is_named_at_the_users_line():
    text = message(ConcreteValueError, lambda x: scipy.ndimage.gaussian_filter(x, 1))
    _, line, ways_out = text.splitlines()
    assert line == HERE
    assert ways_out.startswith("  ways out: scipy computes with numbers: let it run outside")


def test_a_size_that_depends_on_data_against_a_number():
    text = message(ShapeError, lambda x: x[0][x[0] > 0] * np.ones(3))
    assert text.splitlines()[2:4] == [
        HERE,
        "  ways out: .reshape(3) on f64[count1] relies on its size, and every run checks it",
    ]


def test_a_computed_size_against_a_number():
    with pytest.raises(ShapeError) as caught:
        capture.trace(lambda x: x[:8] * np.ones(8), TensorSpec(("n",), np.float64))
    assert ".reshape(8) on f64[min(n,8)] relies on its size" in told(caught)


def test_a_declared_size_against_a_number_is_told_otherwise():
    with pytest.raises(ShapeError) as caught:
        capture.trace(lambda x: x * np.ones(3), TensorSpec(("n",), np.float64))
    assert "declare both axes" in str(caught.value)
    assert "reshape" not in told(caught)
