"""Faults of released kernels: what is written around them, and what a file says it needs."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import capture
from exporters import to_onnx
from exporters.onnx.kernels import (
    FAULTS,
    MINIMAL_RUNTIME,
    kernel_table,
    kernel_versions,
    oldest_runtime,
)
from exporters.onnx.kernels.faults import has_fault
from exporters.onnx.kernels.probes import probes
from exporters.verification import run_model
from ir.ops import special

INT64 = np.dtype(np.int64)
HALVES_MATTER = np.array(
    [
        [0, 1, 2**31, 2**32 - 1],
        [-1, -(2**31), -(2**32), -(2**31) - 1],
        [3, -3, 2**40, -(2**63)],
    ]
)
"""Numbers with equal upper 32 bits of which the lower ones, as int32, have another order."""

PROGRAMS = {
    "maximum": lambda x: np.maximum(x, x[0, 2]),
    "minimum": lambda x: np.minimum(x, x[0, 2]),
    "relu": lambda x: np.maximum(x, 0),
    "clip": lambda x: np.clip(x, 1, 2**31 + 5),
    "max": lambda x: x.max(),
    "max of an axis": lambda x: x.max(0),
    "max of the last axis": lambda x: x.max(1, keepdims=True),
    "min of axes": lambda x: x[None].min((0, 2)),
    "max of uint32": lambda x: x.astype("u4").max(1),
    "min of uint64": lambda x: x.astype("u8").min(1),
    "cumulative": lambda x: np.maximum.accumulate(x, 1),
    "sign": np.sign,
    "fmod": lambda x: np.fmod(x, 7),
    "fmod of uint64": lambda x: np.fmod(x.astype("u8"), 1000),
    "range": lambda x: np.ptp(x, 1),
}


def kernels(model: onnx.ModelProto) -> set[str]:
    return {node.op_type for node in model.graph.node}


def needed(model: onnx.ModelProto) -> str:
    return {p.key: p.value for p in model.metadata_props}[MINIMAL_RUNTIME].split()[1]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("opset", [17, 20, 27])
def test_is_written_around_for_every_release_that_loads_the_opset(name, opset):
    graph = capture.trace(PROGRAMS[name], HALVES_MATTER)
    model = to_onnx(graph, opset=opset)
    oldest = next(v for v in kernel_versions() if kernel_table(v).newest_opset >= opset)
    assert needed(model) == oldest
    (got,) = run_model(model, {graph.inputs[0].name: HALVES_MATTER})
    want = graph(HALVES_MATTER)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_trusted_again_where_only_later_releases_load_the_opset():
    graph = capture.trace(lambda x: np.maximum(x, x[:1]), HALVES_MATTER)
    assert "Max" not in kernels(to_onnx(graph, opset=26))
    assert "Max" in kernels(to_onnx(graph, opset=27))
    assert "Max" in kernels(to_onnx(graph, opset=20, target="standard"))


def test_a_file_with_the_kernel_all_the_same_needs_a_later_release():
    graph = capture.trace(lambda x: np.maximum(x, x[:1]), HALVES_MATTER)
    assert needed(to_onnx(graph, target="standard")) == "1.32.0"


def layer_norm(x):
    distance = x - x.mean(-1, keepdims=True)
    return distance / np.sqrt((distance * distance).mean(-1, keepdims=True) + 1e-5)


def test_a_layer_normalisation_needs_a_release_that_centres_first():
    graph = capture.trace(layer_norm, np.ones((2, 8), "f4"))
    fused = to_onnx(graph)
    assert (kernels(fused), needed(fused)) == ({"LayerNormalization"}, "1.28.0")
    assert needed(to_onnx(graph, optimize=0)) == kernel_versions()[0]


def padded_largest(x):
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3)).max((4, 5))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1"])
def test_a_pool_is_not_alone_with_the_padding_before_it(dtype):
    image = -np.arange(1, 33, dtype=dtype).reshape(1, 2, 4, 4)
    graph = capture.trace(padded_largest, image)
    model = to_onnx(graph, optimize=2)
    padded = {node.output[0] for node in model.graph.node if node.op_type == "Pad"}
    readers = [node.op_type for node in model.graph.node if padded & set(node.input)]
    assert readers != ["MaxPool"]
    np.testing.assert_array_equal(run_model(model, {"x": image})[0], padded_largest(image))


@pytest.mark.parametrize("function", [np.sort, np.argsort])
@pytest.mark.parametrize("opset", [20, 27])
def test_nothing_is_sorted_where_there_may_be_no_rows(function, opset):
    table = np.arange(12)[::-1].reshape(3, 4)
    model = to_onnx(capture.trace(function, table, dynamic={0: {0: "rows"}}), opset=opset)
    assert ("Less" in kernels(model)) == (opset == 20)
    for rows in (table, table[:1], table[:0]):
        (got,) = run_model(model, {model.graph.input[0].name: rows})
        np.testing.assert_array_equal(got, function(rows))
    assert kernels(to_onnx(capture.trace(function, table), opset=opset)) == {"TopK"}


def test_nan_of_erf_is_chosen_only_where_a_release_loses_it():
    graph = capture.trace(lambda x: special.erf(x), np.array([np.nan, 1], "f4"))
    assert "IsNaN" in kernels(to_onnx(graph, opset=20))
    assert "IsNaN" not in kernels(to_onnx(graph, opset=27))


def test_every_fault_is_of_a_kernel_and_ends_with_a_tabled_release():
    known = probes()
    for fault in FAULTS:
        assert fault.until in kernel_versions()[:-1]
        for key in fault.keys:
            assert key in known or key.partition(":")[0] in known
        for name in fault.dtypes:
            table = kernel_table(fault.until)
            assert has_fault(table, fault.keys[0], np.dtype(name))
            newest = kernel_table(kernel_versions()[-1])
            assert not has_fault(newest, fault.keys[0], np.dtype(name))


def test_the_oldest_runtime_is_without_faults():
    assert oldest_runtime([("Max", INT64)], 20) == "onnxruntime 1.32.0"
    assert oldest_runtime([("Max", np.dtype(np.int32))], 20) == "onnxruntime 1.23.2"


def test_elementwise_operators_take_no_empty_constants():
    nothing = np.zeros((1, 0))
    graph = capture.trace(
        lambda x: (x[:, :1] * nothing + nothing, np.divmod(nothing, x[:, :1])[1], x[:0, 0]),
        np.ones((4, 2)),
        dynamic={0: {0: "rows"}},
    )
    rows = np.ones((4, 2))
    model = to_onnx(graph, optimize=0)
    assert not kernels(model) & {"Add", "Mul", "Div", "Mod"}
    for got, want in zip(run_model(model, {"x": rows}), graph(rows), strict=True):
        assert got.shape == want.shape


@pytest.mark.parametrize("function", [np.max, np.argmin])
def test_no_flag_is_added_to_an_empty_shape(function):
    rows = np.arange(8.0).reshape(4, 2)
    graph = capture.trace(lambda x: function(x), rows, dynamic={0: {0: "rows"}})
    model = to_onnx(graph)
    sizes = {t.name: t.dims[0] for t in model.graph.initializer if len(t.dims) == 1}
    added = [name for n in model.graph.node if n.op_type == "Add" for name in n.input]
    assert all(sizes.get(name) != 0 for name in added)
    np.testing.assert_array_equal(run_model(model, {"x": rows})[0], function(rows))
    with pytest.raises(Exception, match="Range"):
        run_model(model, {"x": rows[:0]})
