"""``graph.diff``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import capture
from capture import TensorSpec, trace
from ir import Graph
from ir.differences import GraphDiff

W = np.arange(12, dtype=np.float32).reshape(4, 3)
ROWS = TensorSpec(("batch", 4), np.float32)


def traced(program: Callable[..., Any], *specs: TensorSpec) -> Graph:
    return trace(program, *(specs or (ROWS,)), name="program")


def lines(diff: GraphDiff) -> list[str]:
    """Return the text without the lines of the program."""
    return [line.partition("  # ")[0] for line in str(diff).splitlines()]


def test_equal_graphs() -> None:
    diff = traced(lambda x: np.exp(x @ W)).diff(
        traced(lambda y: np.exp(y @ W)).subgraph(None, ["output"])
    )
    assert [d.kind for d in diff] == ["interface", "interface"], "the input has another name"
    diff = traced(lambda x: np.exp(x @ W)).diff(traced(lambda x: np.exp(x @ W)))
    assert not diff
    assert len(diff) == 0
    assert str(diff) == "program: no differences, 2 nodes the same"


def test_an_added_and_a_removed_node() -> None:
    a, b = traced(lambda x: np.exp(x @ W)), traced(lambda x: np.exp(np.sin(x @ W)))
    assert lines(a.diff(b)) == [
        "program: 2 differences, 1 node the same",
        "+ %1 = sin %0 : f32[batch,3]",
        "- %1 = exp %0 : f32[batch,3]",
        "+ %2 = exp %1 : f32[batch,3]",
    ]
    assert [d.kind for d in b.diff(a)] == ["removed", "rewired"]


def test_changed_parameters() -> None:
    a, b = traced(lambda x: np.exp(x).sum(axis=1)), traced(lambda x: np.exp(x).sum(axis=-1))
    assert not a.diff(b)
    b = traced(lambda x: np.exp(x).sum(axis=1, keepdims=True))
    assert lines(a.diff(b)) == [
        "program: 2 differences, 1 node the same",
        "- output output: f32[batch]",
        "+ output output: f32[batch,1]",
        "- %1 = sum %0 {axes=[1], keepdims=false} : f32[batch]",
        "+ %1 = sum %0 {axes=[1], keepdims=true} : f32[batch,1]",
    ]


def test_changed_weights_say_how_far() -> None:
    other = W.copy()
    other[0, 0] = np.nan
    other[1, 1] += 0.5
    diff = traced(lambda x: x @ W).diff(traced(lambda x: x @ other))
    assert lines(diff) == [
        "program: 1 difference, 1 node the same",
        "- constant %W : f32[4,3] = <48 bytes>",
        "+ constant %other : f32[4,3] = <48 bytes>  (2 of 12 elements differ, by 0.5 at most)",
    ]


def test_swapped_operands_are_rewired() -> None:
    y = TensorSpec(("batch", 4), np.float32)
    diff = traced(lambda x, y: x - y, ROWS, y).diff(traced(lambda x, y: y - x, ROWS, y))
    assert [d.kind for d in diff] == ["rewired"]
    assert lines(diff)[1:] == [
        "- %0 = subtract %x, %y : f32[batch,4]",
        "+ %0 = subtract %y, %x : f32[batch,4]",
    ]


def test_inputs_and_outputs() -> None:
    y = TensorSpec((3,), np.float32)
    a = traced(lambda x, y: {"a": x * 2, "b": y * 2}, ROWS, y)
    b = traced(lambda x, y: {"b": x * 2, "a": y * 2}, ROWS, y)
    assert [d.before for d in a.diff(b)][:3] == [
        "output a: f32[batch,4]", "output b: f32[3]", "order of outputs: a, b"]  # fmt: skip
    c = traced(lambda x: {"a": x * 2})
    assert [(d.kind, d.after) for d in a.diff(c)] == [
        ("interface", None), ("interface", None), ("removed", None)]  # fmt: skip


def test_another_output_of_the_same_type() -> None:
    a = traced(lambda x: {"y": np.sin(x), "z": np.sin(np.sin(x))})
    b = traced(lambda x: {"y": np.sin(np.sin(x)), "z": np.sin(x)})
    assert lines(a.diff(b))[1:] == [
        "- return y=%0",
        "+ return y=%1",
        "- return z=%1",
        "+ return z=%0",
    ]


def test_inside_nested_graphs() -> None:
    def program(x: np.ndarray, factor: float) -> np.ndarray:
        return capture.fori_loop(0, 3, lambda i, c: np.sin(c) * factor, x)

    a, b = traced(lambda x: program(x, 2.0)), traced(lambda x: program(x, 4.0))
    assert lines(a.diff(b)) == [
        "program: 1 difference, 0 nodes the same",
        "  body: 1 difference, 2 nodes the same",
        "  - constant %0 : f32[] = 2.",
        "  + constant %0 : f32[] = 4.  (1 of 1 elements differ, by 2 at most)",
    ]


def test_metadata_and_long_chains() -> None:
    def chain(count: int) -> Graph:
        def program(x: np.ndarray) -> np.ndarray:
            for _ in range(count):
                x = np.sin(x)
            return x

        return traced(program)

    diff = chain(3000).diff(chain(3001))
    assert [d.kind for d in diff] == ["added", "rewired"]
