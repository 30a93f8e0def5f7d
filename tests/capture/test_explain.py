"""``capture.explain``: every refusal of a program at once."""

from __future__ import annotations

import numpy as np
import pytest

import capture
from capture import TensorSpec
from capture.errors import ConcreteValueError, RandomnessError, UnsupportedError
from ir.errors import ShapeError


def difficult(x):
    if x.sum() > 0:  # noqa: SIM108 - the branch is what is explained
        y = x * float(x[0])
    else:
        y = x
    _, r = np.linalg.qr(np.outer(y, y))
    y = y + np.random.rand(3) + r[0]
    return np.fft.fft(y).real


def easy(x):
    y = np.zeros(3)
    y[:] = x * 2
    return y


def test_it_lists_every_refusal_with_its_line():
    explanation = capture.explain(difficult, np.array([1.0, 2.0, 3.0]))
    kinds = [type(refusal.error) for refusal in explanation]
    assert kinds == [
        ConcreteValueError,
        ConcreteValueError,
        UnsupportedError,
        RandomnessError,
        UnsupportedError,
    ]
    first = difficult.__code__.co_firstlineno
    assert [r.location.line - first for r in explanation] == [1, 2, 5, 6, 7]
    assert not explanation
    assert explanation.complete
    assert str(explanation).startswith("difficult: 5 refusals\n1. ConcreteValueError: bool()")
    assert "ways out" in str(explanation)


def test_nothing_stands_in_the_way_of_a_program_that_captures():
    explanation = capture.explain(easy, TensorSpec((3,), np.float64))
    assert explanation
    assert list(explanation) == []
    assert str(explanation) == "easy: nothing stands in the way of capture"


def test_it_follows_the_examples():
    explanation = capture.explain(difficult, np.array([-1.0, -2.0, -3.0]))
    assert len(explanation) == 4  # the other side of the branch has no float()


def test_a_refusal_that_cannot_be_passed_ends_it():
    explanation = capture.explain(lambda x: x.byteswap() + float(x), np.float64(2))
    assert len(explanation) == 1
    assert not explanation.complete
    assert "what follows it was not seen" in str(explanation)


def test_numpy_is_restored():
    before = dict(vars(np.random))
    capture.explain(difficult, np.array([1.0, 2.0, 3.0]))
    assert dict(vars(np.random)) == before


def test_examples_of_open_sizes_fit_the_program():
    def blocks(x):
        return x.reshape(-1, 256).max(1) * float(x[0])

    explanation = capture.explain(blocks, TensorSpec(("n",), np.float32))
    assert explanation.complete
    assert [type(refusal.error) for refusal in explanation] == [ConcreteValueError]


def test_a_shape_that_fits_no_example_is_told_with_the_first():
    explanation = capture.explain(lambda x: x.reshape(7, -1), TensorSpec(("n",), np.float32))
    assert "array of size 3" in str(explanation)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        (lambda x: x + np.zeros(len(x)), ConcreteValueError),
        (lambda x: x[np.argsort(x)[:8]] * np.arange(8), ShapeError),
    ],
    ids=["len", "sizes that need not agree"],
)
def test_what_only_open_sizes_bring_is_told(program, error):
    explanation = capture.explain(program, TensorSpec(("n",), np.float64))
    assert [type(refusal.error) for refusal in explanation] == [error]
    assert explanation.refusals[0].location.line == program.__code__.co_firstlineno


def test_the_last_refusal_has_its_line():
    explanation = capture.explain(lambda x: x + np.ones(5), TensorSpec((3,), np.float64))
    assert not explanation.complete
    assert explanation.refusals[0].location.file == __file__
    assert "test_explain.py" in str(explanation)
