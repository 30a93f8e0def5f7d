"""The finished graph: frozen, unhashable, compared by structure; stats and networkx."""

import networkx as nx
import numpy as np
import pytest

from ir import Dim, GraphBuilder, TensorType
from ir.errors import InvalidGraphError
from ir.ops import OPS

F32 = np.dtype(np.float32)


def build(
    *,
    op="add",
    weights=(1.0, 2.0),
    dtype=np.float32,
    input_name="x",
    output_name="y",
    name="g",
    metadata=None,
    code=None,
    hint=None,
    scope="",
    bound=0,
):
    builder = GraphBuilder()
    x = builder.add_value(TensorType(np.dtype(dtype), (Dim("n", min=bound), 2)), input_name)
    c = builder.add_value(TensorType(np.dtype(dtype), (2,)), None, np.array(weights, dtype))
    if scope:
        builder.scopes.append((0, scope))
    y = builder.append(OPS[op], (x, c), code, 2)
    z = builder.append(OPS["tanh"], (y,))
    if hint:
        builder.names[y] = hint
    return builder.finish(
        [(input_name, x)], [(output_name, z)], name=name, metadata=metadata or {"by": "me"}
    )


def test_graphs_built_alike_are_equal():
    assert build() == build()
    assert build() is not build()


def other_code():
    return 1


@pytest.mark.parametrize(
    "change",
    [
        {"op": "subtract"},
        {"weights": (1.0, 3.0)},
        {"dtype": np.float64},
        {"input_name": "z"},
        {"output_name": "z"},
        {"name": "other"},
        {"metadata": {"by": "you"}},
        {"code": other_code.__code__},
        {"hint": "total"},
        {"scope": "block"},
        {"bound": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_difference_makes_graphs_unequal(change):
    assert build() != build(**change)


def test_constants_compare_bitwise():
    assert build(weights=(0.0, 1.0)) != build(weights=(-0.0, 1.0))
    assert build(weights=(np.nan, 1.0)) == build(weights=(np.nan, 1.0))


def test_operand_order_counts():
    def graph(swap):
        builder = GraphBuilder()
        x, y = (builder.add_value(TensorType(F32, (2,)), name) for name in "xy")
        z = builder.append(OPS["subtract"], (y, x) if swap else (x, y))
        return builder.finish([("x", x), ("y", y)], [("z", z)])

    assert graph(False) == graph(False)
    assert graph(False) != graph(True)


def test_graphs_do_not_equal_other_things():
    assert build() != "graph"


def test_graphs_are_unhashable():
    with pytest.raises(TypeError, match="unhashable"):
        hash(build())


@pytest.mark.parametrize("field", ["name", "nodes", "inputs", "new"])
def test_graphs_are_frozen(field):
    with pytest.raises(InvalidGraphError) as caught:
        setattr(build(), field, ())
    assert str(caught.value) == f"graphs are frozen; cannot set {field!r}"


def test_the_lists_of_a_graph_are_tuples():
    graph = build()
    assert all(
        type(part) is tuple
        for part in (
            graph.inputs,
            graph.constants,
            graph.nodes,
            graph.outputs,
            graph.output_names,
        )
    )


def test_values_compare_by_identity():
    first, second = build(), build()
    assert first.inputs[0] != second.inputs[0]
    assert len({first.inputs[0], second.inputs[0]}) == 2


def test_values_iterates_in_order():
    graph = build()
    producers = [node.op.name for node in graph.nodes]
    listed = [v.producer.op.name if v.producer else v.name for v in graph.values()]
    assert listed == ["x", None, *producers]


def test_reprs():
    graph = build(hint="total")
    assert repr(graph) == "<Graph 'g' (x: f32[n,2]) -> (y: f32[n,2]): 2 nodes, 1 constants>"
    assert repr(graph.inputs[0]) == "<Value %x: f32[n,2]>"
    assert repr(graph.nodes[0]) == "<Node add: f32[n,2] f32[2] -> f32[n,2]>"
    assert repr(graph.nodes[0].op) == "<op add>"


def test_stats():
    stats = build().stats()
    assert (stats.nodes, stats.ops) == (2, {"add": 1, "tanh": 1})
    assert (stats.inputs, stats.outputs, stats.constants) == (1, 1, 1)
    assert (stats.parameters, stats.constant_bytes, stats.symbols) == (2, 8, ("n",))
    assert str(stats) == (
        "2 nodes (add 1, tanh 1)\n"
        "1 input, 1 output, 1 constant (2 elements, 8 bytes)\n"
        "symbols: n"
    )


def test_stats_list_the_most_frequent_op_first():
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (2,)), "x")
    y = builder.append(OPS["exp"], (x,))
    for _ in range(3):
        y = builder.append(OPS["tanh"], (y,))
    stats = builder.finish([("x", x)], [("y", y)]).stats()
    assert list(stats.ops.items()) == [("tanh", 3), ("exp", 1)]
    assert "symbols: none" in str(stats)


def test_networkx_has_a_vertex_per_value_and_an_edge_per_operand():
    graph = build(hint="total").to_networkx()
    assert isinstance(graph, nx.MultiDiGraph)
    kinds = {name: data["kind"] for name, data in graph.nodes(data=True)}
    assert kinds == {"x": "input", "0": "constant", "total": "node", "1": "node"}
    edges = sorted((a, b, data["operand"]) for a, b, data in graph.edges(data=True))
    assert edges == [("0", "total", 1), ("total", "1", 0), ("x", "total", 0)]
    assert graph.nodes["1"]["output"] == ("y",)
    assert graph.nodes["total"]["op"] is OPS["add"]
    assert str(graph.nodes["x"]["type"]) == "f32[n,2]"
    assert nx.is_directed_acyclic_graph(graph)


def test_networkx_keeps_repeated_operands_apart():
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (2,)), "x")
    y = builder.append(OPS["multiply"], (x, x))
    graph = builder.finish([("x", x)], [("a", y), ("b", y)]).to_networkx()
    assert graph.number_of_edges("x", "0") == 2
    assert graph.nodes["0"]["output"] == ("a", "b")
