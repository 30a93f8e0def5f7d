"""A graph as boxes, arrows and frames: what is drawn, and in which frame it stands."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ir.graph import Graph
from ir.nesting import all_graphs, nested_graphs
from ir.pictures.describe import (
    WIDTH,
    Details,
    constant_box,
    hint,
    input_box,
    node_box,
    node_details,
    output_box,
    type_text,
)
from ir.pictures.model import Arrow, Box, Frame, Picture
from ir.pictures.text import clipped, data_summary
from ir.printer import value_names

if TYPE_CHECKING:
    from ir.graph import Node, Value
    from ir.ops.base import Array


def collect(graph: Graph, *, with_details: bool = True) -> Picture:
    """Return everything in a graph as boxes, arrows and frames.

    Constants are written into the boxes that read them. A graph that one node runs stands in
    that node's frame; one that several run is a frame of its own.

    Args:
        graph: What to draw.
        with_details: Whether to tell everything known, which reads the data of constants.
    """
    collector = _Collector(graph, with_details)
    collector.add_graph(graph, "")
    for shared in collector.shared:
        frame = f"f{collector.numbers[id(shared)]}"
        title = f"@{shared.name}, run by {collector.runs[id(shared)]} nodes"
        collector.frames.append(Frame(frame, "", "function", clipped(title, WIDTH)))
        collector.add_graph(shared, frame)
    return Picture(
        graph.name, tuple(collector.boxes), tuple(collector.arrows), tuple(collector.frames)
    )


class _Body(NamedTuple):
    """One graph while it is drawn: ids of what its values come from, frames of its scopes."""

    graph: Graph
    prefix: str
    names: dict[Value, str]
    constants: set[Value]
    at: dict[Value, str]
    scopes: dict[str, str]


class _Collector:
    """What has been drawn so far."""

    def __init__(self, graph: Graph, with_details: bool) -> None:
        self.with_details = with_details
        self.data_texts: dict[int, str] = {}
        self.boxes: list[Box] = []
        self.arrows: list[Arrow] = []
        self.frames: list[Frame] = []
        graphs = list(all_graphs(graph))
        self.numbers = {id(inner): number for number, inner in enumerate(graphs)}
        self.runs = Counter(
            id(inner)
            for outer in graphs
            for node in outer.nodes
            for inner in nested_graphs(node.op)
        )
        self.shared = [inner for inner in graphs[1:] if self.runs[id(inner)] > 1]

    def data(self, array: Array) -> str:
        """Return what an array holds, computed once for each."""
        if not self.with_details:
            return ""
        if id(array) not in self.data_texts:
            self.data_texts[id(array)] = data_summary(array)
        return self.data_texts[id(array)]

    def details(self, node: Node, body: _Body) -> Details:
        """Return what there is to say of a node, nothing if that is not asked for."""
        return node_details(node, body.names, self.data) if self.with_details else ()

    def add_graph(self, graph: Graph, frame: str) -> None:
        """Draw one graph into a frame."""
        body = _Body(
            graph,
            f"g{self.numbers[id(graph)]}",
            value_names(graph),
            set(graph.constants),
            {},
            {"": frame},
        )
        for number, value in enumerate(graph.inputs):
            body.at[value] = id_ = f"{body.prefix}i{number}"
            self.boxes.append(
                input_box(id_, body.names[value], value, graph, frame, self.data)
            )
        for number, node in enumerate(graph.nodes):
            self._add_node(node, f"{body.prefix}n{number}", body)
        for number, (name, value) in enumerate(
            zip(graph.output_names, graph.outputs, strict=True)
        ):
            id_ = f"{body.prefix}o{number}"
            source = self._source(value, body, frame)
            self.boxes.append(output_box(id_, name, value, graph, frame))
            label = clipped(type_text(value.type), WIDTH)
            self.arrows.append(Arrow(source, id_, label, f"{body.prefix}%{body.names[value]}"))

    def _source(self, value: Value, body: _Body, frame: str) -> str:
        """Return the box that a value comes from; a constant gets one when first asked for."""
        if value not in body.at:
            body.at[value] = id_ = f"{body.prefix}c{len(body.at)}"
            self.boxes.append(constant_box(id_, body.names[value], value, frame, self.data))
        return body.at[value]

    def _scope(self, scope: str, body: _Body) -> str:
        """Return the frame of a name scope, drawn when first met."""
        if scope not in body.scopes:
            outer, _, name = scope.rpartition("/")
            parent = self._scope(outer, body)
            body.scopes[scope] = id_ = f"{body.prefix}s{len(body.scopes)}"
            details = (("scope", scope),)
            title = clipped(name, WIDTH)
            self.frames.append(Frame(id_, parent, "scope", title, scope, details))
        return body.scopes[scope]

    def _add_node(self, node: Node, id_: str, body: _Body) -> None:
        frame = self._scope(node.scope, body)
        own = [
            (field, inner)
            for field, inner in node.op.parameters.items()
            if isinstance(inner, Graph) and self.runs[id(inner)] == 1
        ]
        written = set() if own else body.constants
        for value in dict.fromkeys(node.inputs):
            if value in written:
                continue  # the box shows it
            label = type_text(value.type)
            if value.name is not None and value.producer is not None:
                label = f"{body.names[value]}: {label}"
            source = self._source(value, body, frame)
            name = f"{body.prefix}%{body.names[value]}"
            self.arrows.append(Arrow(source, id_, clipped(label, WIDTH), name))
        body.at.update(dict.fromkeys(node.outputs, id_))
        if own:
            self._add_frame(node, id_, body, frame, own)
        else:
            self.boxes.append(
                node_box(
                    id_, node, body.names, body.constants, frame, self.details(node, body)
                )
            )

    def _add_frame(
        self, node: Node, id_: str, body: _Body, frame: str, own: list[tuple[str, Graph]]
    ) -> None:
        """Draw a node as a frame around the graphs that only it runs."""
        title = f"{node.op.name} {', '.join(_runs(node, own))}".strip()
        details = self.details(node, body)
        self.frames.append(
            Frame(id_, frame, "node", clipped(title, WIDTH), hint(node), details)
        )
        if len(own) == 1:
            self.add_graph(own[0][1], id_)
            return
        for field, inner in own:
            inside = f"{id_}{field}"
            title = clipped(_named(field, inner), WIDTH)
            self.frames.append(Frame(inside, id_, "graph", title))
            self.add_graph(inner, inside)


def _runs(node: Node, own: list[tuple[str, Graph]]) -> list[str]:
    """Return the graphs that the title of a node's frame names: frames inside name their own."""
    if len(own) > 1:
        return []
    graphs = [(f, g) for f, g in node.op.parameters.items() if isinstance(g, Graph)]
    if len(graphs) == 1:
        return [f"@{graphs[0][1].name}"]
    return [_named(field, graph) for field, graph in graphs]


def _named(field: str, graph: Graph) -> str:
    return f"{field.removesuffix('_graph')} @{graph.name}"
