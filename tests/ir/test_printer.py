"""The text form: golden texts."""

import numpy as np

from ir import Dim, GraphBuilder, TensorType
from ir.ops import OPS
from ir.printer import graph_text, value_names

F32 = np.dtype(np.float32)


def classifier():
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (Dim("batch"), 4)), "x")
    w = builder.add_value(TensorType(F32, (4, 3)), "w", np.zeros((4, 3), np.float32))
    b = builder.add_value(TensorType(F32, (3,)), None, np.float32([1, -2.5, 0]))
    code = compile("\n\nlogits = x @ w", "/home/me/model.py", "exec")
    y = builder.append(
        OPS["matmul"], (x, w), code, code.co_code.index(bytes([code.co_code[2]]))
    )
    z = builder.append(OPS["add"], (y, b))
    builder.names[z] = "logits"
    s = builder.append(OPS["sum"](axes=(1,)), (z,))
    return builder.finish([("x", x)], [("logits", z), ("total", s)], name="classify")


def test_a_graph():
    assert str(classifier()) == graph_text(classifier())
    assert str(classifier()).splitlines() == [
        "graph classify(%x: f32[batch,4]) {",
        "  %w = constant : f32[4,3] = <48 bytes>",
        "  %0 = constant : f32[3] = [ 1. , -2.5,  0. ]",
        "  %1 = matmul %x, %w : f32[batch,3]" + " " * 25 + "# model.py:3",
        "  %logits = add %1, %0 : f32[batch,3]",
        "  %2 = sum %logits {axes=[1], keepdims=false} : f32[batch]",
        "  return %logits, total=%2",
        "}",
    ]


def test_an_empty_graph():
    assert str(GraphBuilder().finish([], [])) == "graph() {\n  return\n}"


def test_several_results_and_no_operands():
    from ir.ops.shaping import Iota

    builder = GraphBuilder()
    x = builder.add_value(TensorType(np.dtype(np.int64), (3,)), "x")
    i = builder.append(Iota(size=3), ())
    q = builder.append(OPS["divmod"], (i, x))
    text = str(builder.finish([("x", x)], [("r", q + 1)]))
    assert text.splitlines() == [
        "graph(%x: i64[3]) {",
        "  %0 = iota {size=3} : i64[3]",
        "  %1, %2 = divmod %0, %x : i64[3], i64[3]",
        "  return r=%2",
        "}",
    ]


def test_names_are_made_unique():
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (2,)), "x")
    first = builder.append(OPS["exp"], (x,))
    second = builder.append(OPS["exp"], (first,))
    third = builder.append(OPS["exp"], (second,))
    builder.names.update({first: "x", second: "0"})
    graph = builder.finish([("x", x)], [("y", third)])
    assert list(value_names(graph).values()) == ["x", "x_2", "0", "1"]


def test_parameters_print_as_the_grammar_says():
    from ir.ops.elementwise import Cast
    from ir.ops.indexing import ScatterND
    from ir.ops.shaping import Slice

    assert str(Cast(dtype=np.dtype(np.int8))) == "cast {dtype=i8}"
    assert str(ScatterND(combine="add")) == 'scatter_nd {combine="add"}'
    window = Slice(starts=(0, Dim("n") - 1), sizes=(2, 1), steps=(1, -1))
    assert str(window) == "slice {starts=[0, n - 1], sizes=[2, 1], steps=[1, -1]}"
