"""What feeds what, and parts of graphs."""

from __future__ import annotations

import numpy as np
import pytest

import capture
import ir
from capture import TensorSpec, trace
from ir import Graph
from ir.errors import InvalidGraphError
from ir.printer import value_names

W = np.arange(12, dtype=np.float32).reshape(4, 3)
ROWS = TensorSpec(("batch", 4), np.float32)


def two_heads() -> Graph:
    def program(x: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        hidden = x @ W
        return {"left": np.exp(hidden), "right": hidden + np.sin(y)}

    return trace(program, ROWS, TensorSpec(("batch", 3), np.float32))


def named(graph: Graph, values: tuple[ir.Value, ...]) -> list[str]:
    names = value_names(graph)
    return [value.producer.op.name if value.producer else names[value] for value in values]


def test_what_feeds_an_output() -> None:
    graph = two_heads()
    assert named(graph, graph.ancestors("left")) == ["x", "W", "matmul"]
    assert named(graph, graph.ancestors("right")) == ["x", "y", "W", "matmul", "sin"]
    assert len(graph.ancestors("left", "right")) == 5


def test_what_depends_on_a_weight() -> None:
    graph = two_heads()
    assert named(graph, graph.descendants("%W")) == ["matmul", "exp", "add"]
    assert named(graph, graph.descendants(graph.inputs[1])) == ["sin", "add"]
    assert graph.descendants("left") == ()


def test_a_size_is_fed_by_the_value_that_has_it() -> None:
    graph = trace(
        lambda x, y: (x * 2, y / x.shape[0]), TensorSpec(("n",), "f4"), TensorSpec((), "f4")
    )
    assert "x" in named(graph, graph.ancestors(graph.outputs[1]))
    assert graph.outputs[1] in graph.descendants("x")


@pytest.mark.parametrize("wanted", ["nothing", "%nothing"])
def test_unknown_values_are_named(wanted: str) -> None:
    with pytest.raises(InvalidGraphError, match=r"no value is called '%?nothing'"):
        two_heads().ancestors(wanted)
    with pytest.raises(InvalidGraphError, match="is no value of"):
        two_heads().ancestors(two_heads().outputs[0])


def test_a_part_is_a_graph() -> None:
    graph = two_heads()
    hidden = next(
        v for v in graph.descendants("x") if v.producer and v.producer.op.name == "matmul"
    )
    part = graph.subgraph([hidden], ["left"], "head")
    ir.check(part)
    assert [node.op.name for node in part.nodes] == ["exp"]
    assert (part.name, part.output_names, part.constants) == ("head", ("left",), ())
    rows = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(part(rows), np.exp(rows))


def test_parts_compose_to_the_whole() -> None:
    graph = two_heads()
    hidden = graph.nodes[0].outputs[0]
    first, rest = (
        graph.subgraph(None, [hidden]),
        graph.subgraph([hidden, "y"], ["left", "right"]),
    )
    ir.check(first)
    ir.check(rest)
    x, y = np.ones((5, 4), np.float32), np.ones((5, 3), np.float32)
    for found, wanted in zip(rest(first(x), y), graph(x, y), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert [value.name for value in first.inputs] == ["x"]


def test_a_constant_as_input_keeps_its_data_as_default() -> None:
    part = two_heads().subgraph(["x", "%W"], ["left"])
    ir.check(part)
    x = np.ones((2, 4), np.float32)
    np.testing.assert_array_equal(part(x), np.exp(x @ W))
    np.testing.assert_array_equal(part(x, W=W * 0), np.ones((2, 3), np.float32))


def test_a_part_needs_its_inputs() -> None:
    with pytest.raises(InvalidGraphError, match="need input 'y', which is not listed"):
        two_heads().subgraph(["x"], ["right"])


def test_a_part_needs_its_sizes() -> None:
    def program(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x, x]) / x.shape[0]

    graph = trace(program, TensorSpec(("n",), np.float32))
    joined = graph.nodes[0].outputs[0]
    assert joined.producer is not None
    assert joined.producer.op.name == "concatenate"
    with pytest.raises(InvalidGraphError, match="input 'x', which is not listed"):
        graph.subgraph([joined], ["output"])
    ir.check(graph.subgraph(["x", joined], ["output"]))


def test_a_part_that_starts_at_a_data_dependent_size() -> None:
    graph = trace(lambda x: np.sort(x[x > 0]) * 2, TensorSpec((6,), np.float32))
    selected = next(node for node in graph.nodes if node.op.name == "sort").inputs[0]
    part = graph.subgraph([selected], ["output"])
    ir.check(part)
    np.testing.assert_array_equal(part(np.float32([3, 1])), np.float32([2, 6]))


def test_one_result_of_several_may_be_cut() -> None:
    graph = trace(
        lambda x, y: sum(np.divmod(x, y)), TensorSpec((3,), "i4"), TensorSpec((3,), "i4")
    )
    quotient, remainder = graph.nodes[0].outputs
    part = graph.subgraph([quotient, "x", "y"], ["output"])
    ir.check(part)
    numbers = [np.array(row, np.int32) for row in ([100, 100, 100], [7, 8, 9], [4, 4, 4])]
    np.testing.assert_array_equal(part(*numbers), np.array([103, 100, 101]))
    assert remainder.type == quotient.type


def test_a_part_with_nested_graphs() -> None:
    def program(x: np.ndarray) -> np.ndarray:
        return capture.cond(x.sum() > 0, lambda a: a + 1, lambda a: a * x.shape[0], np.sin(x))

    graph = trace(program, TensorSpec(("n",), np.float32))
    part = graph.subgraph(None, ["output"])
    ir.check(part)
    assert part.is_isomorphic(graph)


def test_names_of_outputs_come_before_names_of_values() -> None:
    graph = trace(lambda x: {"y": x + 1, "%x": x + 2}, TensorSpec((), np.float32))
    assert graph.ancestors("%x") == (graph.inputs[0], graph.constants[1])
    assert graph.ancestors("x") == ()
    whole = graph.subgraph(graph.inputs, graph.output_names)
    assert whole.output_names == ("y", "%x")
    assert not graph.diff(whole)


def test_a_value_returned_twice_keeps_both_names() -> None:
    graph = trace(lambda x: {"a": x + 1, "b": x + 1}, TensorSpec((), np.float32))
    assert graph.outputs[0] is graph.outputs[1]
    assert graph.subgraph(None, ["b", "a"]).output_names == ("b", "a")
