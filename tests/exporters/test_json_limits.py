"""JSON that asks for too much: depth, long dims, many nodes."""

from __future__ import annotations

import copy
import json
import sys
from typing import Any

import pytest

from exporters.errors import ExportError
from exporters.json import JsonFormatError, from_json, to_json
from ir.builder import GraphBuilder
from ir.nesting import all_graphs, renamed
from ir.ops import elementwise
from ir.ops.nested import Call
from tests.exporters.test_json_hostile import (
    BASE,
    TEXT,
    refusal,
)
from tests.exporters.test_json_samples import tensor


@pytest.mark.parametrize("depth", [9, 500, *range(850, 1000, 10), 2000])
def test_deep_parameters_are_refused_by_whatever_meets_them_first(depth: int) -> None:
    error = refusal(TEXT.replace('"axes": [0]', '"axes": ' + "[" * depth + "]" * depth))
    assert error.reason == "nested too deeply"
    assert not error.tokens or error.pointer.startswith("/nodes/1/parameters")


def test_many_long_dims_are_refused_before_they_take_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("exporters.json.vocabulary.MAX_DIM_WORK", 24_000_000)
    document = copy.deepcopy(BASE)
    dim = "+".join(f"n//{k}" for k in range(2, 34))
    document["inputs"] = [
        {"id": i, "name": f"x{i}", "type": f"f32[{dim}+{i}]"} for i in range(100)
    ]
    error = refusal(json.dumps(document))
    assert error.reason == "too many long dims in one document"
    assert error.pointer in {f"/inputs/{i}/type" for i in range(20, 30)}


def test_many_choices_are_refused_before_they_take_long() -> None:
    document = copy.deepcopy(BASE)
    choices = ",".join(f"n*n+{k}*n" for k in range(2, 60))
    types = [f"f32[max({choices})+{i}]" for i in range(100)]
    document["inputs"] = [{"id": i, "name": f"x{i}", "type": t} for i, t in enumerate(types)]
    assert refusal(json.dumps(document)).reason == "too many long dims in one document"


def test_one_long_dim_in_very_many_nodes_is_refused_before_it_takes_long() -> None:
    """Every slice compares its sizes with the same sum, and each text is short or known."""
    count = 400
    wide = "+".join(f"a{i}" for i in range(count))
    symbols = [{"name": f"a{i}", "value": i, "axis": 0} for i in range(count)]
    inputs = [{"id": i, "name": f"a{i}", "type": f"f32[a{i}]"} for i in range(count)]
    inputs.append({"id": count, "name": "x", "type": f"f32[{wide}]"})
    nodes = [
        {
            "id": count + 1 + step,
            "op": "slice",
            "parameters": {"starts": [0], "sizes": ["a1"], "steps": [step + 1]},
            "inputs": [count],
            "types": ["f32[a1]"],
        }
        for step in range(2000)
    ]
    tables = {"symbols": symbols, "inputs": inputs, "nodes": nodes}
    error = refusal(json.dumps({**BASE, **tables, "constants": [], "outputs": []}))
    assert error.reason.endswith("the sizes of this file take too much work")
    assert error.tokens[0] == "nodes"


@pytest.mark.parametrize("depth", [64, 65, 2000])
def test_graphs_nest_to_a_limit(depth: int) -> None:
    def called(graph: int) -> dict[str, Any]:
        return {
            "id": 1,
            "op": "call",
            "parameters": {
                "graph": {"graph": graph},
                "results": [["f32", [2]]],
                "dims": [],
                "fresh": [],
            },
            "inputs": [0],
            "types": ["f32[2]"],
        }

    interface = {
        "symbols": [],
        "inputs": [{"id": 0, "name": "x", "type": "f32[2]"}],
        "constants": [],
        "outputs": [{"name": "y", "value": 1}],
    }
    sine = {"id": 1, "op": "sin", "inputs": [0], "types": ["f32[2]"]}
    graphs = [
        {
            **interface,
            "name": f"level_{level}",
            "nodes": [called(level - 1) if level else sine],
        }
        for level in range(depth)
    ]
    document = {**BASE, **interface, "graphs": graphs, "nodes": [called(depth - 1)]}
    if depth == 64:
        graph = from_json(json.dumps(document))
        assert from_json(to_json(graph)) == graph
        return
    error = refusal(json.dumps(document))
    assert (error.pointer, error.reason) == (
        "/graphs/64",
        "nested more than 64 graphs deep",
    )


def test_graphs_nested_beyond_the_limit_are_not_written() -> None:
    builder = GraphBuilder()
    x = builder.add_value(tensor("f32", 2), "x")
    graph = builder.finish([("x", x)], [("y", builder.append(elementwise.sin, (x,)))])
    for level in range(65):
        builder = GraphBuilder()
        x = builder.add_value(tensor("f32", 2), "x")
        call = Call(renamed(graph, f"level_{level}"), (tensor("f32", 2),))
        graph = builder.finish([("x", x)], [("y", builder.append(call, (x,)))])
    with pytest.raises(ExportError, match="nested more than 64 deep"):
        to_json(graph)


def test_calls_of_calls_are_checked_once_each() -> None:
    """Fifty levels of two calls each: 2**50 calls, but only 51 graphs."""
    builder = GraphBuilder()
    x = builder.add_value(tensor("f32", 2), "x")
    graph = builder.finish([("x", x)], [("y", builder.append(elementwise.sin, (x,)))])
    for level in range(50):
        builder = GraphBuilder()
        x = builder.add_value(tensor("f32", 2), "x")
        call = Call(renamed(graph, f"level_{level}"), (tensor("f32", 2),))
        once = builder.append(call, (x,))
        graph = builder.finish([("x", x)], [("y", builder.append(call, (once,)))])
    again = from_json(to_json(graph))
    assert len(list(all_graphs(again))) == 51
    assert again.cost().flops == 2**51
    assert again.is_isomorphic(graph)


def test_a_lifted_digit_limit_makes_no_difference() -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        error = refusal(TEXT.replace('"id": 0', '"id": ' + "9" * 9000))
    finally:
        sys.set_int_max_str_digits(limit)
    assert error.pointer == "/inputs/0/id"


def test_a_message_is_short_however_long_the_key_is() -> None:
    error = refusal(json.dumps({**BASE, "k" * 10**6: 1}))
    assert error.pointer == "/" + "k" * 10**6


def test_the_error_survives_pickling() -> None:
    import pickle

    error = JsonFormatError("wrong", ("a", 0))
    again = pickle.loads(pickle.dumps(error))
    assert (again.reason, again.pointer) == ("wrong", "/a/0")
