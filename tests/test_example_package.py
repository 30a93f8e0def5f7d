"""A package of a third party: ops, lowerings, an exporter and a captured function."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ir
from capture import TensorSpec, explain, trace
from capture.cli import main
from capture.functions.registry import HANDLERS
from exporters import from_json, to_json, verify
from exporters.onnx.lowering import LOWERINGS
from ir.ops import OPS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "tests" / "example_package"
NAME = "graph_capture_example"
ENTRY_POINTS = f"""\
[graph_capture.exporters]
listing = {NAME}.listing:ListingExporter
broken = {NAME}.listing:Missing
failing = {NAME}.smoothing:smooth

[graph_capture.ops]
example = {NAME}.ops
nothing = {NAME}.nothing
"""
PROGRAM = f"""\
from {NAME} import pair_up, smooth, soft_clip, softplus

def program(x):
    double, triple = pair_up(smooth(softplus(x)), by=(2, 3))
    return soft_clip(double, limit=2) + triple
"""
X = "x:float32[n]"


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The package, imported from its folder; what it registers is taken back."""
    tables: list[dict[Any, Any]] = [OPS, LOWERINGS, HANDLERS]
    before = [dict(table) for table in tables]
    monkeypatch.syspath_prepend(str(PACKAGE))
    yield import_module(NAME)
    for table, content in zip(tables, before, strict=True):
        table.clear()
        table.update(content)
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


@pytest.fixture
def installed(
    package: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The package as if installed, and a program that uses it in the current folder."""
    metadata = tmp_path / "site" / f"{NAME}-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Name: {NAME}\nVersion: 0.1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    (tmp_path / "third_party.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.syspath_prepend(str(metadata.parent))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    sys.modules.pop("third_party", None)


def test_everything_of_the_package_works_together(package: ModuleType) -> None:
    def program(x: Any) -> Any:
        double, triple = package.pair_up(package.smooth(package.softplus(x)), by=(2, 3))
        return package.soft_clip(double, limit=2) + triple

    graph = trace(program, TensorSpec(("n",), np.float32))
    ir.check(graph)
    assert graph.stats().ops["example.pair_up"] == 1
    x = np.linspace(-3, 3, 7, dtype=np.float32)
    np.testing.assert_allclose(graph(x), program(x), rtol=1e-6)
    assert verify(graph).ok
    assert from_json(to_json(graph)) == graph
    assert explain(program, x)


def test_the_command_line_finds_exporters_and_ops(
    installed: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "third_party:program", "--input", X, "--json", "m.json"]
    assert main([*words, "--to", "listing", "-o", "m.txt"]) == 0
    text = (tmp_path / "m.txt").read_text(encoding="utf-8")
    assert text.startswith("graph program(%x: f32[n]) {")
    assert "example.soft_clip" in text
    err = capsys.readouterr().err
    assert "wrote m.txt with listing (" in err
    assert f"warning: the ops of {NAME}.nothing are not available: ModuleNotFoundError" in err
    assert main(["-q", "convert", "m.json", "m.onnx", "--verify"]) == 0
    assert main(["-q", "show", "m.json"]) == 0
    assert "example.softplus %x" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["--to", "other", "-o", "m.txt"],
            2,
            "no exporter 'other' (broken, failing, listing)",
        ),
        (["--to", "broken", "-o", "m.txt"], 1, "'broken' cannot be imported: AttributeError"),
        (["--to", "failing", "-o", "m.txt"], 1, "the exporter 'failing' raised TypeError"),
        (["--to", "listing"], 2, "give -o and the file to write"),
        (["--to", "listing", "--verify", "-o", "m.txt"], 2, "--verify compares ONNX files"),
    ],
)
def test_exporters_that_do_not_work(
    installed: None,
    words: list[str],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    more = [] if "-o" in words else ["--json", "m.json"]
    assert main(["-q", "export", "third_party:program", "--input", X, *words, *more]) == code
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_the_package_works_from_an_environment_of_its_own(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, f"{ROOT}[runtime]", str(PACKAGE)], check=True, cwd=tmp_path)
    (tmp_path / "third_party.py").write_text(PROGRAM, encoding="utf-8")
    command = [python, "-m", "capture"]
    export = ["export", "third_party:program", "--input", X, "--json", "m.json"]
    subprocess.run(
        [*command, *export, "--to", "listing", "-o", "m.txt"], check=True, cwd=tmp_path
    )
    assert "example.pair_up" in (tmp_path / "m.txt").read_text(encoding="utf-8")
    convert = ["convert", "m.json", "m.onnx", "--verify"]
    subprocess.run([*command, *convert], check=True, cwd=tmp_path)
