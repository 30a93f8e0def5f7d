"""The builder: columns while recording, and the frozen graph they become."""

import numpy as np
import pytest

import ir
from ir import Dim, GraphBuilder, TensorType
from ir.errors import DTypeError, InvalidGraphError, ShapeError
from ir.graph import Location
from ir.locations import portable_path
from ir.ops import OPS

F32 = np.dtype(np.float32)
ADD, TANH, DIVMOD = OPS["add"], OPS["tanh"], OPS["divmod"]


def f32(*shape):
    return TensorType(F32, shape)


def test_values_and_nodes_are_columns():
    builder = GraphBuilder()
    x = builder.add_value(f32(2), "x")
    c = builder.add_value(f32(2), None, np.float32([1, 2]))
    y = builder.append(ADD, (x, c))
    assert (x, c, y) == (0, 1, 2)
    assert builder.types == [f32(2)] * 3
    assert builder.producers == [-1, -1, 0]
    assert (builder.ops, builder.operands, builder.firsts) == ([ADD], [(0, 1)], [2])


def test_several_results_are_consecutive_values():
    builder = GraphBuilder()
    x = builder.add_value(f32(2), "x")
    first = builder.append(DIVMOD, (x, x))
    later = builder.append(TANH, (first + 1,))
    assert (first, later) == (1, 3)
    graph = builder.finish([("x", x)], [("rest", first + 1), ("tanh", later)])
    ir.check(graph)
    assert [value.index for value in graph.nodes[0].outputs] == [0, 1]


def test_an_ill_typed_node_is_refused_and_leaves_nothing():
    builder = GraphBuilder()
    x, y = builder.add_value(f32(2), "x"), builder.add_value(f32(3), "y")
    with pytest.raises(ShapeError, match=r"^add: operands could not be broadcast"):
        builder.append(ADD, (x, y))
    assert (builder.ops, len(builder.types)) == ([], 2)
    n = builder.add_value(TensorType(np.dtype(np.int64), (2,)), "n")
    with pytest.raises(DTypeError, match=r"^add: no loop takes exactly f32\[2\] i64\[2\]"):
        builder.append(ADD, (x, n))


def test_types_are_inferred_once_per_op_and_operand_types():
    calls = []

    class Counting(ir.Op):
        name = "counting"

        def infer(self, *operands):
            calls.append(operands)
            return operands[:1]

    builder, op = GraphBuilder(), Counting()
    x = builder.add_value(f32(2), "x")
    for _ in range(5):
        x = builder.append(op, (x,))
    assert len(calls) == 1


def test_finish_prunes_to_what_the_outputs_need():
    builder = GraphBuilder()
    x = builder.add_value(f32(2), "x")
    unused = builder.add_value(f32(2), "unused")
    builder.add_value(f32(2), None, np.float32([9, 9]))
    builder.append(TANH, (x,))
    y = builder.append(ADD, (x, x))
    graph = builder.finish([("x", x), ("unused", unused)], [("y", y)])
    assert [node.op.name for node in graph.nodes] == ["add"]
    assert graph.constants == ()
    assert [value.name for value in graph.inputs] == ["x", "unused"]


def test_finish_keeps_program_order_and_names():
    builder = GraphBuilder()
    x = builder.add_value(f32(2), "x")
    first = builder.append(OPS["exp"], (x,))
    second = builder.append(OPS["sin"], (x,))
    total = builder.append(ADD, (second, first))
    builder.names[total] = "total"
    graph = builder.finish([("x", x)], [("y", total)], name="g", metadata={"a": "b"})
    assert [node.op.name for node in graph.nodes] == ["exp", "sin", "add"]
    assert graph.nodes[-1].outputs[0].name == "total"
    assert (graph.name, graph.metadata, graph.output_names) == ("g", {"a": "b"}, ("y",))


def test_finish_may_be_called_again():
    builder = GraphBuilder()
    x = builder.add_value(f32(2), "x")
    y = builder.append(TANH, (x,))
    first = builder.finish([("x", x)], [("y", y)])
    assert builder.finish([("x", x)], [("y", y)]) == first


def test_a_value_that_nothing_gives_is_refused():
    builder = GraphBuilder()
    x = builder.add_value(f32(2), "x")
    y = builder.append(TANH, (x,))
    with pytest.raises(InvalidGraphError) as caught:
        builder.finish([], [("y", y)])
    assert (
        str(caught.value) == "value 'x' of type f32[2] is neither input, constant nor computed"
    )


def test_symbols_get_their_definition_site():
    builder = GraphBuilder()
    n = Dim("n")
    builder.add_value(f32(n + 1), "wide")
    x = builder.add_value(f32(2, n), "x")
    y = builder.append(TANH, (x,))
    graph = builder.finish([("wide", 0), ("x", x)], [("y", y)])
    ((symbol, site),) = graph.symbols.items()
    assert (symbol.name, site.value.name, site.axis) == ("n", "x", 1)


def test_a_symbol_without_a_site_is_refused():
    builder = GraphBuilder()
    x = builder.add_value(f32(2 * Dim("n")), "x")
    with pytest.raises(
        InvalidGraphError, match=r"^symbol 'n' is used by .* no input or node has"
    ):
        builder.finish([("x", x)], [("x", x)])


def test_the_definer_of_a_symbol_stays_alive():
    from ir.ops.indexing import NonZero
    from ir.ops.shaping import DimValue

    builder = GraphBuilder()
    mask = builder.add_value(TensorType(np.dtype(bool), (4,)), "mask")
    builder.append(NonZero(count=Dim("k")), (mask,))
    count = builder.append(DimValue(dim=Dim("k")), ())
    graph = builder.finish([("mask", mask)], [("count", count)])
    ir.check(graph)
    assert [node.op.name for node in graph.nodes] == ["nonzero", "dim_value"]
    assert graph(np.array([True, False, True, True])) == 3


def test_locations_come_from_code_and_instruction():
    def user():
        return 1

    builder = GraphBuilder()
    x = builder.add_value(f32(2), "x")
    y = builder.append(TANH, (x,), user.__code__, 2)
    graph = builder.finish([("x", x)], [("y", y)])
    location = graph.nodes[0].location
    file = portable_path(__file__)
    assert location == Location(file, user.__code__.co_firstlineno + 1, user.__qualname__)
    assert str(location) == f"{file}:{user.__code__.co_firstlineno + 1}"


def test_nodes_take_the_name_scope_they_were_recorded_in():
    builder = GraphBuilder()
    x = builder.add_value(f32(2), "x")
    a = builder.append(TANH, (x,))
    builder.scopes.append((1, "block"))
    b = builder.append(TANH, (a,))
    builder.scopes.append((2, ""))
    c = builder.append(TANH, (b,))
    graph = builder.finish([("x", x)], [("y", c)])
    assert [node.scope for node in graph.nodes] == ["", "block", ""]


def test_equal_ops_are_interchangeable_and_floats_compare_by_bits():
    from ir.ops import interned
    from ir.ops.shaping import Reshape

    assert interned(Reshape, (2, 3)) is interned(Reshape, (2, 3))
    assert Reshape(shape=(2, 3)) == Reshape(shape=(2, 3))
    assert hash(Reshape(shape=(2, 3))) == hash(Reshape(shape=(2, 3)))
    assert Reshape(shape=(2, 3)) != Reshape(shape=(3, 2))
    assert OPS["sum"](axes=(0,)) != OPS["prod"](axes=(0,))
