"""Passes: the text before and after; the same object when nothing changes."""

import numpy as np
import pytest

import ir
from ir import Dim, GraphBuilder, TensorType
from ir.ops import OPS
from ir.ops.base import Op
from ir.ops.shaping import BroadcastTo, DimValue, Slice, UpdateSlice
from ir.passes import PIPELINE, fold_constants, merge_common_subexpressions, remove_dead_code

F32 = np.dtype(np.float32)


class Program:
    """A graph written op by op."""

    def __init__(self, *shape):
        self.builder = GraphBuilder()
        self.x = self.builder.add_value(TensorType(F32, shape or (2,)), "x")

    def __call__(self, name, *operands, **parameters):
        op = OPS[name] if isinstance(name, str) else name
        return self.builder.append(op(**parameters) if parameters else op, operands)

    def constant(self, *values):
        array = np.float32(values)
        return self.builder.add_value(TensorType(F32, array.shape), None, array)

    def graph(self, *outputs):
        named = [(f"y{i}", value) for i, value in enumerate(outputs)]
        return self.builder.finish([("x", self.x)], named)


def rewritten(rewrite, graph):
    """Return the lines of the rewritten graph, after checking that it means the same."""
    after = rewrite(graph)
    ir.check(graph)
    ir.check(after)
    for array in (np.float32([1, 2]), np.float32([-3, np.nan])):
        if graph.inputs[0].type.shape == (2,):
            for want, got in zip(as_tuple(graph(array)), as_tuple(after(array)), strict=True):
                np.testing.assert_array_equal(got, want, strict=True)
    assert rewrite(after) is after
    return [line.strip() for line in str(after).splitlines()[1:-1]]


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def test_folding_evaluates_what_depends_on_constants_only():
    p = Program()
    y = p("add", p("exp", p("add", p.constant(0, 0), p.constant(0, 0))), p.x)
    graph = p.graph(y)
    assert len(graph.nodes) == 3
    assert rewritten(fold_constants, graph) == [
        "%0 = constant : f32[2] = [1., 1.]",
        "%1 = add %0, %x : f32[2]",
        "return y0=%1",
    ]


def test_folding_leaves_what_depends_on_an_input():
    p = Program()
    graph = p.graph(p("add", p.x, p.constant(1, 2)))
    assert fold_constants(graph) is graph


def test_folding_leaves_results_that_would_be_large():
    p = Program()
    wide = p(BroadcastTo(shape=(200, 200, 2)), p.constant(1, 2))
    graph = p.graph(p("add", wide, p.x))
    assert fold_constants(graph) is graph


def test_folding_leaves_what_fails():
    p = Program()
    index = p.builder.add_value(TensorType(np.dtype(np.int64), ()), None, np.array(7))
    graph = p.graph(p("take", p.constant(1, 2), index, axis=0))
    assert fold_constants(graph) is graph


def test_folding_leaves_symbolic_sizes():
    p = Program(Dim("n"))
    graph = p.graph(p(DimValue(dim=Dim("n"))))
    assert fold_constants(graph) is graph


def test_common_subexpressions_are_merged():
    p = Program()
    a, b = p("exp", p.x), p("exp", p.x)
    graph = p.graph(p("add", p("tanh", a), p("tanh", b)))
    assert rewritten(merge_common_subexpressions, graph) == [
        "%0 = exp %x : f32[2]",
        "%1 = tanh %0 : f32[2]",
        "%2 = add %1, %1 : f32[2]",
        "return y0=%2",
    ]


def test_equal_constants_are_merged_bitwise():
    p = Program()
    total = p.x
    for value in (0.0, 0.0, -0.0):
        total = p("multiply", total, p.constant(value, value))
    graph = p.graph(total)
    assert len(graph.constants) == 3
    lines = rewritten(merge_common_subexpressions, graph)
    assert [line for line in lines if "constant" in line] == [
        "%0 = constant : f32[2] = [0., 0.]",
        "%1 = constant : f32[2] = [-0., -0.]",
    ]


