"""Shape functions where only the running graph knows: refused, or checked when it runs."""

from __future__ import annotations

import numpy as np
import pytest

import capture
from capture import TensorSpec, trace
from capture.errors import ConcreteValueError, LostWriteError, UnsupportedError
from ir.dims import Dim
from ir.errors import EvaluationError
from tests.capture.telling import HERE, told

A = np.arange(1.0, 13.0).reshape(3, 4)


def _refusal(program, *arrays, dynamic=None, error=UnsupportedError):
    with pytest.raises(error) as got:
        capture.trace(program, *arrays, dynamic=dynamic)
    return str(got.value)


def test_what_only_the_running_graph_knows_is_refused_with_a_way_out():
    rows = {"a": {0: "n"}}
    counts = np.array(2)
    assert "x[:n]" in _refusal(lambda a, k: np.array_split(a, k), A, counts)
    assert "np.repeat" in _refusal(lambda a, k: np.tile(a, k), A, counts)
    assert "symbolic sizes" in _refusal(lambda a, k: np.pad(a, k), A, counts)
    assert "% 8" in _refusal(
        lambda a: np.pad(a, ((0, 8 - a.shape[0]), (0, 0))), A, dynamic=rows
    )
    assert "np.stack" in _refusal(lambda a: np.trim_zeros([a[0, 0], a[0, 1]]), A)
    assert "for each vector" in _refusal(
        lambda a: np.pad(a, 1, lambda *_: None), A, dynamic={"a": {1: "n"}}
    )
    assert "its number" in _refusal(lambda a: np.repeat(a, [1, 2], 0), A, dynamic=rows)
    assert "mask of 3" in _refusal(
        lambda a: np.delete(a, [True, False, True], 0), A, dynamic=rows
    )
    assert "int64" in _refusal(
        lambda a: np.pad(a > 3, 2, "reflect", reflect_type="odd"), A, dynamic=rows
    )
    _refusal(lambda a: np.unstack(a), A, dynamic=rows, error=ConcreteValueError)


def test_methods_that_change_an_array_in_place_are_refused():
    assert "np.resize" in _refusal(lambda a: a.resize(2, 2), A)
    assert "astype" in _refusal(lambda a: a.view(np.int64), A)


def test_a_plain_destination_would_lose_the_write():
    total, joined = np.zeros(()), np.zeros((6, 4))

    def traced(a):
        return np.trace(a, out=_hidden(total))

    def concatenated(a):
        return np.concatenate([a, a], out=_hidden(joined))

    _refusal(traced, A, error=LostWriteError)
    _refusal(concatenated, A, error=LostWriteError)


def _hidden(array):
    """Pass an array on in a way that capture cannot see before it is used."""
    return [array][0]


RUN_TIME_ERRORS = {
    "unravel_index": (
        lambda i: np.unravel_index(i, (2, 3)),
        [np.array([6])],
        [np.array([-1])],
    ),
    "ravel_multi_index": (
        lambda i: np.ravel_multi_index((i, i), (2, 3)),
        [np.array([2])],
        [np.array([-1])],
    ),
    "repeat": (
        lambda c: np.repeat(np.arange(2.0) + c[0] * 0, c),
        [np.array([3, -1])],
        [np.array([-1, 0])],
    ),
    "delete": (lambda i: np.delete(np.arange(3) + i * 0, i), [np.array(3)], [np.array(-4)]),
    "delete-many": (lambda i: np.delete(np.arange(3) + i[0] * 0, i), [np.array([0, 3])]),
    "insert": (lambda i: np.insert(np.arange(3) + i * 0, i, 7), [np.array(4)], [np.array(-4)]),
    "insert-many": (lambda i: np.insert(np.arange(3) + i[0] * 0, i, 7), [np.array([0, 4])]),
}


@pytest.mark.parametrize("name", RUN_TIME_ERRORS)
def test_positions_are_checked_when_the_graph_runs(name):
    from exporters import to_onnx
    from exporters.verification import run_model

    program, *bad = RUN_TIME_ERRORS[name]
    graph = capture.trace(program, np.zeros_like(bad[0][0]))
    model = to_onnx(graph)
    for arrays in bad:
        with pytest.raises((ValueError, IndexError)):
            program(*arrays)
        with pytest.raises(ValueError, match="operands"):
            graph(*arrays)
        with pytest.raises(Exception, match=r"bound|axis|indices"):
            run_model(model, {graph.inputs[0].name: arrays[0]})


