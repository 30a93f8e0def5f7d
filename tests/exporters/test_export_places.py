"""Odd paths, and exports that meet: threads, processes and readers at one path."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exporters import ExportError, JsonExporter, OnnxExporter
from exporters.errors import TargetPathError
from exporters.running import run_model
from tests.exporters.fault_kit import KINDS, WEIGHTS, ExportedFiles, contents, graph_of_weights

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and permissions of POSIX")
ROOT = Path(__file__).parents[2]
ZEROS = np.zeros(300_000, np.float32)


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def exported(request) -> ExportedFiles:
    return request.param


def exporters_to(path: Path | str) -> list[Any]:
    """One exporter of each kind, with and without a data file."""
    return [
        OnnxExporter(path),
        OnnxExporter(path, external_data=True),
        JsonExporter(path),
        JsonExporter(path, inline_limit=None),
    ]


def refused(path: Path | str) -> str:
    """What all exporters say about a path."""
    messages = set()
    for exporter in exporters_to(path):
        with pytest.raises(TargetPathError) as caught:
            exporter.export(graph_of_weights("new"))
        assert isinstance(caught.value, ExportError)
        assert isinstance(caught.value, OSError)
        messages.add(str(caught.value).partition("\n  see ")[0])
    (message,) = messages
    return message


# --- paths that take no file --------------------------------------------------------------


def test_a_missing_folder(tmp_path):
    message = refused(tmp_path / "missing" / "model")
    assert f"there is no folder {tmp_path / 'missing'}\n  way out: make it" in message


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_bytes(b"kept")
    assert "there is no folder" in refused(tmp_path / "file" / "model")
    assert (tmp_path / "file").read_bytes() == b"kept"


def test_a_folder(tmp_path):
    (tmp_path / "model").mkdir()
    assert "it is a folder" in refused(tmp_path / "model")


def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path(os.devnull)):
        before = stat.S_IFMT(path.stat().st_mode)
        assert "it is no regular file" in refused(path)
        assert stat.S_IFMT(path.stat().st_mode) == before


def test_links_in_a_circle(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "lead back to themselves" in refused(tmp_path / "a")


def test_a_name_that_is_too_long(tmp_path):
    assert "its name is too long" in refused(tmp_path / ("x" * 300))
    assert "its name is too long" in refused(tmp_path / ("é" * 150))


@pytest.mark.parametrize("what", ["folder", "file"])
def test_no_permission(tmp_path, monkeypatch, what):
    path = tmp_path / "model"
    path.write_bytes(b"kept")
    forbidden = tmp_path if what == "folder" else path
    monkeypatch.setattr(os, "access", lambda given, mode: Path(given) != forbidden)
    assert f"the {what}" in refused(path)
    assert contents(tmp_path) == {"model": b"kept"}


# --- paths that do ------------------------------------------------------------------------


def test_a_link_is_followed_and_stays(exported, tmp_path):
    (tmp_path / "real").mkdir()
    exported.export(tmp_path / "real", "old")
    link = tmp_path / exported.name
    link.symlink_to(f"real/{exported.name}")
    exported.export(tmp_path, "new")
    assert link.is_symlink()
    assert exported.verdict(tmp_path / "real") == "new"
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == [link.name]
    assert len(contents(tmp_path / "real")) == 2


def test_a_link_to_a_file_that_is_not_there_yet(exported, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / exported.name).symlink_to(tmp_path / "real" / exported.name)
    exported.export(tmp_path, "new")
    assert exported.verdict(tmp_path / "real") == "new"


@pytest.mark.parametrize("stem", ["modèle 模型 🧠", "x" * 245, "模" * 80, "a\nb", "%s{0}"])
def test_odd_names(tmp_path, stem):
    path = tmp_path / f"{stem}.onnx"
    for name in ("old", "new"):
        OnnxExporter(path, external_data=True).export(graph_of_weights(name))
    assert len(contents(tmp_path)) == 2
    np.testing.assert_array_equal(run_model(path, {"x": ZEROS})[0], WEIGHTS["new"])
    OnnxExporter(path).export(graph_of_weights("old"))
    assert set(contents(tmp_path)) == {path.name}
    JsonExporter(path).export(graph_of_weights("new"))
    assert len(contents(tmp_path)) == 2


def test_a_relative_path_means_the_folder_it_was_given_in(tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    exporters = [OnnxExporter("m.onnx", external_data=True), JsonExporter("m.json")]
    monkeypatch.chdir(elsewhere)
    for exporter in exporters:
        exporter.export(graph_of_weights("new"))
        assert [str(path)[:2] for path in exporter.written] == ["m.", "m."]
    assert contents(elsewhere) == {}
    assert len(list(tmp_path.glob("m.*"))) == 4


def test_permissions_of_the_replaced_file_are_kept(exported, tmp_path):
    exported.export(tmp_path, "old")
    (tmp_path / exported.name).chmod(0o600)
    exported.export(tmp_path, "new")
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()} == {0o600}


# --- exports that meet --------------------------------------------------------------------


def test_threads_at_one_path(exported, tmp_path):
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(12):
                exported.export(tmp_path, name, external=number % 3 > 0)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in (*WEIGHTS, *WEIGHTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert exported.verdict(tmp_path) in WEIGHTS
    exported.export(tmp_path, "new")
    assert exported.verdict(tmp_path) == "new"
    assert len(contents(tmp_path)) == 2


EXPORTING = """
import sys
from pathlib import Path
from tests.exporters.fault_kit import KINDS
exported, folder, name = KINDS[sys.argv[1]], Path(sys.argv[2]), sys.argv[3]
for number in range(40):
    exported.export(folder, name, external=number % 4 > 0)
"""


def test_processes_and_a_reader_at_one_path(exported, tmp_path):
    """What is at the path is whole and has its own weights, at every moment.

    A reader that comes between the replacing of a document and its own look at the data finds
    none, which it is told, and reads again.
    """
    exported.export(tmp_path, "old")
    command = [sys.executable, "-c", EXPORTING, type(exported).__name__, str(tmp_path)]
    running = [subprocess.Popen([*command, name], cwd=ROOT) for name in (*WEIGHTS, "old")]
    found: list[str] = []
    while any(process.poll() is None for process in running):
        try:
            found.append(exported.verdict(tmp_path))
        except FileNotFoundError:
            found.append("no data")
    assert [process.returncode for process in running] == [0, 0, 0]
    assert set(found) <= {"old", "new", "no data"}
    assert found.count("no data") < len(found) / 4
    assert exported.verdict(tmp_path) in WEIGHTS
    assert len(contents(tmp_path)) <= 2
