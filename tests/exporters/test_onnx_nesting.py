"""Branches, loops and calls: ONNX Runtime runs nested graphs as the interpreter does."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from exporters.onnx import to_onnx
from exporters.running import run_model
from exporters.verification import verify
from ir.builder import GraphBuilder
from ir.check import check
from ir.dims import Dim
from ir.graph import Graph
from ir.ops import elementwise as ew
from ir.ops import indexing as idx
from ir.ops import nested
from ir.ops import reduction as red
from ir.ops import shaping as shp
from ir.types import BOOL, INT64, TensorType
from tests.exporters.onnx_checks import assert_valid, results_of

F32 = np.dtype(np.float32)
N, M = Dim("n"), Dim("m")
ROW = TensorType(F32, (N,))
SCALAR, COUNT, FLAG = TensorType(F32, ()), TensorType(INT64, ()), TensorType(BOOL, ())
WEIGHT = np.arange(400, dtype=np.float32).reshape(20, 20) % 5


def inner(name, types, build):
    """A nested graph with inputs a, b, c …; ``build`` returns its outputs."""
    builder = GraphBuilder()
    inputs = [builder.add_value(type) for type in types]
    outputs = build(builder, *inputs)
    named = list(zip("abcdefgh", inputs, strict=False))
    results = [(f"r{k}", output) for k, output in enumerate(outputs)]
    return builder.finish(named, results, name=name, nested=True)


def outer(types, build) -> Graph:
    builder = GraphBuilder()
    inputs = [builder.add_value(type) for type in types]
    outputs = build(builder, *inputs)
    graph = builder.finish(
        [(f"x{k}", value) for k, value in enumerate(inputs)],
        [(f"y{k}", value) for k, value in enumerate(outputs)],
    )
    check(graph)
    return graph


def assert_runs(graph: Graph, *cases: tuple) -> onnx.ModelProto:
    model = to_onnx(graph)
    assert_valid(model)
    for arrays in cases:
        feeds = {f"x{k}": np.asarray(array) for k, array in enumerate(arrays)}
        want = results_of(graph, feeds)
        for optimize in (True, False):
            got = run_model(model, feeds, optimize=optimize)
            for g, w in zip(got, want, strict=True):
                assert (g.dtype, g.shape) == (w.dtype, w.shape)
                np.testing.assert_allclose(g, w, rtol=1e-5)
    return model


def row(n):
    return np.arange(n, dtype=np.float32)


def constant(builder, value, dtype=F32):
    array = np.asarray(value, dtype)
    return builder.add_value(TensorType(array.dtype, array.shape), None, array)


def test_branches_with_captures_and_constants():
    def double(builder, a, b):
        return builder.append(ew.multiply, (a, constant(builder, 2))), b

    then = inner("then", [ROW, SCALAR], double)
    other = inner("else", [ROW, SCALAR], lambda b, a, c: (a, b.append(ew.log1p, (c,))))
    op = nested.If(then, other, (ROW, SCALAR))

    def build(builder, flag, x, s):
        first = builder.append(op, (flag, x, s))
        return first, first + 1

    graph = outer([FLAG, ROW, SCALAR], build)
    assert_runs(graph, *[(f, row(n), np.float32(3)) for f in (True, False) for n in (0, 4)])
    assert verify(graph).ok


def test_branches_of_free_symbols():
    """A branch that has no operand with the axis gets its size from around it."""

    def count(builder, a):
        size = builder.append(shp.DimValue(N), ())
        return (builder.append(ew.add, (a, size)),)

    then = inner("then", [COUNT], count)
    other = inner("else", [COUNT], lambda builder, a: (a,))
    op = nested.If(then, other, (COUNT,), then_dims=(M * 2,))

    def build(builder, flag, x, c):
        return (builder.append(op, (flag, c)),)

    graph = outer([FLAG, TensorType(F32, (M,)), COUNT], build)
    assert_runs(graph, *[(f, row(3), np.int64(10)) for f in (True, False)])


def test_sizes_found_in_a_branch():
    found = Dim("found")

    def positions(builder, a):
        zero = constant(builder, 0)
        chosen = builder.append(idx.NonZero(found), (builder.append(ew.greater, (a, zero)),))
        return (chosen,)

    def none(builder, a):
        return (constant(builder, np.zeros((0, 1)), INT64),)

    then, other = inner("then", [ROW], positions), inner("else", [ROW], none)
    k = Dim("k")
    op = nested.If(then, other, (TensorType(INT64, (k, 1)),), fresh=(k,))

    def build(builder, flag, x):
        result = builder.append(op, (flag, x))
        return (builder.append(shp.Reshape((k,)), (result,)),)

    assert_runs(outer([FLAG, ROW], build), (True, row(4)), (False, row(4)))


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_loops_with_stacks(trips):
    steps = Dim("steps")

    def step(builder, number, carry, factor):
        carry = builder.append(ew.multiply, (carry, factor))
        shifted = builder.append(ew.Cast(F32), (number,))
        carry = builder.append(ew.add, (carry, shifted))
        going = constant(builder, True, BOOL)
        return going, carry, carry

    body = inner("body", [COUNT, ROW, SCALAR], step)
    op = nested.Loop(body, 1, (ROW, TensorType(F32, (steps, N))), fresh=(steps,))

    def build(builder, limit, x, factor):
        going = constant(builder, True, BOOL)
        last = builder.append(op, (limit, going, x, factor))
        total = builder.append(red.Sum((0,)), (last + 1,))
        return last, last + 1, total

    graph = outer([COUNT, ROW, SCALAR], build)
    cases = [(np.int64(trips), row(n), np.float32(2)) for n in (0, 3)]
    assert_runs(graph, *cases)


def test_loops_until_a_condition_fails():
    def step(builder, number, carry):
        carry = builder.append(ew.add, (carry, carry))
        return builder.append(ew.less, (carry, constant(builder, 100))), carry

    body = inner("body", [COUNT, SCALAR], step)
    op = nested.Loop(body, 1, (SCALAR,))

    def build(builder, going, x):
        limit = constant(builder, np.iinfo(np.int64).max, INT64)
        return (builder.append(op, (limit, going, x)),)

    assert_runs(
        outer([FLAG, SCALAR], build),
        *[(flag, np.float32(x)) for flag in (True, False) for x in (1, 3, 200)],
    )


def test_a_loop_in_a_branch_in_a_loop():
    def double(builder, number, carry):
        return constant(builder, True, BOOL), builder.append(ew.add, (carry, carry))

    small = nested.Loop(inner("small", [COUNT, SCALAR], double), 1, (SCALAR,))

    def then(builder, carry, number):
        going = constant(builder, True, BOOL)
        return (builder.append(small, (number, going, carry)),)

    branch = nested.If(
        inner("then", [SCALAR, COUNT], then),
        inner("else", [SCALAR, COUNT], lambda builder, carry, number: (carry,)),
        (SCALAR,),
    )

    def step(builder, number, carry):
        big = builder.append(ew.greater, (number, constant(builder, 1, INT64)))
        return constant(builder, True, BOOL), builder.append(branch, (big, carry, number))

    big = nested.Loop(inner("big", [COUNT, SCALAR], step), 1, (SCALAR,))

    def build(builder, limit, x):
        return (builder.append(big, (limit, constant(builder, True, BOOL), x)),)

    graph = outer([COUNT, SCALAR], build)
    assert_runs(graph, *[(np.int64(k), np.float32(1)) for k in (0, 2, 4)])


def dense() -> Graph:
    rows = TensorType(F32, (N, 20))

    def build(builder, a):
        from ir.ops.linear_algebra import matmul

        product = builder.append(matmul, (a, constant(builder, WEIGHT)))
        size = builder.append(ew.Cast(F32), (builder.append(shp.DimValue(M), ()),))
        return (builder.append(ew.divide, (product, size)),)

    return inner("dense", [rows], build)


def test_calls_become_functions_with_weights_as_inputs():
    rows = TensorType(F32, (N, 20))
    op = nested.Call(dense(), (rows,), dims=(N + 1,))

    def build(builder, x):
        once = builder.append(op, (x,))
        return (builder.append(op, (once,)),)

    x = np.ones((3, 20), np.float32)
    model = assert_runs(outer([rows], build), (x,), (x[:0],))
    (function,) = model.functions
    assert function.domain == "graph_capture"
    assert [node.op_type for node in model.graph.node].count(function.name) == 2
    assert len(function.input) == 3
    assert [tuple(t.dims) for t in model.graph.initializer].count((20, 20)) == 1


def test_functions_call_functions():
    square = inner("square", [ROW], lambda b, a: (b.append(ew.square, (a,)),))
    call = nested.Call(square, (ROW,))

    def build(builder, a):
        once = builder.append(call, (a,))
        return builder.append(call, (once,)), a

    twice = nested.Call(inner("twice", [ROW], build), (ROW, ROW))

    def whole(builder, x):
        first = builder.append(twice, (x,))
        return first, first + 1, builder.append(call, (x,))

    model = assert_runs(outer([ROW], whole), (row(3),), (row(0),))
    assert [function.name for function in model.functions] == ["square", "twice"]


def test_the_same_bytes_again():
    rows = TensorType(F32, (N, 20))
    op = nested.Call(dense(), (rows,), dims=(N + 1,))
    graph = outer([rows], lambda builder, x: (builder.append(op, (x,)),))
    first, second = (to_onnx(graph).SerializeToString(deterministic=True) for _ in range(2))
    assert first == second
