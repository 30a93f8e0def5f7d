"""Files nobody should trust: each is refused, and the pointer says where."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from exporters.errors import ExportError
from exporters.json import JsonFormatError, from_json, to_json
from exporters.json.schema import MAX_DIM_TEXT
from ir.builder import GraphBuilder
from ir.dims import Dim
from ir.nesting import all_graphs, renamed
from ir.ops import elementwise, indexing, reduction
from ir.ops.nested import Call
from tests.exporters.test_json_samples import tensor


def base_document() -> dict[str, Any]:
    builder = GraphBuilder()
    x = builder.add_value(tensor("f32", Dim("n"), 4), "x", np.zeros((3, 4), np.float32))
    w = builder.add_value(tensor("f32", 4), "w", np.arange(4, dtype=np.float32))
    flag = builder.add_value(tensor("bool", 2), "flag", np.array([True, False]))
    big = builder.add_value(tensor("u8", 99), "big", np.arange(99, dtype=np.uint8))
    code = base_document.__code__
    added = builder.append(elementwise.add, (x, w), code, 10)
    builder.names[added] = "added"
    total = builder.append(reduction.Sum((0,)), (added,), code, 20)
    found = builder.append(indexing.NonZero(Dim("count")), (flag,), code, 30)
    outputs = [("y", total), ("found", found), ("big", big)]
    graph = builder.finish([("x", x)], outputs, metadata={"a/b": "c"})
    document: dict[str, Any] = json.loads(to_json(graph))
    return document


BASE = base_document()


def test_the_base_document_is_good() -> None:
    from_json(json.dumps(BASE))


def refusal(document: str | bytes) -> JsonFormatError:
    with pytest.raises(JsonFormatError) as caught:
        from_json(document)
    error = caught.value
    assert isinstance(error, ExportError)
    assert isinstance(error, ValueError)
    assert error.pointer[:300] in str(error)
    assert len(str(error)) < 1000
    return error


Change = Callable[[Any], object]


def put(path: str, value: Any) -> Change:
    """Set what a pointer-like path names."""

    def change(document: Any) -> None:
        *outer, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in outer:
            document = document[part]
        document[last] = value

    return change


def drop(path: str) -> Change:
    def change(document: Any) -> None:
        *outer, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in outer:
            document = document[part]
        del document[last]

    return change


def nested(depth: int) -> Any:
    plain: Any = 1
    for _ in range(depth):
        plain = [plain]
    return plain


CHANGES: list[tuple[Change, str, str]] = [
    # the document
    (put("format", "other"), "", "'format' must be"),
    (drop("format"), "", "'format' must be"),
    (put("version", 2), "/version", "reads version 1, the document is version number 2"),
    (put("version", True), "/version", "version true"),
    (put("version", 1.0), "/version", "version number 1.0"),
    (put("version", "1"), "/version", "version string '1'"),
    (drop("version"), "/version", "version null"),
    (put("minor", -1), "/minor", "not from 0"),
    (put("minor", 10**30), "/minor", "not from 0"),
    (put("extra", 1), "/extra", "unknown"),
    (put("a/b~c", 1), "/a~1b~0c", "unknown"),
    (drop("nodes"), "", "the key 'nodes' is missing"),
    (put("nodes", {}), "/nodes", "expected an array, found an object"),
    (put("nodes", None), "/nodes", "expected an array, found null"),
    (put("name", None), "/name", "expected a string, found null"),
    (put("metadata", []), "/metadata", "expected an object"),
    (put("metadata.a/b", 1), "/metadata/a~1b", "expected a string, found number 1"),
    (put("sidecar", "s"), "/sidecar", "load_json"),
    # symbols
    (put("symbols.0", 3), "/symbols/0", "expected an object"),
    (put("symbols.0.name", "1n"), "/symbols/0", "not a symbol name"),
    (put("symbols.0.name", "count"), "/symbols/1/name", "listed twice"),
    (put("symbols.0.name", "m"), "/inputs/0/type", "unknown symbol 'n'"),
    (put("symbols.0.min", 10**40), "/symbols/0/min", "not from"),
    (put("symbols.0.max", -1), "/symbols/0", "no values"),
    (put("symbols.0.value", 99), "/symbols/0/value", "no value defined before"),
    (put("symbols.0.value", 1), "", "not a valid graph: <Value %x: f32[n,4]> mentions 'n'"),
    (put("symbols.0.axis", 2), "/symbols/0/axis", "no such axis"),
    (put("symbols.0.axis", -1), "/symbols/0/axis", "no such axis"),
    (put("symbols.0.axis", True), "/symbols/0/axis", "no such axis"),
    (put("symbols", []), "/inputs/0/type", "unknown symbol"),
    # types
    (put("inputs.0.type", 7), "/inputs/0/type", "expected a type, found number 7"),
    (put("inputs.0.type", "f32"), "/inputs/0/type", "is no type"),
    (put("inputs.0.type", "f33[n]"), "/inputs/0/type", "is no type"),
    (put("inputs.0.type", "object[n]"), "/inputs/0/type", "is no type"),
    (put("inputs.0.type", "f32[n,]"), "/inputs/0/type", "expected a number"),
    (put("inputs.0.type", "f32[n//0]"), "/inputs/0/type", "division by zero"),
    (put("inputs.0.type", "f32[-1]"), "/inputs/0/type", "is no size"),
    (put("inputs.0.type", "f32[" + "9" * 30 + "]"), "/inputs/0/type", "is no size"),
    (put("inputs.0.type", "f32[" + "9" * 5000 + "]"), "/inputs/0/type", "limit 4096"),
    (put("inputs.0.type", "f32[n" + "+n" * MAX_DIM_TEXT + "]"), "/inputs/0/type", "limit"),
    (put("inputs.0.type", "f32[" + "(" * 110 + "]"), "/inputs/0/type", "nested parentheses"),
    (put("inputs.0.type", "f32[" + "1," * 64 + "1]"), "/inputs/0/type", "65 axes"),
    # values
    (put("inputs.0.id", 1), "/inputs/0/id", "expected 0, found number 1"),
    (put("inputs.0.id", False), "/inputs/0/id", "expected 0, found false"),
    (drop("inputs.0.name"), "/inputs/0", "the key 'name' is missing"),
    (put("inputs.0.name", None), "/inputs/0/name", "expected a string"),
    (put("inputs.0.default", []), "/inputs/0/default", "expected an object"),
    (put("inputs.0.default.type", "f64[3,4]"), "/inputs/0/default/type", "no default for"),
    (put("inputs.0.default.type", "f32[n,4]"), "/inputs/0/default/values", "no definite size"),
    # constants
    (put("constants.0.values", [1]), "/constants/0/values", "has 4 elements, found 1"),
    (put("constants.0.values", "1"), "/constants/0/values", "expected an array"),
    (put("constants.0.values.2", True), "/constants/0/values/2", "expected a number"),
    (put("constants.0.values.2", "NaN"), "/constants/0/values/2", "expected a number"),
    (put("constants.0.values.2", 1e300), "/constants/0/values/2", "beyond float32"),
    (put("constants.0.values.2", 10**400), "/constants/0/values/2", "beyond float64"),
    (put("constants.0.values.2", nested(500)), "/constants/0/values/2", "found an array"),
    (put("constants.1.values.0", 1), "/constants/1/values/0", "expected true or false"),
    (put("constants.2.base64", "AA=="), "/constants/2/base64", "132 characters"),
    (put("constants.2.base64", "é" * 132), "/constants/2/base64", "no base64"),
    (put("constants.2.base64", "=" * 132), "/constants/2/base64", "no base64"),
    (put("constants.2.base64", "AAA=" * 33), "/constants/2/base64", "no base64"),
    (put("constants.2.base64", "AAAA" * 32 + "AA=="), "/constants/2/base64", "has 99 bytes"),
    (put("constants.2.type", "bool[99]"), "/constants/2/base64", "neither 0 nor 1"),
    (put("constants.2.type", "u8[n]"), "/constants/2/base64", "no definite size"),
    (put("constants.2.type", f"u8[{2**62},{2**62}]"), "/constants/2/base64", "characters"),
    (put("constants.2.values", [1]), "/constants/2", "found values and base64"),
    (put("constants.2.crc32", 1), "/constants/2", "data is either"),
    (drop("constants.2.base64"), "/constants/2", "found none"),
    # nodes
    (put("nodes.0", []), "/nodes/0", "expected an object, found an array"),
    (put("nodes.0.op", "launch"), "/nodes/0/op", "op 'launch' is unknown"),
    (put("nodes.0.op", 3), "/nodes/0/op", "expected a string"),
    (put("nodes.0.op", "__class__"), "/nodes/0/op", "unknown"),
    (put("nodes.0.parameters", {"axis": 1}), "/nodes/0/parameters", "takes no parameters"),
    (put("nodes.0.parameters", 3), "/nodes/0/parameters", "expected an object"),
    (drop("nodes.1.parameters"), "/nodes/1/op", "parameters are ['axes', 'keepdims']"),
    (put("nodes.1.parameters.axes", 0), "/nodes/1/parameters", "is no"),
    (put("nodes.1.parameters.axes", [True]), "/nodes/1/parameters", "True is no int"),
    (put("nodes.1.parameters.axes", [0.0]), "/nodes/1/parameters", "is no int"),
    (put("nodes.1.parameters.axes", [7]), "/nodes/1", "axes (7,) do not fit"),
    (put("nodes.1.parameters.axes", [0, 0]), "/nodes/1", "do not fit"),
    (put("nodes.1.parameters.axes", [2**70]), "/nodes/1/parameters/axes/0", "not from"),
    (put("nodes.1.parameters.axes", [0] * 10**5), "/nodes/1/parameters/axes", "limit 10000"),
    (put("nodes.1.parameters.axes", {"a": 1}), "/nodes/1/parameters/axes", "found an object"),
    (put("nodes.1.parameters.keepdims", 0), "/nodes/1/parameters", "0 is no bool"),
    (put("nodes.1.parameters.__class__", 0), "/nodes/1/parameters", "parameters are"),
    (put("nodes.2.parameters.count", "n + ("), "/nodes/2/parameters", "expected a number"),
    (put("nodes.2.parameters.count", "n"), "/nodes/2/types", "nonzero gives i64[n,1]"),
    (put("nodes.0.inputs", [0, 4]), "/nodes/0/inputs/1", "there are 4 so far"),
    (put("nodes.0.inputs", [0, 5]), "/nodes/0/inputs/1", "no value defined before this"),
    (put("nodes.0.inputs", [0, -1]), "/nodes/0/inputs/1", "no value"),
    (put("nodes.0.inputs", [0, True]), "/nodes/0/inputs/1", "expected a value's id"),
    (put("nodes.0.inputs", [0]), "/nodes/0", "takes 2 operands, got 1"),
    (put("nodes.0.inputs", [0] * 10**5), "/nodes/0", "takes 2 operands"),
    (put("nodes.0.inputs", [0, 2]), "/nodes/0", "add"),
    (put("nodes.0.types", []), "/nodes/0/types", "add gives f32[n,4]"),
    (put("nodes.0.types", ["f32[n,5]"]), "/nodes/0/types", "add gives f32[n,4]"),
    (put("nodes.0.types", [None]), "/nodes/0/types/0", "expected a type"),
    (put("nodes.0.names", []), "/nodes/0/names", "0 names for 1 results"),
    (put("nodes.0.names", [4]), "/nodes/0/names/0", "expected a string or null"),
    (put("nodes.0.location", 3), "/nodes/0/location", "expected an index below 2"),
    (put("nodes.0.location", None), "/nodes/0/location", "found null"),
    (put("nodes.0.scope", 3), "/nodes/0/scope", "expected a string"),
    (put("nodes.0.id", 5), "/nodes/0/id", "expected 4, found number 5"),
    # tables
    (put("outputs.0.value", 7), "/outputs/0/value", "no value"),
    (put("outputs.0.value", "y"), "/outputs/0/value", "expected a value's id"),
    (put("outputs.0.name", "found"), "", "output names must be unique"),
    (put("outputs.0.name", 1), "/outputs/0/name", "expected a string"),
    (put("files.0", 1), "/files/0", "expected a string"),
    (put("locations.0.file", 1), "/locations/0/file", "expected an index below 1"),
    (put("locations.0.line", -1), "/locations/0/line", "not from 0"),
    (put("locations.0", "a.py:1"), "/locations/0", "expected an object"),
]


@pytest.mark.parametrize(
    ("change", "pointer", "message"), CHANGES, ids=[f"{p}-{m}"[:60] for _, p, m in CHANGES]
)
def test_a_wrong_part_is_refused_where_it_is(
    change: Change, pointer: str, message: str
) -> None:
    document = copy.deepcopy(BASE)
    change(document)
    error = refusal(json.dumps(document))
    assert error.pointer == pointer
    assert message in str(error)


TEXT = json.dumps(BASE)


@pytest.mark.parametrize(
    ("text", "pointer", "message"),
    [
        ("", "", "no JSON at line 1, column 1"),
        ("\ufeff{}", "", "no JSON at line 1, column 1"),
        (TEXT[:-1], "", "no JSON"),
        (TEXT + "x", "", "no JSON"),
        ("null", "", "'format' must be"),
        ("[]", "", "'format' must be"),
        ('"graph-capture"', "", "'format' must be"),
        (b"\xff\xfe", "", "not UTF-8 at byte 0"),
        ("[" * 10**6, "", "nested too deeply"),
        ('{"a":' * 10**5, "", "nested too deeply"),
        ("[" * 10**5 + "9" * 5000, "", "nested too deeply"),
        ("[" + "9" * 10**6, "", "no JSON"),
        (TEXT.replace('"name": "y"', '"name": "y", "name": "y"'), "/outputs/0/name", "twice"),
        (TEXT[:-1] + ', "name": "g"}', "/name", "twice"),
        (TEXT[:-1] + ', "x-a": [{"b": 1, "b": 1}]}', "/x-a/0/b", "twice"),
        (TEXT[:-1] + ', "x-a": {"b": {"c": NaN}, "b": 1}}', "/x-a/b", "twice"),
        (TEXT[:-1] + ', "x-a": [1, -Infinity]}', "/x-a/1", "-Infinity is no JSON number"),
        (TEXT.replace("[0.0, 1.0,", "[NaN, 1.0,"), "/constants/0/values/0", "NaN is no JSON"),
        (TEXT.replace("[0.0, 1.0,", "[1e999, 1.0,"), "/constants/0/values/0", "float64"),
        (
            TEXT.replace("[0.0, 1.0,", "[" + "9" * 5000 + ", 1.0,"),
            "/constants/0/values/0",
            "5000",
        ),
        (
            TEXT.replace("[0.0, 1.0,", "[" + "9" * 10**6 + ", 1.0,"),
            "/constants/0/values/0",
            "",
        ),
        (TEXT.replace('"minor": 0', '"minor": ' + "1" * 4000), "/minor", "not from 0"),
        (TEXT.replace('"name": "y"', '"name": "\n"'), "", "control character"),
        (TEXT.replace('"axes": [0]', '"axes": [' + "1e9" + "]"), "/nodes/1/parameters", "int"),
        (
            TEXT.replace('"axes": [0]', '"axes": [1e999]'),
            "/nodes/1/parameters/axes/0",
            "float64",
        ),
        (
            TEXT.replace('"axes": [0]', '"axes": ' + "[" * 20 + "]" * 20),
            "/nodes/1/parameters/axes" + "/0" * 8,
            "nested too deeply",
        ),
        (TEXT.replace('"op": "add"', '"op": "\\ud800"'), "/nodes/0/op", "is unknown"),
    ],
    ids=lambda part: repr(part)[-40:],
)
def test_wrong_text_is_refused_where_it_is(
    text: str | bytes, pointer: str, message: str
) -> None:
    error = refusal(text)
    assert error.pointer == pointer
    assert message in str(error)
    str(error).encode()


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
