"""DOT and Mermaid text."""

from __future__ import annotations

import re

import numpy as np

import capture
from capture import TensorSpec, trace
from ir import Graph, GraphBuilder

W = np.arange(8, dtype=np.float32).reshape(4, 2)


def small() -> Graph:
    return trace(lambda x: (x @ W).sum(axis=1), TensorSpec(("n", 4), np.float32), name="small")


def nested() -> Graph:
    def program(x: np.ndarray) -> np.ndarray:
        x = capture.fori_loop(0, 3, lambda i, c: np.sin(c), x)
        return capture.cond(x.sum() > 0, lambda a: a + 1, lambda a: a, x)

    return trace(program, TensorSpec((2,), np.float32))


def test_mermaid() -> None:
    assert small().to_mermaid().splitlines() == [
        "flowchart TD",
        '  v0(["x<br>f32[n,4]"])',
        '  v1[/"W<br>f32[4,2]"/]',
        '  n0["matmul"]',
        '  n1["sum<br>{axes=[1], keepdims=false}"]',
        '  o0(["output"])',
        '  v0 -->|"f32[n,4]"| n0',
        '  v1 -->|"f32[4,2]"| n0',
        '  n0 -->|"f32[n,2]"| n1',
        '  n1 -->|"f32[n]"| o0',
    ]


def test_dot() -> None:
    text = small().to_dot()
    assert text.startswith('digraph "small" {\n')
    assert '  n0 -> n1 [label="f32[n,2]"];' in text.splitlines()
    assert re.search(r'n1 \[label="sum\\n\{axes=\[1\], keepdims=false\}", shape=box', text)
    assert re.search(r'tooltip="[^"]*test_drawing.py:\d+"', text)
    assert text.count("{") == text.count("}")


def test_nested_graphs_are_drawn_once_beside_their_nodes() -> None:
    graph = nested()
    assert graph.to_dot().count("subgraph cluster_") == 3
    assert graph.to_dot().count("[style=dashed]") == 3
    mermaid = graph.to_mermaid()
    assert mermaid.count("  subgraph ") == mermaid.count("\n  end") == 3
    assert mermaid.count("-.->") == 3
    used = set(re.findall(r"(\w+) -->|\| (\w+)$|-\.-> (\w+)", mermaid, re.MULTILINE))
    defined = set(re.findall(r"^  (\w+)[\[(]", mermaid, re.MULTILINE))
    assert {name for names in used for name in names if name} <= defined


def test_text_cannot_break_out() -> None:
    def program(x: np.ndarray) -> dict[str, np.ndarray]:
        return {'a"]; b -> c [label="<b>': x + 1}

    graph = trace(program, TensorSpec((2,), np.float32))
    assert r'label="a\"]; b -> c [label=\"<b>"' in graph.to_dot()
    assert '(["a&quot;]; b -&gt; c [label=&quot;&lt;b&gt;"])' in graph.to_mermaid()


def test_an_empty_graph() -> None:
    graph = GraphBuilder().finish([], [])
    assert graph.to_mermaid() == 'flowchart TD\n  empty["empty"]'
