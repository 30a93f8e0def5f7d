"""Slices with captured ends: views, sizes, loops, and what stays refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import capture
from capture import TensorSpec, control_flow, trace
from capture.errors import ConcreteValueError

NUMBER = TensorSpec((), np.int64)
ENDS = (-9, -5, -4, -1, 0, 1, 4, 5, 9)


@pytest.mark.parametrize("step", [None, 2, -1, -3])
@pytest.mark.parametrize("size", [5, "n"])
def test_every_pair_of_ends_gives_what_numpy_gives(size, step):
    graph = trace(lambda x, i, j: x[i:j:step], TensorSpec((size,), np.int64), NUMBER, NUMBER)
    x = np.arange(5)
    for i, j in itertools.product(ENDS, ENDS):
        assert graph(x, np.int64(i), np.int64(j)).tolist() == x[i:j:step].tolist(), (i, j)


def test_the_size_is_a_symbol_with_bounds_and_the_same_for_the_same_ends():
    def program(x, i):
        return x[i:4] + x[i:4], x[:i:2]

    graph = trace(program, TensorSpec((5,), np.float64), NUMBER)
    first, second = (value.type.shape[0] for value in graph.outputs)
    assert first != second
    assert {(s.min, s.max) for s in graph.symbols} == {(0, 5), (0, 3)}


def test_a_slice_is_a_view_both_ways():
    def program(x, i):
        y = x * 1
        window = y[i:]
        window[...] = 7
        y[0] = 9
        return y, window

    x, i = np.arange(5.0), np.int64(3)
    for got, want in zip(
        trace(program, TensorSpec((5,), np.float64), NUMBER)(x, i), program(x, i), strict=True
    ):
        np.testing.assert_array_equal(got, want)


def test_an_augmented_slice_is_written_once():
    def program(x, i):
        y = x * 1
        y[i:] += 1
        return y

    graph = trace(program, TensorSpec((5,), np.float64), NUMBER)
    assert graph.stats().ops["scatter_nd"] == 1


def test_ends_that_are_known_give_a_known_size():
    def program(x):
        n = np.asarray(capture.constant(np.int64(2)))
        return x[n:]

    graph = trace(program, TensorSpec((5,), np.float64))
    assert str(graph.outputs[0].type) == "f64[3]"


@control_flow
def smoothed(x, weights):
    out = np.zeros(x.shape[0] - 2)
    for k in range(x.shape[0] - 2):
        out[k] = (x[k : k + 3].reshape(3) * weights).sum()
    return out


@control_flow
def staircase(x, n):
    out = x * 1
    for k in range(n):
        out[k:] += 1
    return out


def test_slices_in_captured_loops():
    x, weights = np.arange(6.0) ** 2, np.array([1.0, 2.0, 1.0])
    graph = trace(smoothed, TensorSpec(("n",), np.float64), TensorSpec((3,), np.float64))
    np.testing.assert_array_equal(graph(x, weights), np.convolve(x, weights, "valid"))
    graph = trace(staircase, TensorSpec(("n",), np.float64), NUMBER)
    np.testing.assert_array_equal(graph(x, np.int64(3)), np.add(x, [1, 2, 3, 3, 3, 3]))


@pytest.mark.parametrize(
    "end", [lambda x: x[0], lambda x: x[:2].astype(int), lambda x: x[0] > 0]
)
def test_an_end_that_is_no_integer_is_numpys_error(end):
    with pytest.raises(TypeError):
        trace(lambda x: x[end(x) :], TensorSpec((5,), np.float64))


def test_a_step_must_be_known():
    with pytest.raises(ConcreteValueError):
        trace(lambda x, i: x[::i], TensorSpec((5,), np.float64), NUMBER)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        trace(lambda x, i: x[i::0], TensorSpec((5,), np.float64), NUMBER)


def test_explaining_takes_examples_for_what_they_are():
    def program(x, i):
        return x[i:] * np.ones(3)

    (refusal,) = capture.explain(program, np.zeros(5), np.int64(2))
    assert type(refusal.error).__name__ == "ShapeError"
