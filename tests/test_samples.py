"""The sample table, three ways: interpreter, ONNX Runtime and JSON against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import ir
from capture.functions.registry import HANDLERS, function_name
from capture.ufuncs import ELEMENTWISE
from exporters import from_json, to_json, to_onnx
from exporters.verification import run_model
from tests.samples import SAMPLES
from tests.samples.checking import (
    assert_same,
    capture_sample,
    outputs,
    resized,
    run_numpy,
)

by_sample = pytest.mark.parametrize("sample", SAMPLES, ids=str)
SYMBOLIC = [sample for sample in SAMPLES if sample.symbolic]


@by_sample
def test_three_ways(sample):
    want = run_numpy(sample, sample.arrays)
    graph = capture_sample(sample, sample.arrays)
    ir.check(graph)
    assert_same(sample, outputs(graph(*sample.arrays)), want)
    assert from_json(to_json(graph)) == graph
    feeds = {
        value.name: array for value, array in zip(graph.inputs, sample.arrays, strict=True)
    }
    assert_same(sample, tuple(run_model(to_onnx(graph), feeds)), want)


@pytest.mark.parametrize("sample", SYMBOLIC, ids=str)
def test_symbolic_axes(sample):
    graph = capture_sample(sample, sample.arrays, symbolic=True)
    ir.check(graph)
    at_size_one = capture_sample(sample, resized(sample, 1), symbolic=True)
    assert at_size_one == graph, "capturing at size 1 gives another graph"
    for size in (1, 2, 5) if not sample.empty else (0, 1, 2, 5):
        arrays = resized(sample, size)
        want = run_numpy(sample, arrays)
        assert_same(sample, outputs(graph(*arrays)), want)
        feeds = {value.name: a for value, a in zip(graph.inputs, arrays, strict=True)}
        assert_same(sample, tuple(run_model(to_onnx(graph), feeds)), want)


def test_names_are_unique():
    names = [sample.name for sample in SAMPLES]
    assert len(set(names)) == len(names)


def test_every_function_and_ufunc_has_a_sample():
    covered = {function for sample in SAMPLES for function in sample.covers}
    assert not [function_name(f) for f in HANDLERS if f not in covered]
    assert not [ufunc.__name__ for ufunc in ELEMENTWISE if ufunc not in covered]


def test_edge_values_include_what_bites():
    from tests.samples.base import edges

    values = edges("f4", 20)
    assert np.isnan(values).any()
    assert np.isinf(values).any()
    assert (np.signbit(values) & (values == 0)).any()
