"""Big pictures: few boxes, no node lost, and a sheet for what is folded."""

from __future__ import annotations

import numpy as np
import pytest

from ir import Graph, GraphBuilder
from ir.nesting import all_graphs
from ir.ops.shaping import Concatenate
from ir.pictures.collect import collect
from ir.pictures.labels import Rectangle, place_labels
from ir.pictures.model import Picture
from ir.pictures.sheets import MOST_BOXES_IN_ALL, sheets_of
from ir.pictures.summary import summarised
from ir.types import type_of
from tests.ir.picture_kit import Page, elements, ladder, nested, node_count, scoped, texts

BIG = [lambda: scoped(50, 20), lambda: ladder(2500), nested, lambda: scoped(6, 3)]


def drawn_nodes(picture: Picture) -> int:
    return sum(box.nodes for box in picture.boxes) + sum(
        frame.kind == "node" for frame in picture.frames
    )


@pytest.mark.parametrize("make", BIG)
@pytest.mark.parametrize("limit", [1, 5, 40, 300])
def test_no_node_is_lost(make: type[Graph], limit: int) -> None:
    whole = collect(make())
    small = summarised(whole, limit)
    folded = sum(
        frame.kind == "node" and frame.id not in {kept.id for kept in small.frames}
        for frame in whole.frames
    )
    assert drawn_nodes(small) + folded == drawn_nodes(whole)
    assert {arrow.source for arrow in small.arrows} <= {item.id for item in small.items}
    assert {arrow.target for arrow in small.arrows} <= {item.id for item in small.items}
    assert len(small.items) <= max(limit, 8)
    assert len(small.arrows) <= 4 * max(limit, 16)


def test_a_small_picture_stays_as_it_is() -> None:
    picture = collect(scoped(2))
    assert summarised(picture, 300) is picture
    with pytest.raises(ValueError, match="limit must be 1 or more, got 0"):
        summarised(picture, 0)


def test_scopes_are_closed_before_nodes_are_folded() -> None:
    small = summarised(collect(scoped(50, 20)), 100)
    assert small.note == "5,000 nodes in 52 boxes; name scopes and bodies of ops closed"
    titles = [box.title for box in small.boxes]
    assert titles == ["x", *(f"layer{n}" for n in range(50)), "output"]
    assert small.boxes[1].lines == (
        "100 nodes, multiply ×40",
        "add ×20, tanh ×20",
        "subtract ×20",
    )


def test_some_of_a_level_are_opened_as_examples() -> None:
    small = summarised(collect(scoped(50, 20)), 300)
    assert [frame.title for frame in small.frames] == ["layer0"]
    assert [box.title for box in small.boxes][:3] == ["x", "unit0", "unit1"]


def test_what_flows_between_folded_boxes() -> None:
    small = summarised(collect(ladder(400)), 20)
    labels = {arrow.label for arrow in small.arrows}
    assert any(label.endswith(" × f32[n]") for label in labels)
    assert small.note.endswith("; neighbours folded")


def test_sheets_show_every_node_of_a_big_graph_once() -> None:
    sheets = list(sheets_of(collect(ladder(300)), 60))
    boxes = [box for sheet in sheets for box in sheet.picture.boxes if box.kind == "node"]
    assert len(boxes) == len({box.id for box in boxes}) == 600
    opened = {sheet.id for sheet in sheets[1:]}
    folded = {
        box.id for sheet in sheets for box in sheet.picture.boxes if box.kind == "summary"
    }
    assert opened == {f"sheet-{id_}" for id_ in folded}
    items = [item.id for sheet in sheets for item in sheet.picture.items]
    assert len(items) == len(set(items))


def test_sheets_name_what_is_outside() -> None:
    overview, *others = sheets_of(collect(scoped(6, 3)), 30)
    assert [sheet.title for sheet in others][:2] == [
        "scoped / layer0 / unit0",
        "scoped / layer0 / unit1",
    ]
    outside = [box for box in others[1].picture.boxes if box.lines == ("outside",)]
    assert [box.kind for box in outside] == ["input", "output", "output"]
    _, first, *_ = sheets_of(collect(scoped(6, 3)), 22)
    assert first.title == "scoped / layer0"
    assert {frame.title for frame in first.picture.frames} == {"unit0", "unit1", "unit2"}
    assert overview.id == "sheet-0"


def test_a_page_is_bounded() -> None:
    graph = ladder(2500)
    page = graph.to_html()
    read = Page(page)
    assert len(read.ids("box")) <= MOST_BOXES_IN_ALL
    assert "folded boxes do not open" in page
    assert len(page) < 4_000_000
    svg = graph.to_svg()
    assert len(elements(svg, "box")) <= 300
    (foot,) = elements(svg, "foot")
    assert texts(foot)[-1].startswith(f"{node_count(graph):,} nodes in ")


def test_many_inputs_and_outputs_are_folded() -> None:
    builder = GraphBuilder()
    inputs = [(f"x{n}", builder.add_value(type_of(np.zeros(2)), f"x{n}")) for n in range(900)]
    y = builder.append(Concatenate(0), tuple(value for _, value in inputs))
    graph = builder.finish(inputs, [(f"y{n}", y) for n in range(700)])
    small = summarised(collect(graph), 50)
    assert len(small.boxes) <= 50
    first, last = small.boxes[0], small.boxes[-1]
    assert (first.title, first.lines) == ("40 inputs", ("x0 … x39",))
    assert (last.kind, last.title.split()[1]) == ("output", "outputs")


def test_a_deep_nest_is_drawn() -> None:
    assert len(list(all_graphs(nested()))) == 6
    small = summarised(collect(nested()), 12)
    closed = [box.title.partition(" @")[0] for box in small.boxes if box.members]
    assert closed[0] == "loop"


def test_labels_avoid_boxes_lines_and_one_another() -> None:
    line = ((0.0, 0.0), (0.0, 100.0))
    size = (20.0, 10.0)
    assert place_labels([size], [line], [None], []) == [(0.0, 50.0)]
    assert place_labels([size], [line], [(0.0, 20.0)], []) == [(0.0, 20.0)]
    assert place_labels([size], [line], [(200.0, 20.0)], []) == [(0.0, 50.0)]
    wall = Rectangle(-500, -500, 1000, 1000)
    assert place_labels([size], [line], [None], [wall]) == [None]
    assert place_labels([None], [line], [None], []) == [None]
    first, second = place_labels([size, size], [line, line], [None, None], [])
    assert first is not None
    assert second not in (None, first)
    crossing = ((-50.0, 50.0), (50.0, 50.0))
    (beside, _) = place_labels([size, None], [line, crossing], [None, None], [])
    assert beside is not None
    assert abs(beside[1] - 50) > 5
