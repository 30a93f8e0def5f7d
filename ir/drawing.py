"""Graphs as text for drawing programs: DOT for Graphviz, Mermaid for Markdown."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, NamedTuple

from ir.nesting import all_graphs, nested_graphs
from ir.printer import value_names

if TYPE_CHECKING:
    from ir.graph import Graph, Node, Value

_DOT_SHAPES = {
    "input": 'shape=ellipse, style=filled, fillcolor="#dbeafe"',
    "constant": 'shape=note, style=filled, fillcolor="#f3f4f6"',
    "node": 'shape=box, style="rounded,filled", fillcolor="#ffffff"',
    "output": 'shape=ellipse, style=filled, fillcolor="#dcfce7"',
}
_MERMAID_SHAPES = {
    "input": ("([", "])"),
    "constant": ("[/", "/]"),
    "node": ("[", "]"),
    "output": ("([", "])"),
}
_LONGEST_LABEL = 60


class Vertex(NamedTuple):
    """A box of the drawing."""

    id: str
    kind: str
    label: str
    hint: str = ""


class Edge(NamedTuple):
    """An arrow of the drawing; its label is the type that flows."""

    source: str
    target: str
    label: str


class Part(NamedTuple):
    """One graph of the drawing; nested ones have a title of their own."""

    title: str
    vertices: list[Vertex]
    edges: list[Edge]


def to_dot(graph: Graph) -> str:
    """Return the graph in the DOT language of Graphviz.

    Nested graphs are clusters, drawn once, with a dashed arrow from every node that runs them.
    """
    parts, runs = _drawn(graph)
    lines = [
        f"digraph {_quoted(graph.name)} {{",
        "  node [fontname=Helvetica, fontsize=11];",
        "  edge [fontname=Helvetica, fontsize=9];",
    ]
    for number, part in enumerate(parts):
        indent = "  "
        if number:
            lines.append(f"  subgraph cluster_{number} {{")
            indent = "    "
            lines.append(f"{indent}label={_quoted(part.title)};")
        for vertex in part.vertices:
            hint = f", tooltip={_quoted(vertex.hint)}" if vertex.hint else ""
            label = _quoted(vertex.label)
            lines.append(
                f"{indent}{vertex.id} [label={label}, {_DOT_SHAPES[vertex.kind]}{hint}];"
            )
        for edge in part.edges:
            label = _quoted(edge.label)
            lines.append(f"{indent}{edge.source} -> {edge.target} [label={label}];")
        if number:
            lines.append("  }")
    lines += [f"  {run.source} -> {run.target} [style=dashed];" for run in runs]
    return "\n".join([*lines, "}"])


def to_mermaid(graph: Graph) -> str:
    """Return the graph as a Mermaid flowchart, which Markdown viewers draw."""
    parts, runs = _drawn(graph)
    lines = ["flowchart TD"]
    for number, part in enumerate(parts):
        if number:
            lines.append(f"  subgraph sub{number} [{_escaped(part.title)}]")
        for vertex in part.vertices:
            opening, closing = _MERMAID_SHAPES[vertex.kind]
            lines.append(f"  {vertex.id}{opening}{_escaped(vertex.label)}{closing}")
        lines += [
            f"  {edge.source} -->|{_escaped(edge.label)}| {edge.target}" for edge in part.edges
        ]
        if number:
            lines.append("  end")
    lines += [f"  {run.source} -.-> {run.target}" for run in runs]
    return "\n".join(lines)


def _drawn(graph: Graph) -> tuple[list[Part], list[Edge]]:
    """Return every graph as boxes and arrows, and arrows from nodes to the graphs they run."""
    graphs = list(all_graphs(graph))
    firsts: list[str] = []
    parts: list[Part] = []
    owners: list[tuple[str, Graph]] = []
    for number, current in enumerate(graphs):
        part, ids = _part(current, f"g{number}_" if number else "")
        parts.append(part)
        firsts.append(part.vertices[0].id)
        owners += [
            (ids[node], inner) for node in current.nodes for inner in nested_graphs(node.op)
        ]
    runs = []
    for owner, inner in owners:
        index = next(i for i, known in enumerate(graphs) if known is inner)
        runs.append(Edge(owner, firsts[index], ""))
    return parts, runs


def _part(graph: Graph, prefix: str) -> tuple[Part, dict[Node, str]]:
    names = value_names(graph)
    at: dict[Value, str] = {}
    vertices: list[Vertex] = []
    edges: list[Edge] = []
    for number, value in enumerate((*graph.inputs, *graph.constants)):
        kind = "input" if number < len(graph.inputs) else "constant"
        at[value] = f"{prefix}v{number}"
        vertices.append(Vertex(at[value], kind, f"{names[value]}\n{value.type}"))
    ids: dict[Node, str] = {}
    for number, node in enumerate(graph.nodes):
        ids[node] = f"{prefix}n{number}"
        at.update(dict.fromkeys(node.outputs, ids[node]))
        hint = "" if node.location is None else str(node.location)
        vertices.append(Vertex(ids[node], "node", _label(node), hint))
        edges += [Edge(at[operand], ids[node], str(operand.type)) for operand in node.inputs]
    for number, (name, value) in enumerate(
        zip(graph.output_names, graph.outputs, strict=True)
    ):
        vertices.append(Vertex(f"{prefix}o{number}", "output", name))
        edges.append(Edge(at[value], f"{prefix}o{number}", str(value.type)))
    if not vertices:
        vertices.append(Vertex(f"{prefix}empty", "node", "empty"))
    return Part(graph.name, vertices, edges), ids


def _label(node: Node) -> str:
    lines = [node.op.name]
    name, _, parameters = str(node.op).partition(" ")
    if parameters and not nested_graphs(node.op):  # dashed arrows show those graphs
        short = (
            parameters
            if len(parameters) <= _LONGEST_LABEL
            else f"{parameters[:_LONGEST_LABEL]}…"
        )
        lines = [name, short]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _escaped(text: str) -> str:
    """Return a Mermaid label: quoted, with entities for what would end it."""
    return f'"{html.escape(text).replace(chr(10), "<br>")}"'
