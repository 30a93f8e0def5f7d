"""Pictures: everything of a graph is drawn, named, escaped and in its place."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from capture import TensorSpec, trace
from ir import Graph, GraphBuilder
from ir.errors import MissingExtraError
from ir.nesting import all_graphs, nested_graphs
from ir.pictures.collect import collect
from ir.pictures.families import family_of
from ir.pictures.labels import Rectangle
from ir.pictures.layout import LABEL_SIZE, Layout, label_width, lay_out
from ir.pictures.model import Picture
from ir.pictures.summary import summarised
from ir.pictures.text import cells, clipped, data_summary, short_data
from ir.types import type_of
from tests.ir.picture_kit import (
    Page,
    elements,
    hostile,
    ladder,
    links,
    nested,
    node_count,
    scoped,
    texts,
)
from tests.programs import PROGRAMS
from tests.programs.base import Program

W = np.arange(8, dtype=np.float32).reshape(4, 2)
HOSTILE = (
    "<script>alert(1)</script>",
    "</title></svg><b>",
    "a\"b'c&amp;d",
    "--></script><!--",
    "tab\tline\nbell\x07",
    "\ud800",
    "名前",
    "%s {x} \\u0041",
)


def small() -> Graph:
    spec = TensorSpec(("n", 4), np.float32)
    return trace(lambda x: (x @ W * 0.5).sum(axis=1), spec, name="small")


def test_a_small_graph() -> None:
    svg = small().to_svg()
    assert [texts(box) for box in elements(svg, "box")] == [
        ["x", "f32[n,4]"],
        ["matmul", "(·, %W f32[4,2])"],
        ["multiply", "(·, 0.5)"],
        ["sum", "axes=[1], keepdims=false"],
        ["output"],
    ]
    assert [texts(arrow) for arrow in elements(svg, "arrow")] == [
        ["f32[n,4]"],
        ["f32[n,2]"],
        ["f32[n,2]"],
        ["f32[n]"],
    ]
    (matmul,) = elements(svg, "f-linear-algebra")
    assert "test_pictures.py:" in str(matmul.findtext("{*}title"))


def test_graphs_in_ops_are_frames_and_shared_ones_are_drawn_once() -> None:
    graph = nested()
    svg = graph.to_svg()
    titles = [texts(frame)[0] for frame in elements(svg, "frame")]
    assert [title.partition(" @")[0] for title in titles[:4]] == ["loop", "if", "then", "else"]
    (shared,) = [title for title in titles if "run by" in title]
    assert shared.endswith("run by 2 nodes")
    drawn = [texts(box)[0] for box in elements(svg, "box")]
    for inner in all_graphs(graph):
        for node in inner.nodes:
            assert node.op.name in drawn or any(t.startswith(node.op.name) for t in titles)
    assert drawn.count("sin") == drawn.count("tanh") == 1
    assert drawn.count("call") == 2


def test_name_scopes_are_frames_in_frames() -> None:
    frames = {frame.id: frame for frame in collect(scoped(2)).frames}
    inside = [
        (frame.title, frames[frame.parent].title if frame.parent else "")
        for frame in frames.values()
    ]
    assert inside == [
        ("layer0", ""),
        ("unit0", "layer0"),
        ("unit1", "layer0"),
        ("layer1", ""),
        ("unit0", "layer1"),
        ("unit1", "layer1"),
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_whole_programs_are_drawn_whole_and_without_overlap(program: Program) -> None:
    graph = trace(program.function, *program.inputs(0), dynamic=program.dynamic)
    picture = collect(graph)
    holders = sum(frame.kind == "node" for frame in picture.frames)
    assert sum(box.nodes for box in picture.boxes) + holders == node_count(graph)
    small = summarised(picture, 300)
    check_places(small, lay_out(small))


def check_places(picture: Picture, layout: Layout) -> None:
    """Boxes lie apart and in their frames, arrows end at what they connect, labels are free."""
    boxes = [layout.places[box.id] for box in picture.boxes]
    assert not [(a, b) for a, b in combinations(boxes, 2) if a.overlaps(b)]
    holders = {box.id: box.frame for box in picture.boxes}
    holders |= {frame.id: frame.parent for frame in picture.frames}
    for id_, frame in holders.items():
        place = layout.places[id_]
        assert place.x >= 0
        assert place.x + place.width <= layout.width
        if frame:
            around = layout.places[frame]
            assert around.x <= place.x
            assert place.x + place.width <= around.x + around.width + 0.2
            assert around.y <= place.y
            assert place.y + place.height <= around.y + around.height + 0.2
    labels = []
    for arrow, route in zip(picture.arrows, layout.routes, strict=True):
        for point, end in ((route.points[0], arrow.source), (route.points[-1], arrow.target)):
            place = layout.places[end]
            assert place.x - 0.2 <= point[0] <= place.x + place.width + 0.2
            assert place.y - 0.2 <= point[1] <= place.y + place.height + 0.2
        if route.label:
            x, y = route.label
            width = label_width(arrow.label, LABEL_SIZE)
            labels.append(Rectangle(x - width / 2, y - 6, width, 12))
    assert not [(a, b) for a, b in combinations(labels, 2) if a.overlaps(b)]
    assert not [(label, box) for label, box in product(labels, boxes) if label.overlaps(box)]


@pytest.mark.parametrize("text", HOSTILE)
def test_names_are_text_and_nothing_else(text: str) -> None:
    graph = hostile(text)
    svg, page = graph.to_svg(), graph.to_html()
    svg.encode()
    page.encode()
    assert len(elements(svg, "box")) == 5
    harmless = Page(hostile("plain").to_html())
    read = Page(page)
    assert [tag for tag, _ in read.found] == [tag for tag, _ in harmless.found]
    assert all(
        not name.startswith("on") for _, attributes in read.found for name in attributes
    )
    data = json.loads(read.scripts[0])
    assert data["g0i0"][0] == ["input", text]


def test_nothing_is_loaded_from_elsewhere() -> None:
    graph = nested()
    assert links(graph.to_svg()) == []
    assert links(graph.to_html()) == []
    policies = [a["content"] for tag, a in Page(graph.to_html()).found if "content" in a]
    assert any("default-src 'none'" in str(policy) for policy in policies)


def test_equal_graphs_give_equal_bytes() -> None:
    assert scoped(3).to_svg() == scoped(3).to_svg()
    assert nested().to_html() == nested().to_html()


def test_graphs_of_nothing() -> None:
    builder = GraphBuilder()
    empty = builder.finish([], [])
    assert elements(empty.to_svg(), "box") == []
    builder = GraphBuilder()
    x = builder.add_value(type_of(np.zeros(())), "x")
    through = builder.finish([("x", x)], [("y", x), ("z", x)])
    assert len(elements(through.to_svg(), "arrow")) == 2
    assert "<svg" in empty.to_html()


def test_light_and_dark() -> None:
    svg = small().to_svg()
    light, _, dark = svg.partition("@media (prefers-color-scheme:dark)")
    for family in ("input", "output", "elementwise", "linear-algebra", "reduction"):
        assert f".f-{family} rect" in light
        assert f".f-{family} rect" in dark


def test_families() -> None:
    def program(x: Any) -> Any:
        return np.concatenate([x[::2], np.sort(x)[:3]]), x > 0

    graph = trace(program, TensorSpec(("n",), np.float32))
    families = {node.op.name: family_of(node.op) for node in graph.nodes}
    assert families["greater"] == "logic"
    assert families["concatenate"] == "shaping"
    assert "other" not in families.values()
    nested_ones = [n.op for g in all_graphs(nested()) for n in g.nodes if nested_graphs(n.op)]
    assert {family_of(op) for op in nested_ones} == {"nested"}


def test_texts_are_cut_by_columns() -> None:
    assert clipped("short", 10) == "short"
    assert cells(clipped("x" * 50, 10)) == 10
    assert cells(clipped("名" * 50, 10)) <= 10
    assert clipped("a\n b\t\x00c", 20) == "a b \N{REPLACEMENT CHARACTER}c"
    assert cells("e\N{COMBINING ACUTE ACCENT}") == 1


def test_constants_say_what_they_hold() -> None:
    assert short_data(np.array(2.5, np.float32)) == "2.5"
    assert short_data(np.array([[7]])) == "7"
    assert short_data(np.array([1, 2, 3])) == "[1 2 3]"
    assert short_data(np.zeros((2, 2))) is None
    assert short_data(np.zeros(0)) == "[]"
    assert data_summary(np.arange(10)) == (
        "80 bytes, min 0, max 9, mean 4.5, std 2.872; starts 0, 1, 2, 3, 4, 5, 6, 7"
    )
    assert data_summary(np.zeros(0)) == "no elements"
    for special in ([np.nan, np.inf] * 9, [1 + 2j] * 9, [True] * 9):
        assert data_summary(np.array(special)).startswith(f"{np.array(special).nbytes} bytes")


def test_without_the_layout_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphlay", None)
    for draw in (small().to_svg, small().to_html):
        with pytest.raises(MissingExtraError, match=r"pip install 'graph-capture\[drawing\]'"):
            draw()


def test_notebooks_show_a_page_in_a_frame() -> None:
    shown = Page(small()._repr_html_())
    ((tag, attributes),) = shown.found
    assert (tag, attributes["sandbox"]) == ("iframe", "allow-scripts")
    assert attributes["srcdoc"] == small().to_html()


def test_notebooks_store_no_big_pages() -> None:
    graph = ladder(1500)
    assert len(graph._repr_html_()) < 1_500_000
    assert len(graph.to_html()) > 1_500_000


def test_notebooks_show_a_table_without_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphlay", None)
    shown = small()._repr_html_()
    assert shown.count("<tr>") == 1 + 1 + 2 + 3 + 1
    assert "graph-capture[drawing]" in shown
    assert "<script" not in hostile(HOSTILE[0])._repr_html_()
    assert "more rows are not shown" in ladder(60)._repr_html_()


def test_showing_never_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("<broken>")

    monkeypatch.setattr("ir.pictures.collect.collect", fail)
    shown = small()._repr_html_()
    assert "&lt;broken&gt;" in shown
    assert "<table>" in shown
    monkeypatch.setattr("ir.pictures.notebook.value_names", fail)
    assert small()._repr_html_().startswith("<pre>&lt;ir.graph.Graph")


def test_recording_loads_no_drawing() -> None:
    """``import ir`` stays light: the drawing is loaded when something is drawn."""
    program = "import sys, capture; print(*(m for m in sys.modules if 'pictures' in m))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
