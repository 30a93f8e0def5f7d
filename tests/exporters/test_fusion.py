"""Fused forms: that they are found where they should be, and give NumPy's values."""

import numpy as np
import pytest

import capture
import ir
from exporters import to_onnx
from exporters.onnx.fusion.engine import fuse
from exporters.onnx.fusion.rules import RULES
from exporters.onnx.legality import Legality
from exporters.verification import run_model
from tests.fusion import SAMPLES
from tests.fusion.base import EDGES, with_edges
from tests.samples.checking import outputs

by_sample = pytest.mark.parametrize("sample", SAMPLES, ids=str)


def graph_of(sample, dynamic=False):
    open_axes = sample.dynamic if dynamic else None
    return capture.trace(sample.function, *sample.arrays, dynamic=open_axes)


def assert_gives_numpy(sample, model, graph, arrays):
    with np.errstate(all="ignore"):
        want = sample.function(*(array.copy() for array in arrays))
    wanted = want if isinstance(want, tuple) else (want,)
    feeds = {value.name: a for value, a in zip(graph.inputs, arrays, strict=True)}
    for optimized in (True, False):
        for got, w in zip(run_model(model, feeds, optimize=optimized), wanted, strict=True):
            assert got.dtype == np.asarray(w).dtype
            assert got.shape == np.shape(w)
            np.testing.assert_allclose(got, w, rtol=sample.rtol, atol=sample.atol)
            if sample.level == 1 and got.dtype.kind == "f" and not optimized:
                zeros = (got == 0) & (w == 0)
                np.testing.assert_array_equal(np.signbit(got[zeros]), np.signbit(w[zeros]))


@by_sample
def test_has_the_operators_and_gives_numpys_values(sample):
    graph = graph_of(sample)
    model = to_onnx(graph, optimize=sample.level, opset=sample.opset, target=sample.target)
    assert sorted(node.op_type for node in model.graph.node) == sorted(sample.operators)
    assert_gives_numpy(sample, model, graph, sample.arrays)
    lower = to_onnx(graph, optimize=sample.level - 1, opset=sample.opset, target=sample.target)
    if sample.rule is not None:
        assert list(lower.graph.node) != list(model.graph.node)
    assert_gives_numpy(sample, lower, graph, sample.arrays)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.edges and s.level == 1], ids=str)
def test_keeps_nan_and_infinities(sample):
    graph = graph_of(sample)
    model = to_onnx(graph, opset=sample.opset, target=sample.target)
    for row in range(len(EDGES)):
        arrays = tuple(with_edges(array, row) for array in sample.arrays)
        assert_gives_numpy(sample, model, graph, arrays)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.dynamic], ids=str)
def test_open_axes(sample):
    graph = graph_of(sample, dynamic=True)
    model = to_onnx(graph, optimize=sample.level, opset=sample.opset, target=sample.target)
    found = {node.op_type for node in model.graph.node}
    assert found >= set(sample.operators), "an open axis must not hide the fused form"
    for size in (0, 1, 4):
        arrays = tuple(
            resized(array, sample.dynamic.get(position, {}), size)
            for position, array in enumerate(sample.arrays)
        )
        try:
            sample.function(*arrays)
        except ValueError:
            continue  # NumPy refuses this size
        assert_gives_numpy(sample, model, graph, arrays)


def resized(array, axes, size):
    for axis in axes:
        array = np.take(array, np.arange(size) % array.shape[axis], axis=axis)
    return array


@by_sample
def test_fused_graphs_are_graphs(sample):
    graph = graph_of(sample)
    names = [value.name for node in graph.nodes for value in node.outputs]
    fused = fuse(graph, sample.level, Legality(sample.target, sample.opset))
    ir.check(fused)
    assert [value.name for node in graph.nodes for value in node.outputs] == names
    got, want = outputs(fused(*sample.arrays)), outputs(graph(*sample.arrays))
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=sample.rtol, atol=sample.atol)


def test_every_rewrite_has_a_sample():
    rules = {rule.name for rules in RULES.values() for rule in rules}
    assert rules == {sample.rule for sample in SAMPLES if sample.rule}


HALVED = {
    "maximum": lambda y: np.maximum(y, 0),
    "negative": np.negative,
    "absolute": np.absolute,
    "where": lambda y: np.where(y > 0, y, np.float16(1)),
    "floor": lambda y: np.floor(y * 8),
    "sort": np.sort,
}


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("name", HALVED)
def test_float16_is_rounded_before_ops_that_round_nothing(name, level):
    def program(x):
        return HALVED[name](x * third + third).astype(np.float32) * np.float32(1.0001)

    third = np.float16(1 / 3)
    x = np.random.default_rng(0).standard_normal(64).astype(np.float16)
    model = to_onnx(capture.trace(program, x), optimize=level)
    np.testing.assert_allclose(run_model(model, {"x": x})[0], program(x), rtol=1e-6)
