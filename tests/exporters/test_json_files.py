"""JSON files with a safetensors sidecar: what is written, and what is refused on reading."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
from safetensors.numpy import save_file

from exporters.errors import ExportError
from exporters.json import JsonExporter, JsonFormatError, from_json, load_json, to_json
from exporters.json.sidecar import Sidecar
from ir.builder import GraphBuilder
from ir.exporter import Exporter
from ir.graph import Graph
from ir.types import DTYPES_BY_NAME, TensorType
from tests.exporters.test_json_samples import rich_graph, special, tensor


def large_arrays() -> dict[str, np.ndarray[Any, Any]]:
    arrays = {f"big_{n}": np.resize(special(t), (50, 7)) for n, t in DTYPES_BY_NAME.items()}
    return {
        **arrays,
        "turned": np.arange(600.0).reshape(20, 30).T,
        "__metadata__": np.ones(99),
    }


def export(folder: Path, graph: Graph, limit: int | None = 100) -> Path:
    path = folder / "model.json"
    JsonExporter(path, inline_limit=limit).export(graph)
    return path


def sidecar_of(path: Path) -> Path:
    """The one sidecar beside a document; its name is a checksum of what it holds."""
    (found,) = path.parent.glob(f"{path.name}.*.safetensors")
    return found


@pytest.mark.parametrize("memory_map", [False, True])
def test_large_constants_go_to_the_sidecar_and_come_back(
    tmp_path: Path, memory_map: bool
) -> None:
    graph = rich_graph(**large_arrays())
    path = export(tmp_path, graph)
    read = load_json(path, memory_map=memory_map)
    assert read == graph
    assert set(tmp_path.iterdir()) == {path, sidecar_of(path)}
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["sidecar"] == sidecar_of(path).name
    large = [row for row in document["constants"] if "tensor" in row]
    assert len(large) == len(large_arrays())
    for value in read.constants:
        assert value.data is not None
        assert value.data.flags.aligned
        assert not value.data.flags.writeable
    assert load_json(str(path)) == graph


def test_other_programs_can_open_the_sidecar(tmp_path: Path) -> None:
    arrays = large_arrays()
    path = export(tmp_path, rich_graph(**arrays))
    with safetensors.safe_open(sidecar_of(path), "numpy") as file:
        for name in set(arrays) - {"__metadata__", "big_bf16"}:
            assert np.array_equal(file.get_tensor(name), arrays[name], equal_nan=True), name
        assert file.get_slice("big_bf16").get_dtype() == "BF16"
        assert file.get_slice("big_bf16").get_shape() == [50, 7]


def test_files_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir()
        export(folder, rich_graph(**large_arrays()))
    for name in [file.name for file in first.iterdir()]:
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_small_graphs_are_one_file_with_the_text_of_to_json(tmp_path: Path) -> None:
    graph = rich_graph()
    path = export(tmp_path, graph)
    assert path.read_bytes() == to_json(graph).encode()
    assert list(tmp_path.iterdir()) == [path]


def test_without_a_limit_everything_is_inside(tmp_path: Path) -> None:
    graph = rich_graph(**large_arrays())
    path = export(tmp_path, graph, None)
    assert list(tmp_path.iterdir()) == [path]
    assert from_json(path.read_bytes()) == graph


def test_a_file_that_names_its_sidecar_otherwise_is_read(tmp_path: Path) -> None:
    """Before the name was a checksum, it was ``<path>.safetensors``."""
    graph = rich_graph(**large_arrays())
    path = export(tmp_path, graph)
    sidecar_of(path).rename(tmp_path / "model.json.safetensors")
    rename_sidecar(path, "model.json.safetensors")
    assert load_json(path) == graph


def test_a_shared_array_is_stored_once(tmp_path: Path) -> None:
    shared = np.arange(1000.0)
    graph = rich_graph(one=shared, two=shared)
    path = export(tmp_path, graph)
    assert sidecar_of(path).stat().st_size < 1.5 * shared.nbytes
    read = load_json(path)
    assert read == graph
    assert read.constants[-1].data is read.constants[-2].data


def test_large_defaults_go_to_the_sidecar_too(tmp_path: Path) -> None:
    builder = GraphBuilder()
    data = np.arange(300.0)
    x = builder.add_value(TensorType(data.dtype, data.shape), "x", data)
    graph = builder.finish([("x", x)], [("y", x)])
    assert load_json(export(tmp_path, graph)) == graph


def test_a_mapped_graph_outlives_a_new_export(tmp_path: Path) -> None:
    graph = rich_graph(big=np.arange(1000.0))
    path = export(tmp_path, graph)
    read = load_json(path, memory_map=True)
    export(tmp_path, rich_graph(big=np.zeros(1000)))
    gc.collect()
    assert read == graph


def test_a_failing_export_leaves_the_old_files(tmp_path: Path) -> None:
    old = rich_graph(big=np.arange(1000.0))
    export(tmp_path, old)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    bad = rich_graph(big=np.zeros(2000))
    bad.metadata["broken"] = 1  # type: ignore[assignment]
    with pytest.raises(ExportError):
        export(tmp_path, bad)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_it_is_an_exporter() -> None:
    exporter = JsonExporter("model.json", inline_limit=7)
    assert isinstance(exporter, Exporter)
    assert repr(exporter) == "JsonExporter('model.json', inline_limit=7)"
    with pytest.raises(ValueError, match="inline_limit must be 0 or more, got -1"):
        JsonExporter("model.json", inline_limit=-1)


# --- what is refused ----------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = export(folder, rich_graph(big=np.arange(1000, dtype=np.float32)))
    return path, sidecar_of(path)


def refusal(path: Path, **options: bool) -> JsonFormatError:
    with pytest.raises(JsonFormatError) as caught:
        load_json(path, **options)
    return caught.value


def rename_sidecar(path: Path, name: str) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    document["sidecar"] = name
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "../outside.safetensors",
        "/etc/passwd",
        "..",
        ".",
        "",
        "sub/model.safetensors",
        "C:model.safetensors",
        "..\\outside",
        "nul\0byte",
        "\ud800",
        "missing",
        "x" * 5000,
    ],
)
def test_only_a_plain_name_of_the_folder_is_opened(
    files: tuple[Path, Path], name: str
) -> None:
    path, sidecar = files
    (path.parent.parent / "outside.safetensors").write_bytes(sidecar.read_bytes())
    rename_sidecar(path, name)
    error = refusal(path)
    assert error.pointer == "/sidecar"
    str(error).encode()


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
def test_links_folders_and_pipes_are_not_opened(files: tuple[Path, Path]) -> None:
    path, sidecar = files
    outside = path.parent.parent / "outside"
    sidecar.rename(outside)
    sidecar.symlink_to(outside)
    assert "is a link" in str(refusal(path))
    sidecar.unlink()
    os.mkfifo(sidecar)
    assert "is no regular file" in str(refusal(path))
    sidecar.unlink()
    sidecar.mkdir()
    assert refusal(path).pointer == "/sidecar"


def test_a_document_with_a_sidecar_needs_its_folder(files: tuple[Path, Path]) -> None:
    with pytest.raises(JsonFormatError, match="read this with load_json"):
        from_json(files[0].read_bytes())


@pytest.mark.parametrize("memory_map", [False, True])
def test_a_truncated_sidecar_is_refused(files: tuple[Path, Path], memory_map: bool) -> None:
    path, sidecar = files
    whole = sidecar.read_bytes()
    for length in (*range(40), len(whole) // 2, len(whole) - 1):
        sidecar.write_bytes(whole[:length])
        error = refusal(path, memory_map=memory_map)
        assert "truncated" in str(error) or "header" in str(error)


def test_another_sidecar_is_refused(files: tuple[Path, Path]) -> None:
    path, sidecar = files
    whole = bytearray(sidecar.read_bytes())
    whole[-1] ^= 1
    sidecar.write_bytes(whole)
    error = refusal(path)
    assert error.tokens[0] == "constants"
    assert error.tokens[2] == "tensor"
    assert error.reason == "the sidecar's data is not what was written with this file"


def with_header(header: Any, data: int = 4000) -> bytes:
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(encoded).to_bytes(8, "little") + encoded + bytes(data)


GOOD = {"dtype": "F32", "shape": [1000], "data_offsets": [0, 4000]}


@pytest.mark.parametrize(
    "content",
    [
        (2**64 - 1).to_bytes(8, "little") + bytes(9000),
        (9**9).to_bytes(8, "little") + bytes(9000),
        with_header(b"{" * 5000),
        with_header(b'{"big": 1, "big": 2}'),
        with_header(b"\xff\xff"),
        with_header([]),
        with_header({}),
        with_header({"big": None}),
        with_header({"big": {**GOOD, "dtype": "F64"}}),
        with_header({"big": {**GOOD, "dtype": 3}}),
        with_header({"big": {**GOOD, "shape": [10, 100]}}),
        with_header({"big": {**GOOD, "shape": [[]]}}),
        with_header({"big": {**GOOD, "data_offsets": [0, 4004]}}),
        with_header({"big": {**GOOD, "data_offsets": [4, 4004]}}),
        with_header({"big": {**GOOD, "data_offsets": [-4000, 0]}}),
        with_header({"big": {**GOOD, "data_offsets": [2**62, 2**62 + 4000]}}),
        with_header({"big": {**GOOD, "data_offsets": [4000, 0]}}),
        with_header({"big": {**GOOD, "data_offsets": [0, 1, 2]}}),
        with_header({"big": {**GOOD, "data_offsets": [0.0, 4000.0]}}),
        with_header({"big": {**GOOD, "data_offsets": 4000}}),
        with_header({"big": {**GOOD, "more": 1}}),
    ],
)
def test_a_malformed_sidecar_is_refused(files: tuple[Path, Path], content: bytes) -> None:
    path, sidecar = files
    sidecar.write_bytes(content)
    for memory_map in (False, True):
        error = refusal(path, memory_map=memory_map)
        assert error.pointer == "/sidecar" or error.pointer.endswith("/tensor")


def test_a_sidecar_of_another_program_is_read(tmp_path: Path) -> None:
    save_file({"a": np.arange(3, dtype=np.int16), "b": np.ones(2, np.uint8)}, tmp_path / "s")
    with Sidecar(tmp_path, "s", memory_map=True) as sidecar:
        found = sidecar.array("a", tensor("i16", 3), 0)
    assert found.tolist() == [0, 1, 2]


def test_an_empty_and_an_unaligned_tensor_can_be_mapped(tmp_path: Path) -> None:
    header = {
        "pad": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
        "odd": {"dtype": "F32", "shape": [2], "data_offsets": [1, 9]},
        "none": {"dtype": "F32", "shape": [0, 2], "data_offsets": [9, 9]},
    }
    data = b"\0" + np.array([1, 2], "<f4").tobytes()
    (tmp_path / "s").write_bytes(with_header(header, 0) + data)
    with Sidecar(tmp_path, "s", memory_map=True) as sidecar:
        assert sidecar.array("odd", tensor("f32", 2), 0).tolist() == [1, 2]
        assert sidecar.array("none", tensor("f32", 0, 2), 0).shape == (0, 2)


def test_tensors_that_overlap_cannot_ask_for_more_than_the_file(tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(with_header({f"t{i}": GOOD for i in range(9)}))
    with Sidecar(tmp_path, "s", memory_map=True) as sidecar:
        sidecar.array("t0", tensor("f32", 1000), 0)
        with pytest.raises(JsonFormatError, match="has tensors that overlap"):
            sidecar.array("t1", tensor("f32", 1000), 0)


def test_a_bool_in_the_sidecar_that_is_none_is_refused(tmp_path: Path) -> None:
    graph = rich_graph(mask=np.ones(500, bool))
    path = export(tmp_path, graph)
    sidecar = sidecar_of(path)
    whole = bytearray(sidecar.read_bytes())
    whole[-1] = 2
    sidecar.write_bytes(whole)
    assert "neither 0 nor 1" in str(refusal(path, memory_map=True))


def test_no_file_stays_open(files: tuple[Path, Path]) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc")
    before = len(os.listdir("/proc/self/fd"))
    graph = load_json(files[0])
    files[1].write_bytes(b"broken")
    refusal(files[0])
    assert len(os.listdir("/proc/self/fd")) == before
    assert graph.constants
