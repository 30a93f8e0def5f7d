"""Files of loaded models: weights beside them, broken ones, what their makers wrote."""

from __future__ import annotations

import json

import numpy as np
import onnx
import onnx.checker
import pytest
from onnx import helper

import exporters
from exporters import JsonExporter, OnnxExporter, load_json, load_onnx, to_onnx
from exporters.errors import ModelError
from exporters.running import run_model
from tests.exporters.model_kit import (
    agree,
    dense,
    graph_of,
    normal,
    parsed,
    run,
    spec,
)

X = normal(3, 16)


def with_external_data(folder, name="big.onnx"):
    proto = dense(columns=2048)
    onnx.save(
        proto,
        folder / name,
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=64,
    )
    return folder / name


def test_external_data_is_mapped(tmp_path):
    path = with_external_data(tmp_path)
    model = load_onnx(path)
    assert model.name == "big"
    graph = graph_of(model, spec("n", 16))
    (weight,) = (v.data for v in graph.constants if v.data.nbytes > 2**16)
    assert isinstance(weight, np.memmap)
    (y,) = run(dense(columns=2048), X)
    agree(graph, y, X)
    OnnxExporter(tmp_path / "out.onnx", external_data=True).export(graph)
    assert np.allclose(run_model(tmp_path / "out.onnx", {"x": X})[0], y)
    JsonExporter(tmp_path / "out.json").export(graph)
    assert load_json(tmp_path / "out.json") == graph


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "weights.bin").unlink(), "'weights.bin'.*is missing"),
        (
            lambda folder: (folder / "weights.bin").write_bytes(b"short"),
            "'[bw]' needs .* bytes",
        ),
    ],
)
def test_broken_external_data(tmp_path, spoil, said):
    path = with_external_data(tmp_path)
    spoil(tmp_path)
    with pytest.raises(ModelError, match=said):
        load_onnx(path)


def test_external_data_outside_the_folder(tmp_path):
    (tmp_path / "secret").write_bytes(bytes(4096))
    (tmp_path / "inner").mkdir()
    path = with_external_data(tmp_path / "inner")
    proto = onnx.load(path, load_external_data=False)
    for tensor in proto.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = "../secret"
    path.write_bytes(proto.SerializeToString())
    with pytest.raises(ModelError, match="outside the model's"):
        load_onnx(path)
    linked = with_external_data(tmp_path / "inner", "linked.onnx")
    (tmp_path / "inner" / "weights.bin").rename(tmp_path / "weights.bin")
    (tmp_path / "inner" / "weights.bin").symlink_to(tmp_path / "weights.bin")
    with pytest.raises(ModelError, match=r"(?s)leads outside .*without links"):
        load_onnx(linked)
    with pytest.raises(ModelError, match="a model in memory has no folder"):
        load_onnx(proto)


def test_files_that_are_no_models(tmp_path):
    path = tmp_path / "no.onnx"
    path.write_bytes(b"\xff\xfe nothing of the kind")
    with pytest.raises(ModelError, match=r"no.onnx: no ONNX model"):
        load_onnx(path)
    with pytest.raises(ModelError, match="no graph"):
        load_onnx(b"")
    with pytest.raises(FileNotFoundError):
        load_onnx(tmp_path / "missing.onnx")


@pytest.mark.parametrize(
    ("boundary", "nodes", "said"),
    [
        (
            "(string[n] x) => (string[n] y)",
            "y = Identity(x)",
            "input 'x' is a tensor of string",
        ),
        (
            "(float[n] x) => (seq(float[n]) y)",
            "y = SequenceConstruct(x)",
            "output 'y' is no tensor but a sequence",
        ),
        ("(complex64[n] x) => (complex64[n] y)", "y = Identity(x)", "a tensor of complex64"),
        ("(float[n] x) => (float[n] y)", "y = Add(x, z) z = Neg(y)", "in a circle"),
    ],
)
def test_models_that_cannot_be_a_node(boundary, nodes, said):
    proto = parsed(f'<ir_version: 8, opset_import: ["": 18]> odd {boundary} {{ {nodes} }}')
    with pytest.raises(ModelError, match=said):
        load_onnx(proto)


def test_licence_and_makers_words_stay():
    proto = dense()
    proto.producer_name, proto.producer_version = "trainer", "1.2"
    proto.domain, proto.model_version = "org.example", 7
    proto.doc_string = "Scores rows. MIT licence."
    helper.set_model_props(proto, {"license": "MIT", "labels": "a,b"})
    model = load_onnx(proto, name="scorer")
    assert model.metadata == {"license": "MIT", "labels": "a,b"}
    written = to_onnx(graph_of(model, spec("n", 16)))
    assert written.doc_string == (
        "Contains the model 'scorer', written by trainer 1.2, of org.example, version 7:\n"
        "Scores rows. MIT licence."
    )
    metadata = {p.key: p.value for p in written.metadata_props}
    assert metadata["scorer/license"] == "MIT"


def test_hostile_json():
    graph = graph_of(load_onnx(dense()), spec("n", 16))
    document = json.loads(exporters.to_json(graph))
    parameters = document["nodes"][0]["parameters"]
    good = parameters["model"]
    for bad in (
        {"base64": "no base64!"},
        {"base64": ""},
        {"base64": 3},
        {"base64": "AAAA"},
        "AAAA",
        None,
    ):
        parameters["model"] = bad
        with pytest.raises(exporters.JsonFormatError):
            exporters.from_json(json.dumps(document))
    parameters["model"] = good
    parameters["results"] = [["f32", ["n", 31]]]
    document["nodes"][0]["types"] = ["f32[n,31]"]
    with pytest.raises(exporters.JsonFormatError, match="does not give"):
        exporters.from_json(json.dumps(document))
