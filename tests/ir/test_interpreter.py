"""The reference interpreter: what it runs, and what it refuses."""

import numpy as np
import pytest

from ir import Dim, GraphBuilder, TensorType
from ir.errors import EvaluationError
from ir.interpreter import run
from ir.locations import portable_path
from ir.ops import OPS

F32 = np.dtype(np.float32)
ONES = np.ones((2, 3), np.float32)


def doubling(*shape, default=None):
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, shape), "x", default)
    y = builder.append(OPS["add"], (x, x))
    return builder.finish([("x", x)], [("y", y)], name="double")


def refusal(graph, *arrays, **named):
    with pytest.raises(EvaluationError) as caught:
        graph(*arrays, **named)
    return str(caught.value)


def test_by_position_and_by_name():
    graph = doubling(2)
    for got in (graph(np.float32([1, 2])), graph(x=np.float32([1, 2])), graph([1, 2])):
        np.testing.assert_array_equal(got, np.float32([2, 4]), strict=True)


def test_several_outputs_are_a_tuple_and_none_is_none():
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, ()), "x")
    graph = builder.finish([("x", x)], [("a", x), ("b", x)])
    assert graph(np.float32(3)) == (3, 3)
    assert GraphBuilder().finish([], [])() is None


def test_a_default_may_be_left_out():
    graph = doubling(2, default=np.float32([1, 2]))
    np.testing.assert_array_equal(graph(), [2, 4])
    np.testing.assert_array_equal(graph(np.float32([3, 4])), [6, 8])


def test_results_never_alias_inputs():
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (2,)), "x")
    graph = builder.finish([("x", x)], [("y", x)])
    array = np.float32([1, 2])
    graph(array)[0] = 9
    np.testing.assert_array_equal(array, [1, 2])


def test_every_node_can_be_observed():
    seen = []
    graph = doubling(2)
    run(
        graph,
        {"x": np.float32([1, 2])},
        lambda node, results: seen.append((node.op.name, results)),
    )
    ((name, (result,)),) = seen
    assert (name, result.tolist()) == ("add", [2, 4])


def test_a_missing_input():
    assert refusal(doubling(2)) == "double: input 'x' of type f32[2] is missing"


def test_an_unknown_input():
    assert refusal(doubling(2), z=1) == "double: no input 'z'; inputs are ['x']"


def test_an_input_given_twice():
    assert refusal(doubling(2), 1, x=1) == "double: input 'x' was given twice"


def test_too_many_inputs():
    assert refusal(doubling(2), 1, 2) == "double: takes 1 inputs, got 2"


def test_a_wrong_dtype():
    assert refusal(doubling(2), np.float64([1, 2])) == (
        "input 'x': expected f32[2], got f64[2]"
    )


def test_a_wrong_rank_or_size():
    graph = doubling(2, 4)
    assert refusal(graph, ONES[0]) == "input 'x': shape (3,) does not fit (2, 4)"
    assert refusal(graph, ONES) == (
        "input 'x': shape (2, 3) does not fit (2, 4): axis 1 is 3, expected 4"
    )


def test_sizes_of_one_symbol_agree():
    n = Dim("n")
    assert refusal(doubling(n, n), ONES) == (
        "input 'x': shape (2, 3) does not fit (n, n): axis 1 is 3, but n is 2 already"
    )


def test_sizes_keep_the_symbols_bounds():
    assert refusal(doubling(Dim("n", min=3), 3), ONES) == "input 'x': n is 2, outside 3 <= n"
    assert (
        refusal(doubling(Dim("n", max=1), 3), ONES) == "input 'x': n is 2, outside 0 <= n <= 1"
    )


def test_derived_sizes_are_checked():
    n = Dim("n")
    assert refusal(doubling(n, 2 * n), ONES) == ("input 'x': axis 1 is 3, expected 2*n = 4")


def test_a_failing_node_names_its_operands_and_the_users_line():
    from ir.ops.indexing import Take

    def user():
        return 1

    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (2,)), "x")
    i = builder.add_value(TensorType(np.dtype(np.int64), ()), "i")
    y = builder.append(Take(axis=0), (x, i), user.__code__, 2)
    graph = builder.finish([("x", x), ("i", i)], [("y", y)])
    line = user.__code__.co_firstlineno + 1
    with pytest.raises(IndexError) as numpys:
        Take(axis=0).evaluate(np.float32([1, 2]), np.array(5))
    assert refusal(graph, np.float32([1, 2]), np.int64(5)) == (
        f"take: {numpys.value}: operands f32[2], i64[]\n  at {portable_path(__file__)}:{line}"
    )
