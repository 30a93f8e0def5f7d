"""Writing: atomically, the same bytes again, weights inside or beside the model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from exporters.errors import ExportError, ModelSizeError, VerificationError
from exporters.files import atomic_files
from exporters.onnx import OnnxExporter, to_onnx, weights
from exporters.running import run_model
from ir.builder import GraphBuilder
from ir.exporter import Exporter
from ir.graph import Graph
from ir.ops import elementwise as ew
from ir.ops.linear_algebra import matmul
from ir.types import TensorType

F32 = np.dtype(np.float32)


def layered(transposed: bool = False) -> Graph:
    """A product with a matrix, and with it again turned around."""
    builder = GraphBuilder()
    x = builder.add_value(TensorType(F32, (2, 300)))
    data = np.arange(90_000, dtype=np.float32).reshape(300, 300) % 7
    w = builder.add_value(TensorType(F32, (300, 300)), "w", data.T if transposed else data)
    b = builder.add_value(TensorType(F32, (300,)), "b", np.ones(300, np.float32))
    y = builder.append(ew.add, (builder.append(matmul, (x, w)), b))
    return builder.finish([("x", x)], [("y", builder.append(matmul, (y, w)))])


def data_files(folder: Path) -> list[Path]:
    """The external-data files of ``model.onnx``."""
    return sorted(folder.glob("model.onnx.*.data"))


def leftovers(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir() if ".tmp-" in entry.name]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("external", [True, False, "auto"])
def test_written_models_run(tmp_path, external, transposed):
    graph = layered(transposed)
    path = tmp_path / "model.onnx"
    exporter = OnnxExporter(path, external_data=external, verify=True)
    assert isinstance(exporter, Exporter)
    exporter.export(graph)
    x = np.ones((2, 300), np.float32)
    np.testing.assert_allclose(run_model(path, {"x": x})[0], graph(x), rtol=1e-5)
    assert len(data_files(tmp_path)) == (external is True)
    assert leftovers(tmp_path) == []


def test_external_data_is_aligned_and_small_constants_stay_inside(tmp_path):
    path = tmp_path / "model.onnx"
    OnnxExporter(path, external_data=True).export(layered())
    model = onnx.load(path, load_external_data=False)
    entries = {
        t.name: {e.key: e.value for e in t.external_data} for t in model.graph.initializer
    }
    (data,) = data_files(tmp_path)
    assert entries["w"] == {"location": data.name, "offset": "0", "length": "360000"}
    offset = int(entries["b"]["offset"])
    assert offset >= 360_000
    assert offset % 64 == 0
    assert data.stat().st_size == offset + 1200


def test_writing_twice_gives_the_same_bytes(tmp_path):
    path = tmp_path / "model.onnx"
    contents = []
    for _ in range(2):
        OnnxExporter(path, external_data=True).export(layered())
        (data,) = data_files(tmp_path)
        contents.append((path.read_bytes(), data.name, data.read_bytes()))
    assert contents[0] == contents[1]


def test_a_failing_export_keeps_the_old_file(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")
    builder = GraphBuilder()
    graph = builder.finish([("x", builder.add_value(TensorType(F32, ())))], [])
    with pytest.raises(ExportError):
        OnnxExporter(path).export(graph)
    assert path.read_bytes() == b"old"
    assert leftovers(tmp_path) == []


def test_a_failing_verification_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")

    def fail(*args, **options):
        raise VerificationError("differs")

    monkeypatch.setattr("exporters.verification.verify", fail)
    for external in (True, False):
        with pytest.raises(VerificationError):
            OnnxExporter(path, verify=True, external_data=external).export(layered())
    assert path.read_bytes() == b"old"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["model.onnx"]


def test_weights_beyond_one_message_are_refused(monkeypatch):
    monkeypatch.setattr(weights, "INLINE_LIMIT", weights._MODEL_RESERVE + 1000)
    with pytest.raises(ModelSizeError, match="external_data=True"):
        to_onnx(layered())


def test_auto_goes_external_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "AUTO_LIMIT", 1000)
    OnnxExporter(tmp_path / "model.onnx").export(layered())
    assert len(data_files(tmp_path)) == 1


def test_repr():
    assert repr(OnnxExporter("m.onnx")) == (
        "OnnxExporter('m.onnx', opset=20, target='onnxruntime')"
    )
    full = OnnxExporter("m.onnx", opset=18, target="standard", external_data=True, verify=True)
    assert repr(full).endswith("opset=18, target='standard', external_data=True, verify=True)")


# --- atomic_files -------------------------------------------------------------------------


def test_several_files_take_their_places_together(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    with atomic_files(first, second) as (one, two):
        one.write(b"1")
        two.write(b"2")
        assert not first.exists()
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"2")
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_any_exception_leaves_nothing(tmp_path, error):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def write() -> None:
        with atomic_files(path, tmp_path / "b") as (one, two):
            one.write(b"new")
            two.write(b"new")
            raise error

    with pytest.raises(error):
        write()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a"]
    assert path.read_bytes() == b"old"


def test_one_path_twice_is_refused(tmp_path):
    with (
        pytest.raises(ValueError, match="given twice"),
        atomic_files(tmp_path / "a", tmp_path / "a"),
    ):
        pass


def test_a_killed_run_leaves_nothing_for_long(tmp_path):
    path = tmp_path / "a"
    program = (
        "import os, pathlib, sys\n"
        "from exporters.files import atomic_files\n"
        "with atomic_files(pathlib.Path(sys.argv[1])) as (file,):\n"
        "    file.write(b'part'); file.flush(); os._exit(9)\n"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", program, str(path)], cwd=root, check=False)
    assert len(leftovers(tmp_path)) == 1
    with atomic_files(path) as (running,):
        running.write(b"another export, under way")
        with atomic_files(path) as (file,):
            file.write(b"whole")
            assert len(leftovers(tmp_path)) == 2
        assert path.read_bytes() == b"whole"
        assert len(leftovers(tmp_path)) == 1
    assert path.read_bytes() == b"another export, under way"
    assert leftovers(tmp_path) == []
