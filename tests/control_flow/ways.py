"""Running a captured program every way there is, against the same program in plain NumPy."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from capture import trace
from capture.pytrees import flatten
from exporters import from_json, to_json, to_onnx
from exporters.running import run_model
from ir import check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ir import Graph


def results_of(value: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(leaf) for leaf in flatten(value)[0]]


def assert_equal(got: Sequence[Any], want: Sequence[Any], rtol: float = 1e-6) -> None:
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert (g.dtype, g.shape) == (w.dtype, w.shape)
        if w.dtype.kind == "f":
            np.testing.assert_allclose(g, w, rtol=rtol, atol=1e-7)
        else:
            np.testing.assert_array_equal(g, w)


def assert_captures(
    function: Callable[..., Any],
    *cases: tuple[Any, ...],
    rtol: float = 1e-6,
    onnx: bool = True,
    oracle: Callable[..., Any] | None = None,
    **options: Any,
) -> Graph:
    """Capture with the first case's arrays; every case must then give what NumPy gives."""
    cases = tuple(
        tuple(np.asarray(a) if not np.ndim(a) else a for a in case) for case in cases
    )
    cases = tuple(tuple(a[()] if not np.ndim(a) else a for a in case) for case in cases)
    graph = trace(function, *copy.deepcopy(cases[0]), **options)
    check(graph)
    assert from_json(to_json(graph)) == graph
    model = to_onnx(graph) if onnx else None
    for case in cases:
        want = results_of((oracle or function)(*copy.deepcopy(case)))
        assert_equal(results_of(graph(*copy.deepcopy(case))), want, rtol)
        if model is not None:
            names = [value.name for value in model.graph.input]
            feeds = dict(zip(names, map(np.asarray, copy.deepcopy(case)), strict=True))
            assert_equal(run_model(model, feeds), want, rtol)
    return graph