def test_parameters_keep_subexpressions_apart():
    p = Program(2, 2)
    graph = p.graph(p("sum", p.x, axes=(0,)), p("sum", p.x, axes=(1,)))
    assert merge_common_subexpressions(graph) is graph


def test_impure_ops_are_neither_merged_nor_folded():
    class Draw(Op):
        name = "draw"
        pure = False

        def infer(self, *operands):
            return (TensorType(F32, (2,)),)

        def evaluate(self, *operands):
            return (np.ones(2, np.float32),)

    p, draw = Program(), Draw()
    graph = p.graph(p("add", p(draw), p(draw)), p("add", p(draw), p.x))
    assert fold_constants(graph) is graph
    assert merge_common_subexpressions(graph) is graph


def dead(graph, extra):
    """Return the graph with nodes that nothing needs."""
    from ir import Graph, Node

    made = [Node(op, (graph.inputs[0],), (graph.inputs[0].type,)) for op in extra]
    nodes = (*made, *graph.nodes)
    return Graph(
        graph.inputs,
        graph.constants,
        nodes,
        graph.outputs,
        graph.output_names,
        symbols=graph.symbols,
    )


def test_dead_code_is_removed():
    p = Program()
    graph = dead(p.graph(p("add", p.x, p.constant(1, 2))), [OPS["exp"], OPS["sin"]])
    assert len(graph.nodes) == 3
    assert rewritten(remove_dead_code, graph) == [
        "%0 = constant : f32[2] = [1., 2.]",
        "%1 = add %x, %0 : f32[2]",
        "return y0=%1",
    ]


def test_inputs_are_never_dead():
    p = Program()
    graph = remove_dead_code(dead(p.graph(p.constant(1, 2)), [OPS["exp"]]))
    assert [value.name for value in graph.inputs] == ["x"]


def test_a_live_graph_is_the_same_object():
    p = Program()
    graph = p.graph(p("add", p.x, p.constant(1, 2)))
    assert remove_dead_code(graph) is graph


@pytest.mark.parametrize("step", [-1, 1, 2])
@pytest.mark.parametrize("sizes", [0, 1, 2])
def test_reads_after_writes_keep_their_meaning(step, sizes):
    """A reversed read of a whole array is no read of the array as it is."""
    p = Program()
    doubled = p("add", p.x, p.x)
    update = p.constant(*[9] * sizes)
    written = p(UpdateSlice(starts=(0,), steps=(1,)), doubled, update)
    size = 2 if abs(step) == 1 else 1
    start = 1 if step < 0 else 0
    read = p(Slice(starts=(start,), sizes=(size,), steps=(step,)), written)
    graph = p.graph(read)
    want = graph(np.float32([1, 2]))
    after = ir.passes.simplify(graph)
    ir.check(after)
    np.testing.assert_array_equal(after(np.float32([1, 2])), want, strict=True)


def test_locations_names_and_metadata_survive():
    def user():
        return 1

    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (2,)), "x")
    first = builder.append(OPS["exp"], (x,))
    second = builder.append(OPS["exp"], (x,), user.__code__, 2)
    y = builder.append(OPS["add"], (first, second), user.__code__, 2)
    builder.names[y] = "total"
    graph = builder.finish([("x", x)], [("y", y)], name="g", metadata={"a": "b"})
    after = ir.passes.simplify(graph)
    assert (after.name, after.metadata, after.output_names) == ("g", {"a": "b"}, ("y",))
    assert after.nodes[-1].outputs[0].name == "total"
    assert after.nodes[-1].location.function.endswith("user")


def test_every_pass_gives_the_same_object_when_nothing_changes():
    p = Program()
    graph = p.graph(p("add", p("exp", p.x), p.constant(1, 2)))
    for rewrite in PIPELINE:
        assert rewrite(graph) is graph, rewrite.__name__
    assert ir.passes.simplify(graph) is graph
