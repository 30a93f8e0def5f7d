"""Fault injection: killed or failing at any moment, an export leaves the old files or the new."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from exporters import files
from exporters.onnx import OnnxExporter
from tests.exporters.fault_kit import contents, exporter, graph_of_weights, verdict

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and forks of POSIX")
ROOT = Path(__file__).parents[2]


class Faults:
    """Fails the n-th of all writes, syncs and renames of an export.

    Args:
        number: Which one fails; beyond the last, none does.
        error: What it raises.
    """

    def __init__(self, number: int, error: BaseException) -> None:
        self._left = number
        self._error = error
        self.failed = False

    def step(self) -> None:
        self._left -= 1
        if self._left == 0:
            self.failed = True
            raise self._error

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        replace, fsync, opened = os.replace, os.fsync, Path.open

        def failing_replace(*paths: Any) -> None:
            self.step()
            replace(*paths)

        def failing_fsync(descriptor: int) -> None:
            self.step()
            fsync(descriptor)

        def failing_open(path: Path, mode: str = "r") -> Any:
            self.step()
            return FailingFile(opened(path, mode), self)

        monkeypatch.setattr(files.os, "replace", failing_replace)
        monkeypatch.setattr(files.os, "fsync", failing_fsync)
        monkeypatch.setattr(files.Path, "open", failing_open)


class FailingFile:
    """A file whose writes count as steps."""

    def __init__(self, file: BinaryIO, faults: Faults) -> None:
        self._file = file
        self._faults = faults

    def write(self, data: Any) -> int:
        self._faults.step()
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def inject(
    folder: Path, number: int, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> bool:
    """Export over an older model with one fault; return whether there was one."""
    exporter(folder, "old", external=True).export(graph_of_weights("old"))
    old = contents(folder)
    faults = Faults(number, error)
    with monkeypatch.context() as patch:
        faults.install(patch)
        try:
            exporter(folder, "new", external=True).export(graph_of_weights("new"))
        except type(error):
            assert faults.failed
    if faults.failed and verdict(folder) == "old":
        assert contents(folder) == old
    else:
        assert verdict(folder) == "new"
    exporter(folder, "new", external=True).export(graph_of_weights("new"))
    assert verdict(folder) == "new"
    assert len(contents(folder)) == 2
    return faults.failed


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "no space left"), KeyboardInterrupt()], ids=repr
)
def test_a_fault_at_any_step_leaves_the_old_files_or_the_new(tmp_path, monkeypatch, error):
    number = 1
    while inject(tmp_path, number, error, monkeypatch):
        number += 1
    assert number > 10, "the faults missed most steps"


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    full = OSError(errno.ENOSPC, "no space left")
    for external in (True, False):
        with monkeypatch.context() as patch:
            Faults(3, full).install(patch)
            with pytest.raises(OSError, match="no space left"):
                exporter(tmp_path, "new", external).export(graph_of_weights("new"))
    assert contents(tmp_path) == {}


def killed(folder: Path, moments: int, seed: int) -> list[str]:
    """Kill exports at random moments in a process of their own; return what was found."""
    command = [sys.executable, "-m", "tests.exporters.fault_kit"]
    done = subprocess.run(
        [*command, str(folder), str(moments), str(seed)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def test_killed_at_random_moments_the_files_are_whole(tmp_path):
    found = killed(tmp_path, 15, seed=1)
    assert len(found) == 15
    assert set(found) <= {"old", "new"}


@pytest.mark.slow
def test_killed_at_many_moments_the_files_are_whole(tmp_path):
    found = killed(tmp_path, 50, seed=2)
    assert len(found) == 50
    assert set(found) <= {"old", "new"}


def test_data_files_of_other_models_are_left_alone(tmp_path):
    neighbours = {"other.onnx.0123456789abcdef.data", "model.onnx.data", "model.onnx.notes"}
    for name in neighbours:
        (tmp_path / name).write_bytes(b"mine")
    for name in ("old", "new"):
        exporter(tmp_path, name, external=True).export(graph_of_weights(name))
    assert len(contents(tmp_path)) == 2 + len(neighbours)
    exporter(tmp_path, "new", external=False).export(graph_of_weights("new"))
    assert set(contents(tmp_path)) == {"model.onnx", *neighbours}


def test_an_old_model_never_finds_new_weights(tmp_path):
    """The data file's name is a checksum of its content, so two contents have two names."""
    exporter(tmp_path, "old", external=True).export(graph_of_weights("old"))
    model = (tmp_path / "model.onnx").read_bytes()
    exporter(tmp_path, "new", external=True).export(graph_of_weights("new"))
    (tmp_path / "model.onnx").write_bytes(model)
    assert verdict(tmp_path) == "no data"


def test_only_small_weights_need_no_data_file(tmp_path):
    from ir.builder import GraphBuilder
    from ir.ops import elementwise as ew
    from ir.types import type_of

    small = np.ones(4, np.float32)
    builder = GraphBuilder()
    x = builder.add_value(type_of(small))
    y = builder.append(ew.add, (x, builder.add_value(type_of(small), "w", small)))
    graph = builder.finish([("x", x)], [("y", y)])
    small_exporter = OnnxExporter(tmp_path / "model.onnx", external_data=True)
    small_exporter.export(graph)
    assert small_exporter.written == (tmp_path / "model.onnx",)
    assert set(contents(tmp_path)) == {"model.onnx"}
