"""Graphs to draw, and what is read back from a drawing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np

import capture
from capture import TensorSpec, trace
from ir import Graph, GraphBuilder
from ir.nesting import all_graphs
from ir.ops import elementwise as ew
from ir.types import type_of

SVG = "{http://www.w3.org/2000/svg}"
X = TensorSpec(("n",), np.float32)


def nested() -> Graph:
    """A loop with a branch in it, a function that two nodes run, and one that one node runs."""

    @capture.function
    def twice(x: Any) -> Any:
        return x * 2

    @capture.function
    def once(x: Any) -> Any:
        return np.tanh(x)

    def step(i: Any, carry: Any) -> Any:
        return capture.cond(carry.sum() > i, lambda c: np.sin(c), lambda c: c + 1, carry)

    def program(x: Any) -> Any:
        x = capture.fori_loop(0, 3, step, x)
        return once(twice(twice(x)))

    return trace(program, X, name="nested")


def scoped(layers: int, units: int = 2) -> Graph:
    """Layers of units in name scopes, five nodes a unit."""

    def program(x: Any) -> Any:
        for layer in range(layers):
            with capture.name_scope(f"layer{layer}"):
                for unit in range(units):
                    with capture.name_scope(f"unit{unit}"):
                        x = np.tanh(x * 1.5 + np.float32(unit)) * 2 - x
        return x

    return trace(program, X, name="scoped")


def ladder(rungs: int) -> Graph:
    """Nodes without scopes that read values from some steps before: no chains to fold."""

    def program(x: Any) -> Any:
        values = [x]
        for rung in range(rungs):
            values.append(np.tanh(values[-1]) + values[max(0, len(values) - 2 - rung % 7)])
        return values[-1]

    return trace(program, X, name="ladder")


def hostile(text: str) -> Graph:
    """A graph whose names are ``text``, wherever a name can be."""
    builder = GraphBuilder()
    x = builder.add_value(type_of(np.zeros(3)), text)
    w = builder.add_value(type_of(np.zeros(3)), text, np.arange(3.0))
    big = builder.add_value(type_of(np.zeros(9)), text, np.arange(9.0))
    y = builder.append(ew.add, (x, w))
    graph = builder.finish([(text, x)], [(f"{text}1", y), (f"{text}2", big)], name=text)
    return Graph(
        graph.inputs,
        graph.constants,
        graph.nodes,
        graph.outputs,
        graph.output_names,
        symbols=graph.symbols,
        name=text,
        metadata={f"doc:{text}": text},
    )


def node_count(graph: Graph) -> int:
    """Nodes of the graph and of the graphs in it, each graph once."""
    return sum(len(inner.nodes) for inner in all_graphs(graph))


def elements(svg: str, kind: str) -> list[ElementTree.Element]:
    """The groups of a class in an SVG document, which must be well-formed XML."""
    root = ElementTree.fromstring(svg)
    return [g for g in root.iter(f"{SVG}g") if kind in g.get("class", "").split()]


def texts(element: ElementTree.Element) -> list[str]:
    """The texts drawn in a group."""
    return [text.text or "" for text in element.iter(f"{SVG}text")]


class Page(HTMLParser):
    """An HTML page: its elements with attributes, and the text of its scripts.

    Attributes:
        found: Tag and attributes of each element.
        scripts: The text of each script.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._is_script = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._is_script = tag == "script"
        if self._is_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False

    def handle_data(self, data: str) -> None:
        if self._is_script:
            self.scripts[-1] += data

    def ids(self, kind: str) -> list[str]:
        """Ids of the elements of a class."""
        return [
            str(attributes["id"])
            for _, attributes in self.found
            if kind in str(attributes.get("class")).split()
        ]


def links(text: str) -> list[str]:
    """Whatever could load something from elsewhere, but for the namespace of SVG."""
    text = text.replace("http://www.w3.org/2000/svg", "")
    return re.findall(r"https?://|@import|\burl\((?!#)|\b(?:src|href)=", text)
