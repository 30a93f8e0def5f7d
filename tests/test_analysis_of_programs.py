"""Analysis on whole programs: every count has a number, and parts compose to the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ir
from capture import trace
from ir import Dim, Graph, Value
from ir.dims import symbols_of
from tests.programs import PROGRAMS
from tests.programs.base import Program

by_program = pytest.mark.parametrize("program", PROGRAMS, ids=str)


def captured(program: Program) -> Graph:
    return trace(program.function, *program.inputs(0), dynamic=program.dynamic)


def frontier(graph: Graph, position: int) -> list[Value]:
    """Return the inputs and results before ``position`` that are needed from there on."""
    later = graph.nodes[position:]
    read = {value for node in later for value in node.inputs} | set(graph.outputs)
    early = [value for node in graph.nodes[:position] for value in node.outputs]
    return [
        value for value in (*graph.inputs, *early) if value in read or value in graph.inputs
    ]


@by_program
def test_halves_compose_to_the_whole(program: Program) -> None:
    graph = captured(program)
    cut = frontier(graph, len(graph.nodes) // 2)
    first = graph.subgraph(graph.inputs, cut, "first")
    second = graph.subgraph(cut, list(graph.output_names), "second")
    ir.check(first)
    ir.check(second)
    arrays = program.inputs(0)
    wanted, between = graph(*arrays), first(*arrays)
    found = second(*(between if isinstance(between, tuple) else (between,)))
    for got, want in zip(as_tuple(found), as_tuple(wanted), strict=True):
        np.testing.assert_array_equal(got, want)
    assert len(first.nodes) + len(second.nodes) >= len(graph.nodes)


@by_program
def test_counts_have_numbers(program: Program) -> None:
    graph = captured(program)
    cost = graph.cost()
    sizes = {s.name: max(s.min, 7 if s.max is None else min(7, s.max)) for s in graph.symbols}
    sizes |= dict.fromkeys(cost.trips, 3)
    at_seven = cost.at(**sizes)
    assert free(at_seven.bytes) <= free(cost.bytes) - set(sizes)
    assert cost.parameters == sum(
        value.data.size
        for each in ir_graphs(graph)
        for value in each.constants
        if value.data is not None
    )
    peak = graph.memory_peak(**sizes)
    assert free(peak.bytes) or peak.bytes > 0
    assert peak.constant_bytes == graph.stats().constant_bytes
    assert 1 <= len(graph.critical_path().nodes) <= len(graph.nodes)


@by_program
def test_a_graph_is_like_itself(program: Program) -> None:
    graph, again = captured(program), captured(program)
    assert not graph.diff(again)
    assert graph.is_isomorphic(again)
    assert graph.to_dot().count(" -> ") == graph.to_mermaid().count("-->") + (
        graph.to_mermaid().count("-.->")
    )
    fed = graph.ancestors(*graph.output_names)
    assert set(graph.outputs).union(fed) >= {v for node in graph.nodes for v in node.inputs}


def ir_graphs(graph: Graph) -> list[Graph]:
    from ir.nesting import all_graphs

    return list(all_graphs(graph))


def free(count: Any) -> set[str]:
    return {symbol.name for symbol in symbols_of(count)} if isinstance(count, Dim) else set()


def as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)
