"""What capture relies on: recorded, printed, kept, checked, and written into files."""

from __future__ import annotations

import numpy as np
import pytest

import ir
from capture import TensorSpec, trace
from capture.errors import AliasingError
from exporters import from_json, to_json, to_onnx
from exporters.running import run_model
from ir import Dim
from ir.constraints import AtLeast, AtMost, Divisible, Equal, Shared
from ir.errors import EvaluationError, ShapeError

N2, M2 = Dim("n", min=2), Dim("m", min=2)


def floats(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


WEIGHT = floats(4, 2)


def spec(*shape):
    return TensorSpec(shape, np.float32)


def traced(function, *shapes):
    graph = trace(function, *(spec(*shape) for shape in shapes))
    ir.check(graph)
    assert from_json(to_json(graph)) == graph
    assert from_json(to_json(graph)).constraints == graph.constraints
    assert ir.passes.simplify(graph).constraints == graph.constraints
    return graph


CASES = {
    "reshape": (
        lambda x: x.reshape(-1, 4).sum(1),
        [("n",)],
        "n % 4 == 0",
        [(8,), (0,), (4,)],
        [(10,), (1,)],
    ),
    "reshape-rows": (
        lambda x: x.T.reshape(4, -1),
        [("n", 6)],
        "(6*n) % 4 == 0",
        [(2, 6), (0, 6)],
        [(1, 6), (5, 6)],
    ),
    "reshape-number": (
        lambda x: x.reshape(3, 2),
        [("n",)],
        "n == 6",
        [(6,)],
        [(5,), (0,), (12,)],
    ),
    "split": (
        lambda x: np.split(x, 3, axis=1)[1],
        [("n", "m")],
        "m % 3 == 0",
        [(2, 6), (0, 3), (1, 0)],
        [(2, 4), (0, 4)],
    ),
    "element": (
        lambda x: x[5] * 2,
        [("n", "m")],
        "n >= 6",
        [(6, 2), (9, 0)],
        [(5, 2), (0, 1)],
    ),
    "from-the-end": (lambda x: x[-3], [("n", "m")], "n >= 3", [(3, 2), (4, 1)], [(2, 2)]),
    "matmul-weight": (
        lambda x: x @ WEIGHT,
        [("n", "k")],
        "k == 4",
        [(3, 4), (0, 4)],
        [(3, 1), (0, 5)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_one_input(name):
    function, shapes, text, good, bad = CASES[name]
    graph = traced(function, *shapes)
    assert [str(c) for c in graph.constraints] == [text]
    assert graph.constraints[0].location.file.endswith("test_constraints.py")
    assert f"needs {text}" in str(graph)
    model = to_onnx(graph)
    properties = {p.key: p.value for p in model.metadata_props}
    assert properties["graph_capture.constraints"] == text
    for shape in good:
        x = floats(*shape)
        np.testing.assert_allclose(graph(x), function(x), rtol=1e-5)
        (got,) = run_model(model, {"x": x})
        assert got.shape == function(x).shape
        np.testing.assert_allclose(got, function(x), rtol=1e-4, atol=1e-6)
    for shape in bad:
        x = floats(*shape)
        with pytest.raises((ValueError, IndexError)):
            function(x)
        with pytest.raises(EvaluationError) as caught:
            graph(x)
        assert f"needs {text}, but " in str(caught.value)
        assert "needed at" in str(caught.value)
        assert "test_constraints.py" in str(caught.value)
        with pytest.raises(Exception, match="ONNXRuntimeError"):
            run_model(model, {"x": x})


def assigned(x, y):
    x = x.copy()
    x[:, 1] = y
    return x


PAIRS = {
    "add": (lambda x, y: x + y, (N2,), (M2,)),
    "where": (lambda x, y: np.where(x > 0, x, y), (N2,), (M2,)),
    "matmul": (lambda x, y: x @ y, (3, "n"), ("m", 2)),
    "dot": (lambda x, y: np.dot(x, y), ("n",), ("m",)),
    "concatenate": (lambda x, y: np.concatenate([x, y]), ("a", "n"), ("b", "m")),
    "stack": (lambda x, y: np.stack([x, y]), ("n", 2), ("m", 2)),
    "mask": (lambda x, y: x[y > 0], ("n", 2), (M2,)),
    "assign": (assigned, ("n", 3), (M2,)),
    "transposed": (lambda x, y: x.T + y.T, (N2, 3), (M2, 3)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_two_symbols_have_to_agree(name):
    function, left, right = PAIRS[name]
    graph = traced(function, left, right)
    assert [c for c in graph.constraints if isinstance(c, Equal)] == [
        Equal(symbol_of(right, "m"), symbol_of(left, "n"))
    ]
    model = to_onnx(graph)
    for n, m in ((2, 2), (5, 5), (3, 4), (4, 3), (5, 2)):
        x, y = (floats(*sized(shape, n, m)) for shape in (left, right))
        if n == m:
            want = function(x, y)
            np.testing.assert_allclose(graph(x, y), want, rtol=1e-5)
            (got,) = run_model(model, {"x": x, "y": y})
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
            continue
        with pytest.raises((ValueError, IndexError)):
            function(x, y)
        with pytest.raises(EvaluationError, match="needs m == n, but m is"):
            graph(x, y)
        with pytest.raises(Exception, match="ONNXRuntimeError"):
            run_model(model, {"x": x, "y": y})


def symbol_of(shape, name):
    (found,) = (d for d in shape if str(d) == name)
    return Dim(name) if isinstance(found, str) else found


def sized(shape, n, m):
    sizes = {"n": n, "m": m, "a": 2, "b": 3}
    return [d if isinstance(d, int) else sizes[str(d)] for d in shape]


def test_an_empty_mask_chooses_nothing_from_any_axis():
    with pytest.raises(IndexError, match="did not match"):
        trace(lambda x, y: x[y > 0], spec("n", 2), spec("m"))


def test_what_nothing_uses_asks_nothing():
    graph = traced(lambda x: (x.reshape(-1, 4), x * 2)[1], ("n",))
    assert graph.constraints == ()


def test_sizes_that_may_be_one_are_refused_because_one_repeats():
    for left, right in (("n", "m"), (N2, "m"), (Dim("n", max=1), M2)):
        with pytest.raises(ShapeError, match="not known to agree"):
            trace(lambda x, y: x + y, spec(left), spec(right))
    with pytest.raises(ShapeError, match="not known to agree"):
        trace(lambda x: x + np.ones(4, np.float32), spec("n"))


def test_sizes_that_never_agree_are_refused():
    with pytest.raises(ShapeError):
        trace(lambda x: x @ WEIGHT, spec("b", 5))
    with pytest.raises(ShapeError):
        trace(lambda x: x.reshape(2, -1), spec(2 * Dim("n") + 1))


def test_a_size_that_could_read_as_what_remains_is_refused():
    with pytest.raises(ShapeError):
        trace(lambda x: x.reshape(x.shape[0] - 1, 2), spec("n"))


def test_writes_through_a_required_shape_reach_the_array():
    def program(x):
        x = x.copy()
        x.reshape(-1, 2)[:, 0] = 0
        np.split(x, 2)[1][:] += 1
        return x

    graph = traced(program, ("n",))
    for size in (4, 0, 10):
        np.testing.assert_array_equal(graph(floats(size)), program(floats(size)))


def test_view_or_copy_stays_undecided_where_elements_have_gaps():
    def program(x):
        y = x[:, ::2].reshape(-1, 4)
        y[0] = 1
        return y

    with pytest.raises((ShapeError, AliasingError)):
        trace(program, spec("n", "m"))


def test_bounds_and_shared_symbols_are_constraints_too():
    bounded = Dim("n", min=2, max=8)
    graph = traced(lambda x, y: x + y, (bounded, 3), (bounded, 1))
    assert graph.constraints == (
        Shared(bounded, (("x", 0), ("y", 0))),
        AtLeast(bounded, 2),
        AtMost(bounded, 8),
    )
    assert [str(c) for c in graph.constraints] == [
        "x.shape[0] == y.shape[0] == n",
        "n >= 2",
        "n <= 8",
    ]
    assert "needs n >= 2, n <= 8\n" in str(graph)
    for sizes in ((1, 1), (9, 9), (3, 4)):
        with pytest.raises(EvaluationError):
            graph(floats(sizes[0], 3), floats(sizes[1], 1))


def test_constraints_compare_by_what_they_say():
    n = Dim("n")
    assert Divisible(n, 4) == Divisible(n, 4, ir.Location("a.py", 1, "f"))
    assert Divisible(n, 4) != Divisible(n, 2)
    assert Divisible(n, 4).holds({"n": 8})
    assert not Divisible(n, 4).holds({"n": 6})
    assert Equal(n, 4).holds({"n": 4})
    assert not AtMost(n, 4).holds({"n": 5})


def test_sizes_found_by_the_run_are_checked_by_their_node():
    def program(x):
        return x[x > 0].reshape(-1, 2).sum(1)

    graph = traced(program, ("n",))
    model = to_onnx(graph)
    x = np.array([1, -1, 2, 3, 4], np.float32)
    np.testing.assert_array_equal(graph(x), program(x))
    np.testing.assert_array_equal(run_model(model, {"x": x})[0], program(x))
    with pytest.raises(EvaluationError, match="require_shape"):
        graph(x[:-1])
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        run_model(model, {"x": x[:-1]})


def test_symbols_say_which_axes_stayed_open_and_what_forced_the_others():
    graph = traced(lambda x: x @ WEIGHT, ("batch", "k"))
    lines = graph.describe_symbols().splitlines()
    assert lines[0] == "batch: x.shape[0], open"
    assert lines[1].startswith("k: x.shape[1], not open: k == 4, forced at ")
    assert "test_constraints.py:" in lines[1]
    assert lines[2].startswith("needs k == 4  # ")


def test_a_graph_without_open_axes_asks_nothing():
    graph = traced(lambda x: x[2] + 1, (4,))
    assert graph.constraints == ()
    assert graph.describe_symbols() == ""
    assert not [p for p in to_onnx(graph).metadata_props if "constraints" in p.key]
