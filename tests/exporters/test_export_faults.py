"""Fault injection: killed or failing at any moment, an export leaves the old files or the new."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from exporters.onnx import OnnxExporter
from tests.exporters.fault_kit import KINDS, ExportedFiles, Faults, contents

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and forks of POSIX")
ROOT = Path(__file__).parents[2]


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def exported(request) -> ExportedFiles:
    return request.param


def inject(
    exported: ExportedFiles,
    folder: Path,
    number: int,
    error: BaseException,
    monkeypatch: pytest.MonkeyPatch,
) -> bool:
    """Export over an older graph with one fault; return whether there was one."""
    exported.export(folder, "old")
    old = contents(folder)
    faults = Faults(number, error)
    with monkeypatch.context() as patch:
        faults.install(patch)
        try:
            exported.export(folder, "new")
        except type(error):
            assert faults.failed
    if faults.failed and exported.verdict(folder) == "old":
        assert contents(folder) == old
    else:
        assert exported.verdict(folder) == "new"
    exported.export(folder, "new")
    assert exported.verdict(folder) == "new"
    assert len(contents(folder)) == 2
    return faults.failed


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "no space left"), KeyboardInterrupt()], ids=repr
)
def test_a_fault_at_any_step_leaves_the_old_files_or_the_new(
    exported, tmp_path, monkeypatch, error
):
    number = 1
    while inject(exported, tmp_path, number, error, monkeypatch):
        number += 1
    assert number > 10, "the faults missed most steps"


def test_a_full_disk_is_told(exported, tmp_path, monkeypatch):
    full = OSError(errno.ENOSPC, "no space left")
    for external in (True, False):
        with monkeypatch.context() as patch:
            Faults(3, full).install(patch)
            with pytest.raises(OSError, match="no space left"):
                exported.export(tmp_path, "new", external)
    assert contents(tmp_path) == {}


def killed(exported: ExportedFiles, folder: Path, moments: int, seed: int) -> list[str]:
    """Kill exports at random moments in a process of their own; return what was found."""
    command = [sys.executable, "-m", "tests.exporters.fault_kit", type(exported).__name__]
    done = subprocess.run(
        [*command, str(folder), str(moments), str(seed)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def test_killed_at_random_moments_the_files_are_whole(exported, tmp_path):
    found = killed(exported, tmp_path, 15, seed=1)
    assert len(found) == 15
    assert set(found) <= {"old", "new"}


@pytest.mark.slow
def test_killed_at_many_moments_the_files_are_whole(exported, tmp_path):
    found = killed(exported, tmp_path, 50, seed=2)
    assert len(found) == 50
    assert set(found) <= {"old", "new"}


def test_data_files_of_others_are_left_alone(exported, tmp_path):
    name, suffix = exported.name, exported.suffix
    neighbours = {f"other{name}.0123456789abcdef{suffix}", f"{name}{suffix}", f"{name}.notes"}
    for neighbour in neighbours:
        (tmp_path / neighbour).write_bytes(b"mine")
    for content in ("old", "new"):
        exported.export(tmp_path, content)
    assert len(contents(tmp_path)) == 2 + len(neighbours)
    exported.export(tmp_path, "new", external=False)
    assert set(contents(tmp_path)) == {name, *neighbours}


def test_an_old_file_never_finds_new_weights(exported, tmp_path):
    """The data file's name is a checksum of its content, so two contents have two names."""
    exported.export(tmp_path, "old")
    document = (tmp_path / exported.name).read_bytes()
    exported.export(tmp_path, "new")
    (tmp_path / exported.name).write_bytes(document)
    assert exported.verdict(tmp_path) == "no data"


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
