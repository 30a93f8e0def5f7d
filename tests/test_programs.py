"""Whole programs: captured once, replayed on other inputs and sizes, against plain NumPy."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ir
from capture import trace
from exporters import from_json, to_json, to_onnx
from exporters.running import run_model
from tests.programs import PROGRAMS

if TYPE_CHECKING:
    from tests.programs.base import Program

Arrays = tuple[Any, ...]


def plain_numpy(program: Program, k: int) -> Arrays:
    """Return what NumPy computes, on copies because some programs write to their inputs."""
    with np.errstate(all="ignore"):
        return as_tuple(program.function(*copy.deepcopy(program.inputs(k))))


def as_tuple(result: Any) -> Arrays:
    results = result if isinstance(result, tuple | list) else (result,)
    return tuple(np.asarray(value) for value in results)


def assert_same(program: Program, got: Arrays, want: Arrays, runner: str) -> None:
    assert len(got) == len(want)
    for position, (g, w) in enumerate(zip(got, want, strict=True)):
        where = f"{runner}, output {position}"
        assert (g.dtype, g.shape) == (w.dtype, w.shape), where
        if w.dtype.kind == "f":
            np.testing.assert_allclose(
                g, w, rtol=program.rtol, atol=program.atol, err_msg=where
            )
        else:
            np.testing.assert_array_equal(g, w, err_msg=where)


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_program(program: Program) -> None:
    graph = trace(program.function, *program.inputs(0), dynamic=program.dynamic)
    ir.check(graph)
    assert from_json(to_json(graph)) == graph
    model = to_onnx(graph)
    names = [value.name for value in graph.inputs]
    for k in range(program.replays):
        want = plain_numpy(program, k)
        arrays = program.inputs(k)
        assert_same(program, as_tuple(graph(*arrays)), want, "interpreter")
        feeds = {name: np.asarray(a) for name, a in zip(names, arrays, strict=True)}
        assert_same(program, tuple(run_model(model, feeds)), want, "ONNX Runtime")


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_inputs_reveal_baked_values(program: Program) -> None:
    first, second = plain_numpy(program, 0), plain_numpy(program, 1)
    assert any(
        a.shape != b.shape or not np.array_equal(a, b)
        for a, b in zip(first, second, strict=True)
    )


def test_names_are_unique() -> None:
    names = [str(program) for program in PROGRAMS]
    assert len(set(names)) == len(names)
