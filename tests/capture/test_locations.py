"""Locations: every node and every error names the user's own line."""

import contextlib
import inspect

import numpy as np
import pytest

from capture import CaptureDevice, capture_scope, trace
from ir.errors import ShapeError
from ir.locations import portable_path
from tests.capture.telling import HERE, told


def lines_of(graph):
    return [(node.op.name, node.location.line) for node in graph.nodes]


def own_line():
    return inspect.currentframe().f_back.f_lineno


def test_operators_functions_and_methods_name_their_line():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3, 3))
        first = own_line() + 1
        y = x + x
        y = np.exp(y)
        y = y.sum(axis=0)
        y = y[1:]
        y = np.where(y > 0, y, 0)
        scope.output("y", y)
    numbers = dict.fromkeys(line - first for _, line in lines_of(scope.graph))
    assert list(numbers) == [0, 1, 2, 3, 4]
    assert {node.location.file for node in scope.graph.nodes} == {portable_path(__file__)}
    function = "test_operators_functions_and_methods_name_their_line"
    assert {node.location.function for node in scope.graph.nodes} == {function}


def test_a_repeated_line_names_itself_on_the_fast_path():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        line = own_line() + 2
        for _ in range(3):
            x = x * x
        scope.output("y", x)
    assert lines_of(scope.graph) == [("multiply", line)] * 3


def test_several_operations_on_one_line_share_it():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        scope.output("y", (x + 1) * (x - 2) / 3)
    assert len({line for _, line in lines_of(scope.graph)}) == 1
    assert len(scope.graph.nodes) == 4


def test_an_expression_over_lines_names_each_line():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        line = own_line() + 2
        y = np.add(
            np.sin(x),  # one line
            np.cos(x),  # another
        )
        scope.output("y", y)
    assert lines_of(scope.graph)[:2] == [("sin", line), ("cos", line + 1)]


def test_in_place_writes_name_their_line():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,)) * 1
        line = own_line() + 1
        x[0] = 5
        x += x
        scope.output("y", x)
    assert {("update_slice", line), ("add", line + 1)} <= set(lines_of(scope.graph))


def test_helpers_of_the_user_are_the_users_lines():
    def helper(value):
        return value * 2, own_line()

    with capture_scope(CaptureDevice()) as scope:
        y, line = helper(scope.input("x", (3,)))
        scope.output("y", y)
    assert lines_of(scope.graph) == [("multiply", line)]


def test_numpy_calling_back_names_the_users_line():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        line = own_line() + 1
        y = np.sum([x, x], axis=0)
        scope.output("y", y)
    assert {line for _, line in lines_of(scope.graph)} == {line}


def test_code_that_was_executed_from_text_has_a_location():
    code = compile("y = x * 2\nz = y + 1", "<cell 7>", "exec")
    with capture_scope(CaptureDevice()) as scope:
        namespace = {"x": scope.input("x", (3,))}
        exec(code, namespace)
        scope.output("z", namespace["z"])
    assert [str(node.location) for node in scope.graph.nodes] == ["<cell 7>:1", "<cell 7>:2"]


def test_errors_name_operands_and_line_once():
    other = np.ones(5)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3, 4))
        with pytest.raises(ShapeError) as caught:
            x + other
    assert told(caught) == (
        "add: operands could not be broadcast together with shapes (3, 4) (5,): axis sizes 4 and "
        f"5 differ\n  add: operands f32[3,4], f64[5]\n{HERE}"
    )


def test_errors_of_numpy_promotion_name_operands_and_line():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3, 4))
        with pytest.raises(TypeError) as caught:
            x << 1
    assert told(caught) == (
        "ufunc 'left_shift' not supported for the input types, and the inputs could not be safely "
        "coerced to any supported types according to the casting rule ''safe''\n"
        f"  left_shift: operands f32[3,4], 1\n{HERE}"
    )


def test_errors_of_casting_name_the_line_and_a_way_out():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,), np.int64)
        with pytest.raises(TypeError) as caught:
            x += 0.5
    assert told(caught) == (
        "add: cannot cast output from float64 to int64 with casting rule 'same_kind'\n"
        f"{HERE}\n  ways out: x = x + y instead of x += y; or cast first, y.astype(x.dtype)"
    )


def test_the_lines_of_with_blocks_are_not_contextlib():
    with contextlib.ExitStack() as stack:
        scope = stack.enter_context(capture_scope(CaptureDevice()))
        scope.output("y", scope.input("x", (3,)) * 2)
    assert scope.graph.nodes[0].location.file == portable_path(__file__)


def test_trace_names_the_lines_of_the_function():
    def double(x):
        return x * 2

    graph = trace(double, np.float32([1, 2]))
    assert lines_of(graph) == [("multiply", double.__code__.co_firstlineno + 1)]
    assert graph.nodes[0].location.function.endswith("double")


def test_the_printed_graph_shows_the_lines():
    with capture_scope(CaptureDevice()) as scope:
        line = own_line() + 1
        scope.output("y", scope.input("x", (3,)) * 2)
    assert f"# test_locations.py:{line}" in str(scope.graph)
