from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import ml_dtypes
import numpy as np
import pytest

from exporters.errors import ExportError
from exporters.json import JsonFormatError, from_json, to_json
from exporters.json.schema import MINOR, json_schema
from ir.builder import GraphBuilder
from ir.dims import Dim
from ir.graph import Graph
from ir.locations import portable_path
from ir.ops import elementwise, shaping
from ir.ops.base import Op
from ir.types import DTYPES_BY_NAME, TensorType
from tests.exporters.test_json_samples import (
    ALL_SAMPLES,
    graph_of,
    rich_graph,
    special,
    tensor,
)


def constant_graph(*arrays: np.ndarray[Any, Any]) -> Graph:
    builder = GraphBuilder()
    indices = [builder.add_value(TensorType(a.dtype, a.shape), None, a) for a in arrays]
    return builder.finish([], [(f"y{index}", index) for index in indices])


def constants_of(text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(text)["constants"]
    return rows


def test_a_graph_reads_as_one_row_a_line() -> None:
    builder = GraphBuilder()
    x = builder.add_value(tensor("f32", Dim("batch", min=1), 4), "x")
    w = builder.add_value(tensor("f32", 4), "w", np.array([0.1, -0.0, 2, np.inf], np.float32))
    scaled = builder.append(elementwise.multiply, (x, w))
    builder.names[scaled] = "scaled"
    code = constant_graph.__code__
    total = builder.append(shaping.Transpose((1, 0)), (scaled,), code, -1)
    graph = builder.finish([("x", x)], [("y", total)], name="small", metadata={"by": "hand"})
    file, line = json.dumps(portable_path(code.co_filename)), code.co_firstlineno
    assert (
        to_json(graph)
        == f"""{{
"format": "graph-capture",
"version": 1,
"minor": 0,
"name": "small",
"metadata": {{"by": "hand"}},
"symbols": [
{{"name": "batch", "min": 1, "value": 0, "axis": 0}}
],
"inputs": [
{{"id": 0, "name": "x", "type": "f32[batch,4]"}}
],
"constants": [
{{"id": 1, "name": "w", "type": "f32[4]", "values": [0.1, -0.0, 2.0, "inf"]}}
],
"nodes": [
{{"id": 2, "op": "multiply", "inputs": [0, 1], "types": ["f32[batch,4]"], \
"names": ["scaled"]}},
{{"id": 3, "op": "transpose", "parameters": {{"axes": [1, 0]}}, "inputs": [2], \
"types": ["f32[4,batch]"], "location": 0}}
],
"outputs": [
{{"name": "y", "value": 3}}
],
"files": [
{file}
],
"locations": [
{{"file": 0, "line": {line}, "function": "constant_graph"}}
]
}}
"""
    )


def test_everything_in_a_graph_comes_back() -> None:
    graph = rich_graph()
    text = to_json(graph)
    read = from_json(text)
    assert read == graph
    assert [node.location for node in read.nodes] == [node.location for node in graph.nodes]
    assert [node.scope for node in read.nodes] == ["block/0 ü", "block/0 ü", ""]
    assert list(read.metadata.items()) == list(graph.metadata.items())
    assert list(read.symbols) == list(graph.symbols)
    assert [(s.name, s.min, s.max) for s in read.symbols] == [("n", 2, 64), ("count", 0, None)]
    assert read.nodes[0].outputs[1].name == "rest ☃ \ud800"
    assert from_json(text.encode()) == graph
    assert to_json(read) == text == to_json(graph)


def test_the_empty_graph_comes_back() -> None:
    graph = GraphBuilder().finish([], [])
    assert from_json(to_json(graph)) == graph


def test_many_rows_come_back() -> None:
    builder = GraphBuilder()
    value = builder.add_value(tensor("f32", 3), "x")
    chain = [value := builder.append(elementwise.negative, (value,)) for _ in range(1025)]
    graph = builder.finish([("x", 0)], [("y", chain[-1])])
    text = to_json(graph)
    assert from_json(text) == graph
    assert text.count('"op": "negative"') == len(text.splitlines()) - 19 == 1025


def test_everything_written_satisfies_the_schema() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for graph in (rich_graph(), *(graph_of(*sample) for sample in ALL_SAMPLES)):
        validator.validate(json.loads(to_json(graph)))


def test_the_schema_refuses_what_the_reader_refuses() -> None:
    validator = jsonschema.Draft202012Validator(json_schema())
    for change in (
        {"version": 2},
        {"unknown": 1},
        {"sidecar": "../x"},
        {"nodes": [{"id": 0}]},
    ):
        document = {**json.loads(to_json(rich_graph())), **change}
        assert not validator.is_valid(document)
        with pytest.raises(JsonFormatError):
            from_json(json.dumps(document))


@pytest.mark.parametrize("dtype", DTYPES_BY_NAME.values(), ids=str)
def test_arrays_come_back_bit_by_bit(dtype: np.dtype[Any]) -> None:
    few = special(dtype)
    many = np.resize(few, 1000)
    arrays = [
        few,
        few[:1].reshape(()),
        few[:0].reshape(0, 3),
        many,
        many.reshape(2, 5, 100),
        many.reshape(50, 20).T,
        np.broadcast_to(few[0], (3, 2)),
        many[::-2],
        np.resize(few, (1000, 3))[:, 1],
    ]
    graph = constant_graph(*arrays)
    text = to_json(graph)
    read = from_json(text)
    assert read == graph
    for value, array in zip(read.constants, arrays, strict=True):
        assert value.data is not None
        assert value.data.dtype == dtype
        assert not value.data.flags.writeable
        assert value.data.tobytes() == array.tobytes()
    assert ["values" in row for row in constants_of(text)] == [
        array.size <= 64 for array in arrays
    ]


def test_a_nan_with_a_payload_is_kept_as_bytes() -> None:
    odd = np.array([0x7FC00001, 0xFFC00000], np.uint32).view(np.float32)
    graph = constant_graph(odd)
    text = to_json(graph)
    assert "base64" in constants_of(text)[0]
    assert from_json(text) == graph


def test_base64_in_several_pieces_comes_back() -> None:
    graph = constant_graph(np.arange(700_000, dtype=np.uint16))
    assert from_json(to_json(graph)) == graph


def test_numbers_are_as_short_as_their_dtype_allows() -> None:
    rows = constants_of(
        to_json(
            constant_graph(
                np.array([0.1, 1e-7], np.float32),
                np.array([0.1], np.float16),
                np.array([0.1], ml_dtypes.bfloat16),
                np.array([0.1], np.float64),
            )
        )
    )
    assert [row["values"] for row in rows] == [[0.1, 1e-7], [0.1], [0.100098], [0.1]]


def test_hand_written_numbers_are_accepted() -> None:
    document = json.loads(to_json(constant_graph(np.zeros(4, np.float32))))
    document["constants"][0]["values"] = [1, "nan", "-inf", 0.25]
    data = from_json(json.dumps(document)).constants[0].data
    assert data is not None
    assert data[0] == 1
    assert math.isnan(data[1])
    assert data[2] == -np.inf


def test_keys_of_other_programs_are_ignored() -> None:
    graph = rich_graph()
    document = json.loads(to_json(graph))
    document["x-tool"] = {"any": ["thing", None]}
    for table in ("symbols", "inputs", "constants", "nodes", "outputs", "locations"):
        for row in document[table]:
            row["x-id"] = 1
    document["inputs"][2]["default"]["x-unit"] = "m"
    jsonschema.validate(document, json_schema())
    assert from_json(json.dumps(document)) == graph


def test_a_newer_minor_is_read_when_it_uses_nothing_new() -> None:
    graph = rich_graph()
    document = {**json.loads(to_json(graph)), "minor": MINOR + 3}
    assert from_json(json.dumps(document)) == graph
    document["nodes"][0]["novelty"] = 1
    with pytest.raises(JsonFormatError) as caught:
        from_json(json.dumps(document))
    assert str(caught.value) == (
        "json: /nodes/0/novelty: the key is unknown "
        "(the document is of format 1.3, this reads 1.0)"
    )


def test_an_unregistered_op_is_refused_when_written() -> None:
    class Mystery(Op):
        name = "mystery"

        def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
            return operands

    graph = graph_of(Mystery(), (tensor("f32", 2),))
    with pytest.raises(ExportError) as caught:
        to_json(graph)
    assert not isinstance(caught.value, JsonFormatError)
    assert str(caught.value) == (
        "mystery: cannot be written as JSON: op 'mystery' is unknown: f32[2]"
    )


def test_an_op_that_only_shares_a_name_is_refused_when_written() -> None:
    class Impostor(Op):
        name = "add"

        def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
            return operands[:1]

    with pytest.raises(ExportError, match="would not come back equal"):
        to_json(graph_of(Impostor(), (tensor("f32", 2),)))


def test_a_dim_beyond_the_format_is_refused_when_written() -> None:
    long = Dim("n" * 5000)
    builder = GraphBuilder()
    x = builder.add_value(tensor("f32", long), "x")
    with pytest.raises(ExportError, match="5000 characters; limit 4096"):
        to_json(builder.finish([("x", x)], [("y", x)]))


def test_text_that_is_no_text_is_refused_when_written() -> None:
    graph = GraphBuilder().finish([], [], metadata={"a": 1})  # type: ignore[dict-item]
    with pytest.raises(ExportError, match="expected text, found 1"):
        to_json(graph)


def test_the_documented_example_is_a_document() -> None:
    page = Path(__file__).parents[2] / "docs" / "json.md"
    (example,) = re.findall(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert to_json(from_json(example)) == example


def test_the_schema_is_shipped_beside_the_code() -> None:
    import exporters.json.schema

    assert Path(exporters.json.schema.__file__).with_name("schema.json").is_file()
