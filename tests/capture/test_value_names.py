"""Values are named by the variables of user code; weights by what they were loaded from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import capture
from capture import TensorSpec, name_scope, trace
from exporters import from_json, to_json, to_onnx, verify
from ir import Graph
from ir.graph import Node

ROWS = TensorSpec((2, 4), np.float32)
w1 = np.eye(4, dtype=np.float32)
TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)


def names(program: Any, *specs: TensorSpec) -> list[str | None]:
    """The names of all computed values, in order."""
    graph = trace(program, *(specs or (ROWS,)), name="program")
    assert from_json(to_json(graph)) == graph
    return [value.name for node in graph.nodes for value in node.outputs]


def weights(program: Any) -> list[str | None]:
    """The names of the constants that are arrays."""
    graph = trace(program, ROWS, name="program")
    return [value.name for value in graph.constants if value.type.shape]


# --- results ------------------------------------------------------------------------------


def plain(x):
    hidden = np.tanh(x * 2)
    hidden += 1
    return hidden


def together(x):
    a, b = np.exp(x), np.sin(x)
    c = d = a + b
    e, f, g, h = np.cos(d), -c, abs(x), x * 3
    return e, f, g, h


def placed(x):
    layer = SimpleNamespace()
    layer.out = np.exp(x)
    kept = {}
    kept["first"] = np.sin(layer.out)
    if (second := np.cos(kept["first"])) is not None:
        rows = [second]
        rows[0] = np.tan(second)
    return rows[0]


def annotated(x):
    total: Any = (x * x).sum(axis=1)
    for row in total:
        last = row * 2
    return last


def written(x):
    out = np.zeros((3, 4), np.float32)
    out[1:] = x
    return out


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (plain, [None, "hidden", "hidden"]),
        (together, ["a", "b", "c", "e", "f", "g", "h"]),
        (placed, ["out", "first", "second", "rows"]),
        (annotated, [None, "total", None, "row", "last"]),
        (written, ["out"]),
        (lambda x: np.exp(x), [None]),
    ],
)
def test_results_have_the_names_of_variables(program, expected):
    assert names(program) == expected


def softmax(z):
    powers = np.exp(z)
    return powers / powers.sum()


class Dense:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return x @ self.weight


def test_what_a_function_returns_has_its_name_or_its_class():
    assert names(lambda x: softmax(Dense(w1)(x)) * 2) == [
        "Dense", "powers", None, "softmax", None,
    ]  # fmt: skip


def test_what_is_known_anyway_is_no_name():
    def program(x):
        x = np.exp(x)
        with name_scope("block"):
            block = np.sin(x)
        _ = np.tan(block)
        return _ * 2

    assert names(program) == [None, None, None, None]


def test_only_the_last_node_of_a_composed_function_has_the_name():
    found = names(lambda x: [spread := np.std(x, axis=1), spread * 2][1])
    assert found[-2:] == ["spread", None]
    assert set(found[:-2]) == {None}


def test_rounds_of_a_loop_have_one_name_each():
    def program(x):
        for _ in range(3):
            y = np.tanh(x)
            x = y
        return y

    assert names(program) == ["y", "y", "y"]
    model = to_onnx(trace(program, ROWS))
    assert [node.name for node in model.graph.node] == ["y", "y_2", "output"]


def test_unpacked_results_have_a_name_each():
    def program(x):
        upper, lower = np.split(x, 2)
        fraction, whole = np.modf(lower)
        return upper + whole, fraction

    found = names(program)
    assert found[:2] == ["upper", "lower"]


def test_names_inside_bodies_and_functions():
    @capture.function
    def attend(x):
        scores = x @ w1
        return np.tanh(scores)

    def body(i, carry):
        shifted = carry + 1
        return np.sin(shifted)

    graph = trace(lambda x: capture.fori_loop(0, 3, body, attend(x)), ROWS)
    inner = [
        value.name
        for node in graph.nodes
        for nested in _graphs(node)
        for inside in nested.nodes
        for value in inside.outputs
    ]
    assert "scores" in inner
    assert "shifted" in inner
    assert verify(graph).ok


def _graphs(node: Node) -> list[Graph]:
    from ir.nesting import nested_graphs

    return list(nested_graphs(node.op))


def test_merged_writes_keep_the_name_of_the_array():
    def program(x):
        out = np.zeros((2, 4), np.float32)
        out[0] = x[1]
        out[1] = x[0] * 2
        return out

    assert names(program)[-1] == "out"


# --- weights ------------------------------------------------------------------------------


def test_weights_have_the_name_of_what_they_were_loaded_from():
    local = np.ones(4, np.float32)
    dense, model = Dense(w1 * 2), {"bias": np.full(4, 3, np.float32)}
    tables = [np.full(4, 5, np.float32)]

    def program(x):
        x = x @ w1 + local
        x = dense(x) + model["bias"]
        x = np.matmul(x, dense.weight.T)
        return np.where(x > 0, x, TABLE[x[:, 0].astype(int) % 3]) * tables[0]

    assert weights(program) == ["w1", "local", "weight", "bias", "TABLE", "tables"]


def test_a_weight_on_the_left_and_in_a_method():
    first, second = np.ones((3, 2), np.float32), np.ones((4, 3), np.float32)
    assert weights(lambda x: (first @ x).dot(second)) == ["first", "second"]
    assert weights(lambda x: TABLE.dot(x.T)) == ["TABLE"]


def test_weights_get_the_scope_that_first_reads_them():
    def program(x):
        with name_scope("encoder"):
            x = x @ w1
        with name_scope("decoder"):
            return x @ w1 + TABLE[0]

    model = to_onnx(trace(program, ROWS))
    assert model.graph.initializer[0].name == "encoder/w1"


def test_merged_weights_keep_the_first_name():
    twin = w1.copy()
    model = to_onnx(trace(lambda x: np.exp(x @ w1) @ twin, ROWS))
    assert [weight.name for weight in model.graph.initializer] == ["w1"]


# --- where they are seen ------------------------------------------------------------------


def test_the_text_numbers_repeated_names():
    def program(x):
        y = np.exp(x)
        z = y
        y = np.sin(y)
        return y + z

    text = str(trace(program, ROWS, name="program"))
    assert "%y = exp %x" in text
    assert "%y_2 = sin %y" in text


def test_names_never_clash_with_declared_ones():
    def program(x, y_2):
        output = np.exp(x)
        y = np.sin(output)
        y = np.cos(y)
        return output + y + y_2

    graph = trace(program, ROWS, ROWS, name="other")
    model = to_onnx(graph)
    found = [name for node in model.graph.node for name in node.output]
    assert len(set(found)) == len(found)
    assert verify(graph).ok


def test_long_code_with_extended_arguments():
    lines = [f"    v{i} = {i}" for i in range(400)]
    source = "\n".join(
        ["def program(x):", *lines, "    v399 = np.exp(x)", "    return v399 * 2"]
    )
    namespace: dict[str, Any] = {"np": np}
    exec(source, namespace)
    assert names(namespace["program"]) == ["v399", None]
