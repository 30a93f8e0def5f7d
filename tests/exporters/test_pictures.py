"""Files with pictures: whole or not at all, the same bytes, and clear refusals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import graphlay
import pytest

from capture import CaptureDevice, capture_scope
from exporters import ExportError, HtmlExporter, SvgExporter
from exporters.errors import TargetPathError
from ir.errors import MissingExtraError
from ir.exporter import Exporter
from tests.ir.picture_kit import ladder, nested

KINDS = pytest.mark.parametrize("kind", [HtmlExporter, SvgExporter])


@KINDS
def test_a_file_is_what_the_graph_draws(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "graph.out"
    exporter = kind(path)
    assert isinstance(exporter, Exporter)
    assert exporter.written == ()
    exporter.export(nested())
    assert exporter.written == (path,)
    drawn = nested().to_html() if kind is HtmlExporter else nested().to_svg()
    assert path.read_text(encoding="utf-8") == drawn
    assert list(tmp_path.iterdir()) == [path]


def test_in_a_scope(tmp_path: Path) -> None:
    exporters = [SvgExporter(tmp_path / "a.svg"), HtmlExporter(str(tmp_path / "a.html"))]
    with capture_scope(CaptureDevice(), exporters=exporters) as scope:
        x = scope.input("x", ("batch", 4))
        scope.output("y", x * 2)
    assert "f32[batch,4]" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "f32[batch,4]" in (tmp_path / "a.html").read_text(encoding="utf-8")


@KINDS
def test_the_limit(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "graph.out"
    kind(path, limit=10).export(ladder(40))
    assert "80 nodes in 10 boxes; neighbours folded" in path.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="limit must be 1 or more, got 0"):
        kind(path, limit=0)
    assert repr(kind("a", limit=3)) == f"{kind.__name__}('a', limit=3)"


@KINDS
def test_without_the_layout_engine(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before anything is captured."""
    monkeypatch.setitem(sys.modules, "graphlay", None)
    with pytest.raises(MissingExtraError, match="pip install") as caught:
        kind("graph.out")
    assert isinstance(caught.value, ImportError)


@KINDS
def test_a_failing_layout_leaves_the_old_file(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise graphlay.GraphlayError("a limit is exceeded")

    path = tmp_path / "graph.out"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(graphlay, "layout", fail)
    with pytest.raises(ExportError, match="'nested' cannot be laid out: a limit is exceeded"):
        kind(path).export(nested())
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@KINDS
def test_a_path_that_takes_no_file(kind: Any, tmp_path: Path) -> None:
    with pytest.raises(TargetPathError, match="there is no folder"):
        kind(tmp_path / "missing" / "graph.out").export(nested())
    with pytest.raises(TargetPathError, match="it is a folder"):
        kind(tmp_path).export(nested())
