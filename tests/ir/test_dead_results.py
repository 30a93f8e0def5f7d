"""Results of nested graphs that nobody reads: gone, with what only they needed."""

import numpy as np

import capture
import ir
from capture import TensorSpec
from exporters import to_onnx
from exporters.verification import run_model
from ir.ops import nested
from ir.passes import drop_dead_results

X = np.float32([1.5, -2, 3])


def the_node(graph, kind):
    (node,) = [node for node in graph.nodes if isinstance(node.op, kind)]
    return node


def assert_same(program, graph, *arrays):
    ir.check(graph)
    want = program(*arrays)
    np.testing.assert_array_equal(graph(*arrays), want, strict=True)
    feeds = {value.name: array for value, array in zip(graph.inputs, arrays, strict=True)}
    np.testing.assert_allclose(run_model(to_onnx(graph), feeds)[0], want, rtol=1e-6)


def test_a_branch_computes_what_is_read():
    def program(x, y):
        first, _ = capture.cond(
            x.sum() > 0, lambda a, b: (a + 1, b * 2), lambda a, b: (a - 1, b * 3), x, y
        )
        return first + y

    graph = capture.trace(program, X, X)
    node = the_node(graph, nested.If)
    assert len(node.outputs) == 1
    assert [value.name for value in node.inputs[1:]] == ["x"]
    assert len(node.op.then_graph.nodes) == 1
    assert_same(program, graph, X, X)


def test_a_loop_drops_carries_that_serve_themselves():
    def step(i, carry):
        a, b, c = carry
        return a * 2, b + c, c + 1

    def program(x):
        return capture.fori_loop(0, 3, step, (x, x, x))[0]

    graph = capture.trace(program, X)
    node = the_node(graph, nested.Loop)
    assert node.op.carried == 1
    assert len(node.op.body.inputs) == 2
    assert_same(program, graph, X)


def test_a_loop_keeps_carries_that_others_read():
    def step(i, carry):
        a, b = carry
        return a + b, b * 2

    def program(x):
        return capture.fori_loop(0, 3, step, (x, x))[0]

    graph = capture.trace(program, X)
    assert the_node(graph, nested.Loop).op.carried == 2
    assert drop_dead_results(graph) is graph
    assert_same(program, graph, X)


def test_a_loop_keeps_what_its_condition_reads():
    def program(x):
        return capture.while_loop(
            lambda carry: carry[1].sum() < 100,
            lambda carry: (carry[0] + 1, carry[1] * 2),
            (x, np.abs(x)),
        )[0]

    graph = capture.trace(program, X)
    assert the_node(graph, nested.Loop).op.carried == 2
    assert_same(program, graph, X)


def test_a_stack_that_is_not_read():
    def program(x):
        total, _ = capture.scan(lambda carry, row: (carry + row, row * 2), x[0], x)
        return total

    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    graph = capture.trace(program, matrix)
    node = the_node(graph, nested.Loop)
    assert len(node.outputs) == 1
    assert_same(program, graph, matrix)


def test_open_sizes_stay_known_inside():
    def program(x, y):
        first, _ = capture.cond(
            x.sum() > 0,
            lambda a, b: (a / a.shape[0], b.sum() / b.shape[0]),
            lambda a, b: (a, b.sum()),
            x,
            y,
        )
        return first

    spec = TensorSpec(("n",), np.float32), TensorSpec(("m",), np.float32)
    graph = capture.trace(program, *spec)
    assert len(the_node(graph, nested.If).outputs) == 1
    assert_same(program, graph, X, np.float32([1, 2]))


def test_half_of_a_divmod():
    numbers = np.array([7, -7, 5])
    graph = capture.trace(lambda x: np.divmod(x, 3)[1], numbers)
    assert [node.op.name for node in graph.nodes] == ["remainder"]
    assert_same(lambda x: np.divmod(x, 3)[1], graph, numbers)
