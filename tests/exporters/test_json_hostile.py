"""Files nobody should trust: each is refused, and the pointer says where."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from exporters.errors import ExportError
from exporters.json import JsonFormatError, from_json, to_json
from exporters.json.schema import MAX_DIM_TEXT
from ir.builder import GraphBuilder
from ir.dims import Dim
from ir.ops import elementwise, indexing, reduction
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
