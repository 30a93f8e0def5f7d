"""``ir.check``: each invariant, broken by hand, is reported with the node or value."""

import numpy as np
import pytest

import ir
from ir import Dim, Graph, Node, TensorType, Value
from ir.dims import as_symbol
from ir.errors import InvalidGraphError
from ir.graph import Definition
from ir.ops import OPS
from ir.ops.shaping import BroadcastTo, DimValue

F32 = np.dtype(np.float32)
N = Dim("n")


def f32(*shape):
    return TensorType(F32, shape)


def node(op, *inputs):
    return Node(op, inputs, op.infer(*(value.type for value in inputs)))


def graph(inputs=(), constants=(), nodes=(), outputs=(), names=None, symbols=None):
    names = tuple(f"y{i}" for i in range(len(outputs))) if names is None else names
    return Graph(
        tuple(inputs), tuple(constants), tuple(nodes), tuple(outputs), names, symbols=symbols
    )


def broken(made):
    with pytest.raises(InvalidGraphError) as caught:
        ir.check(made)
    return str(caught.value)


@pytest.fixture
def x():
    return Value(f32(2), "x")


def test_a_sound_graph_passes(x):
    c = Value(f32(2), None, data=np.float32([1, 2]))
    add = node(OPS["add"], x, c)
    ir.check(graph([x], [c], [add], add.outputs))


def test_an_operand_that_is_defined_later(x):
    first = node(OPS["tanh"], x)
    second = node(OPS["exp"], *first.outputs)
    assert broken(graph([x], [], [second, first], second.outputs)) == (
        "<Node exp: f32[2] -> f32[2]> uses <Value %?: f32[2]> before it is defined"
    )


def test_an_operand_of_another_graph(x):
    tanh = node(OPS["tanh"], Value(f32(2), "foreign"))
    assert broken(graph([x], [], [tanh], tanh.outputs)) == (
        "<Node tanh: f32[2] -> f32[2]> uses <Value %foreign: f32[2]> before it is defined"
    )


def test_an_output_of_another_graph(x):
    assert broken(graph([x], outputs=[Value(f32(2), "foreign")])) == (
        "output <Value %foreign: f32[2]> is not defined in the graph"
    )


def test_a_value_that_is_defined_twice(x):
    tanh = node(OPS["tanh"], x)
    assert broken(graph([x], [], [tanh, tanh], tanh.outputs)) == (
        "<Value %?: f32[2]> is defined twice"
    )


def test_a_type_that_inference_does_not_give(x):
    wrong = Node(OPS["tanh"], (x,), (f32(3),))
    assert broken(graph([x], [], [wrong], wrong.outputs)) == (
        "<Node tanh: f32[2] -> f32[3]>: inference gives f32[2]"
    )


def test_a_number_of_results_that_inference_does_not_give(x):
    wrong = Node(OPS["divmod"], (x, x), (f32(2),))
    assert "inference gives f32[2], f32[2]" in broken(graph([x], [], [wrong], wrong.outputs))


def test_operands_that_the_op_does_not_take(x):
    wrong = Node(OPS["add"], (x,), (f32(2),))
    assert broken(graph([x], [], [wrong], wrong.outputs)) == (
        "<Node add: f32[2] -> f32[2]>: add: takes 2 operands, got 1"
    )


def test_a_result_that_does_not_know_its_producer(x):
    tanh = node(OPS["tanh"], x)
    tanh.outputs[0].producer = None
    assert broken(graph([x], [], [tanh], tanh.outputs)) == (
        "<Value %?: f32[2]> does not know its producer <Node tanh: f32[2] -> f32[2]>"
    )


def test_a_result_with_the_wrong_index(x):
    pair = node(OPS["divmod"], x, x)
    pair.outputs[1].index = 0
    assert "does not know its producer" in broken(graph([x], [], [pair], pair.outputs))


