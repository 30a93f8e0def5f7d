"""Symbolic sizes: one exported model, run at several sizes, 0 among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from exporters.onnx import to_onnx
from ir.builder import GraphBuilder
from ir.dims import Dim, dim_max, dim_min
from ir.ops import elementwise as ew
from ir.ops import indexing as idx
from ir.ops import reduction as red
from ir.ops import shaping as shp
from ir.ops.linear_algebra import matmul
from ir.types import TensorType
from tests.exporters.onnx_samples import Array, numbers
from tests.exporters.symbolic_kit import (
    F32,
    GRID,
    I64,
    NUMBERS,
    SOME,
    M,
    N,
    assert_agrees,
    one,
    symbolic_graph,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("dtype", SOME, ids=str)
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("cls", [red.Sum, red.Prod, red.Max, red.Min])
def test_reductions(cls, axes, dtype):
    assert_agrees(
        symbolic_graph(one(cls(axes, keepdims=axes == (0,))), TensorType(dtype, GRID))
    )


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("cls", [red.All, red.Any_])
def test_truth(cls, axes):
    assert_agrees(symbolic_graph(one(cls(axes)), TensorType(np.dtype(bool), GRID)))


@pytest.mark.parametrize("dtype", SOME, ids=str)
@pytest.mark.parametrize("cls", [red.ArgMax, red.ArgMin, idx.Sort, idx.ArgSort])
@pytest.mark.parametrize("axis", [0, 1])
def test_along_axis(cls, axis, dtype):
    assert_agrees(symbolic_graph(one(cls(axis)), TensorType(dtype, GRID)))


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("cls", [red.CumSum, red.CumProd, red.CumMax, red.CumMin])
@pytest.mark.parametrize("axis", [0, 1])
def test_running(cls, axis, dtype):
    assert_agrees(symbolic_graph(one(cls(axis)), TensorType(dtype, GRID)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((N, 6), (N, 2, 3)),
        ((N, 6), (N * 2, 3)),
        ((N, M, 6), (N * M, 2, 3)),
        ((N, M, 6), (N, M * 6)),
        ((N, M, 6), (M, N, 6)),
        ((N, M, 0), (M, 0, N)),
        ((N, 1), (N,)),
        ((N * 4,), (N, 4)),
    ],
    ids=str,
)
def test_reshape(old, new):
    inputs = [TensorType(F32, old), TensorType(F32, (N, M))]
    assert_agrees(symbolic_graph(lambda b, x, _: b.append(shp.Reshape(new), (x,)), *inputs))


def window(start: Any, size: Any, step: int) -> Any:
    return shp.Slice((start, 0), (size, M), (step, 1))


WINDOWS = [
    (N - 1, N, -1),
    (N - 1, (N + 1) // 2, -2),
    (N // 2, N - N // 2, 1),
    (0, (N + 1) // 2, 2),
    (0, N // 2, 1),
    (N, 0, 1),
]


@pytest.mark.parametrize("dtype", SOME, ids=str)
@pytest.mark.parametrize(("start", "size", "step"), WINDOWS, ids=str)
def test_windows(start, size, step, dtype):
    grid = TensorType(dtype, GRID)
    assert_agrees(symbolic_graph(one(window(start, size, step)), grid))
    update = shp.UpdateSlice((start, 0), (step, 1))
    assert_agrees(symbolic_graph(one(update), grid, TensorType(dtype, (size, M))))


def test_update_over_two_axes():
    update = shp.UpdateSlice((0, M - M // 2), (2, 1))
    types = TensorType(F32, GRID), TensorType(F32, ((N + 1) // 2, M // 2))
    assert_agrees(symbolic_graph(one(update), *types))


@pytest.mark.parametrize(
    "dim",
    [
        N * M + 2,
        (N * N + M) // 2 - 3 * M,
        dim_max(N, M) % 3 + dim_min(N, M, 2),
        (N - 7) // 3 + (M - 5) % 4,
        5,
    ],
    ids=str,
)
def test_dims(dim):
    grid = TensorType(F32, GRID)
    assert_agrees(symbolic_graph(lambda b, x: b.append(shp.DimValue(dim), ()), grid))


@pytest.mark.parametrize("dtype", SOME, ids=str)
def test_shaping(dtype):
    grid, scalar = TensorType(dtype, GRID), TensorType(dtype, ())
    assert_agrees(symbolic_graph(one(shp.BroadcastTo((4, N, M))), grid))
    assert_agrees(symbolic_graph(one(shp.BroadcastTo((N + M, N, M))), grid))
    assert_agrees(symbolic_graph(one(shp.Concatenate(0)), grid, grid))
    assert_agrees(symbolic_graph(one(shp.Pad((N, 1), (0, M))), grid, scalar))
    assert_agrees(symbolic_graph(one(matmul), grid, TensorType(dtype, (M, N))))


def positions(dtype: Any, *shape: int, seed: int, edges: bool) -> Array:
    """Small positions for int64, of which 2 repeat, else numbers."""
    if dtype != I64:
        return numbers(dtype, *shape, seed=seed, edges=edges)
    rows = np.arange(shape[0]) % 3 - 1
    return np.broadcast_to(rows.reshape(-1, *[1] * (len(shape) - 1)), shape).astype(np.int64)


@pytest.mark.parametrize("combine", ["set", "add", "maximum"])
def test_indexing(combine):
    data = TensorType(F32, (4, 3))
    rows, pairs = TensorType(I64, (N, 1)), TensorType(I64, (N, 2))
    scatter = idx.ScatterND(combine)
    assert_agrees(symbolic_graph(one(scatter), data, rows, TensorType(F32, (N, 3))), positions)
    assert_agrees(symbolic_graph(one(scatter), data, pairs, TensorType(F32, (N,))), positions)
    assert_agrees(symbolic_graph(one(idx.GatherND()), data, pairs), positions)
    assert_agrees(symbolic_graph(one(idx.Take(0)), data, TensorType(I64, GRID)), positions)
    column = TensorType(F32, (3, 1))
    along = one(idx.TakeAlongAxis(0))
    assert_agrees(symbolic_graph(along, column, TensorType(I64, GRID)), positions)


def test_found_sizes():
    count = Dim("count")

    def build(builder: GraphBuilder, x: int) -> int:
        found = builder.append(idx.NonZero(count), (x,))
        return builder.append(shp.Reshape((count * 2,)), (found,))

    assert_agrees(symbolic_graph(build, TensorType(np.dtype(bool), GRID)))


def test_a_size_is_computed_once():
    def build(builder: GraphBuilder, x: int) -> int:
        y = builder.append(shp.DimValue(N * M), ())
        z = builder.append(shp.DimValue(N * M + N), ())
        return builder.append(ew.add, (y, z))

    model = to_onnx(symbolic_graph(build, TensorType(F32, GRID)))
    assert [node.op_type for node in model.graph.node].count("Shape") == 2


def test_static_shapes_need_no_shape_nodes():
    model = to_onnx(symbolic_graph(one(shp.Reshape((N, 2, 3))), TensorType(F32, (N, 6))))
    assert [node.op_type for node in model.graph.node] == ["Reshape"]
    shape = model.graph.output[0].type.tensor_type.shape
    assert [dim.dim_param or dim.dim_value for dim in shape.dim] == ["n", 2, 3]