EMPTY_AXIS = {
    "edge": lambda a: np.pad(a, ((1, 0), (0, 0)), "edge"),
    "mean": lambda a: np.pad(a, ((1, 0), (0, 0)), "mean"),
    "median": lambda a: np.pad(a, ((0, 2), (0, 0)), "median"),
    "linear_ramp": lambda a: np.pad(a, ((2, 2), (0, 0)), "linear_ramp"),
    "reflect": lambda a: np.pad(a, ((2, 2), (0, 0)), "reflect"),
    "odd": lambda a: np.pad(a, ((2, 2), (0, 0)), "symmetric", reflect_type="odd"),
    "wrap": lambda a: np.pad(a, ((0, 2), (0, 0)), "wrap"),
    "maximum": lambda a: np.pad(a, ((0, 2), (0, 0)), "maximum"),
    "insert": lambda a: np.insert(a, 1, 0.0, 0),
    "delete": lambda a: np.delete(a, 0, 0),
}


@pytest.mark.parametrize("name", EMPTY_AXIS)
def test_an_axis_that_turns_out_empty_fails_as_in_numpy(name):
    from exporters import to_onnx
    from exporters.verification import run_model

    graph = capture.trace(EMPTY_AXIS[name], A, dynamic={"a": {0: "n"}})
    with pytest.raises((ValueError, IndexError)):
        EMPTY_AXIS[name](A[:0])
    with pytest.raises(ValueError, match="operands"):
        graph(A[:0])
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        run_model(to_onnx(graph), {"a": A[:0]})


def test_known_counts_and_positions_give_known_sizes():
    def program(a):
        scope_made = capture.constant(np.array([1, 0, 2]))
        assert np.repeat(a, scope_made, 0).shape == (3, 4)
        assert np.delete(a, scope_made[:2], 0).shape == (1, 4)
        assert len(np.split(a, scope_made[:1])) == 2
        assert np.pad(a, scope_made[:2]).shape == (4, 5)
        return np.tile(a, scope_made[2:])

    assert capture.trace(program, A)(A).shape == (3, 8)


def test_sizes_of_captured_counts_are_fresh_symbols():
    shapes = []

    def program(a, counts):
        shapes.append(np.repeat(a, counts, 0).shape)
        shapes.append(np.delete(a, counts, 0).shape)
        return np.repeat(a, counts, 0)

    graph = capture.trace(program, A, np.array([1, 0, 2]))
    assert all(str(shape[0]).isidentifier() and shape[1] == 4 for shape in shapes)
    assert graph(A, np.array([2, 2, 2])).shape == (6, 4)


def test_dims_with_bounds_prove_what_is_refused_without():
    spec = capture.TensorSpec((Dim("n", min=1, max=8), 4), np.float64)
    graph = capture.trace(lambda a: np.pad(a, ((0, 8 - a.shape[0]), (0, 0))), spec)
    assert graph(A).shape == (8, 4)


def test_a_mask_whose_size_may_differ_says_so():
    with pytest.raises(IndexError) as caught:
        trace(lambda x, m: x[::2][m], TensorSpec(("n",)), TensorSpec(("k",), bool))
    assert told(caught) == (
        "boolean index did not match indexed array along axis 0; size of axis is (n + 1)//2 but "
        "size of corresponding boolean axis is k: they are not known to agree, and an empty mask "
        f"fits any axis\n{HERE}\n  ways out: declare both with the same symbol; or say that "
        'neither is empty, Dim("n", min=1)'
    )


def test_a_mask_that_is_not_empty_has_to_fit():
    n, k = Dim("n", min=1), Dim("k", min=1)
    graph = trace(lambda x, m: x[::2][m], TensorSpec((n,)), TensorSpec((k,), bool))
    x = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(graph(x, np.array([True, False, True])), [0, 4])
    with pytest.raises(EvaluationError):
        graph(x, np.array([True, False]))