def test_input_names_that_are_missing_or_repeated(x):
    assert broken(graph([x, Value(f32(2), "x")])) == (
        "input names must be given and unique: ['x', 'x']"
    )
    assert broken(graph([Value(f32(2))])) == "input names must be given and unique: [None]"


def test_output_names_that_are_missing_or_repeated(x):
    assert broken(graph([x], outputs=[x], names=())) == "every output needs a name"
    assert broken(graph([x], outputs=[x, x], names=("y", "y"))) == (
        "output names must be unique: ['y', 'y']"
    )


@pytest.mark.parametrize("data", [None, np.float64([1, 2]), np.float32([1, 2, 3])])
def test_a_constant_without_data_of_its_type(data):
    c = Value(f32(2), "c", data=data)
    assert (
        broken(graph([], [c], [], [c]))
        == "<Value %c: f32[2]> does not have the type of its data"
    )


def test_a_dtype_that_is_not_captured():
    wrong = Value(TensorType(np.dtype(complex), (2,)), "x")
    assert broken(graph([wrong])) == "<Value %x: complex128[2]> has an unsupported dtype"


def test_a_symbol_without_a_definition_site():
    assert broken(graph([Value(f32(N), "x")])) == (
        "<Value %x: f32[n]> mentions 'n' before it is defined"
    )


def test_a_definition_site_that_is_no_such_axis():
    symbol = as_symbol(N)
    x = Value(f32(N, 2), "x")
    assert broken(graph([x], symbols={symbol: Definition(x, 1)})) == (
        "'n' is not axis 1 of <Value %x: f32[n,2]>"
    )
    assert broken(graph([x], symbols={symbol: Definition(x, 2)})) == (
        "'n' is not axis 2 of <Value %x: f32[n,2]>"
    )


def test_a_symbol_in_a_parameter_without_a_site(x):
    count = node(DimValue(dim=N))
    assert broken(graph([x], [], [count], count.outputs)) == (
        "<Node dim_value {dim=n}:  -> i64[]> mentions 'n' before it is defined"
    )


def test_a_symbol_whose_site_does_not_dominate():
    from ir.ops.indexing import NonZero

    mask = Value(TensorType(np.dtype(bool), (4,)), "mask")
    c = Value(f32(1), "c", data=np.float32([1]))
    found = node(NonZero(count=N), mask)
    wide = node(BroadcastTo(shape=(N,)), c)
    symbols = {as_symbol(N): Definition(found.outputs[0], 0)}
    ir.check(graph([mask], [c], [found, wide], wide.outputs, symbols=symbols))
    text = broken(graph([mask], [c], [wide, found], wide.outputs, symbols=symbols))
    assert text == (
        "<Node broadcast_to {shape=[n]}: f32[1] -> f32[n]> mentions 'n' before it is defined"
    )


@pytest.mark.parametrize(
    "data",
    [np.zeros((3, 4)), np.zeros((3, 5), F32), np.zeros(4, F32), np.zeros((4, 4), F32)],
    ids=["dtype", "size", "rank", "bound"],
)
def test_the_default_of_an_input_has_its_type(data):
    def with_default(array):
        limited = Dim("n", max=3)
        value = Value(f32(limited, 4), "x", array)
        return graph(
            [value], outputs=[value], symbols={as_symbol(limited): Definition(value, 0)}
        )

    ir.check(with_default(np.zeros((3, 4), F32)))
    assert "the default of <Value %x: f32[n,4]>" in broken(with_default(data))


def test_inference_runs_once_per_op_and_types(x, monkeypatch):
    op = OPS["sin"]
    nodes = [node(op, x)]
    for _ in range(50):
        nodes.append(node(op, nodes[-1].outputs[0]))
    seen = []
    infer = type(op).infer
    monkeypatch.setattr(
        type(op), "infer", lambda op, *types: seen.append(op) or infer(op, *types)
    )
    ir.check(graph([x], nodes=nodes, outputs=nodes[-1].outputs))
    assert seen == [op]
