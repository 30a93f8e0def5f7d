"""Every op of the sample table with open axes, at sizes 0, 1 and more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ir.dims import Dim
from ir.ops import OPS, Elementwise, special
from ir.ops import elementwise as ew
from ir.ops import indexing as idx
from ir.ops import reduction as red
from ir.ops import shaping as shp
from ir.ops.linear_algebra import matmul
from ir.ops.requirements import RequireShape
from ir.types import INTEGER, TensorType
from tests.exporters.onnx_samples import FAMILIES, Array, loops, numbers
from tests.exporters.symbolic_kit import (
    F32,
    GRID,
    I64,
    M,
    N,
    assert_agrees,
    one,
    symbolic_graph,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

BOOLS = TensorType(np.dtype(np.bool_), GRID)
GRID32 = TensorType(F32, GRID)
ROWS = TensorType(I64, (N, 1))
NUMBER = TensorType(F32, ())


def rows_of(*shape: Any) -> TensorType:
    return TensorType(I64, shape)


TABLE: dict[str, list[tuple[Any, ...]]] = {
    "cast": [(ew.Cast(I64), GRID32), (ew.Cast(np.dtype(np.bool_)), GRID32)],
    "where": [(ew.where, BOOLS, GRID32, TensorType(F32, (M,)))],
    "erf": [(special.erf, GRID32)],
    "erfc": [(special.erfc, GRID32)],
    "matmul": [
        (matmul, GRID32, TensorType(F32, (M, N))),
        (matmul, TensorType(F32, (N, 1, M)), TensorType(F32, (M, 2))),
    ],
    "take": [(idx.Take(0), TensorType(F32, (4, M)), rows_of(N))],
    "take_along_axis": [(idx.TakeAlongAxis(0), TensorType(F32, (4, 1)), rows_of(N, M))],
    "gather_nd": [(idx.GatherND(), TensorType(F32, (4, M)), ROWS)],
    "scatter_nd": [
        (idx.ScatterND("set"), TensorType(F32, (4, M)), ROWS, GRID32),
        (idx.ScatterND("add"), TensorType(F32, (4, M)), ROWS, GRID32),
    ],
    "nonzero": [(idx.NonZero(Dim("found")), BOOLS)],
    "reshape": [(shp.Reshape((N * M,)), GRID32), (shp.Reshape((M, 1, N)), GRID32)],
    "require_shape": [
        (RequireShape((N,)), TensorType(F32, (M,)), GRID32),
        (RequireShape((N, N)), GRID32),
        (RequireShape((N, 3)), GRID32),
        (RequireShape((2 * (N // 2), M)), GRID32),
    ],
    "transpose": [(shp.Transpose((1, 0)), GRID32)],
    "broadcast_to": [(shp.BroadcastTo((M, N, M)), GRID32)],
    "concatenate": [(shp.Concatenate(1), GRID32, TensorType(F32, (N, 2)))],
    "slice": [
        (shp.Slice((0, M // 2), (N, M - M // 2), (1, 1)), GRID32),
        (shp.Slice((1, 0), (1, M), (1, 1)), GRID32),
        (shp.Slice((N - 2, 0), (1, M), (1, 1)), GRID32),
        (shp.Slice((N // 2, 0), (2, M), (1, 1)), GRID32),
    ],
    "update_slice": [
        (shp.UpdateSlice((0, 0), (2, 1)), GRID32, TensorType(F32, ((N + 1) // 2, M))),
        (shp.UpdateSlice((1, 0), (1, 1)), GRID32, TensorType(F32, (1, M))),
        (shp.UpdateSlice((N - 3, 0), (1, 1)), GRID32, TensorType(F32, (2, M))),
    ],
    "pad": [(shp.Pad((1, M), (N, 0)), GRID32, NUMBER)],
    "iota": [(shp.Iota(N + 2 * M), GRID32)],
    "dim_value": [(shp.DimValue(N * M // 2), GRID32)],
    "count_up": [(idx.CountUp(Dim("made")), TensorType(I64, ()), GRID32)],
    **{
        cls.name: [(cls((1,)), GRID32), (cls((0, 1)), GRID32)]
        for cls in (red.Sum, red.Prod, red.Max, red.Min)
    },
    **{cls.name: [(cls((1,)), BOOLS), (cls((0,)), BOOLS)] for cls in (red.All, red.Any_)},
    **{
        cls.name: [(cls(0), GRID32), (cls(1), GRID32)]
        for cls in (
            *(red.ArgMax, red.ArgMin, red.CumSum, red.CumProd, red.CumMax, red.CumMin),
            *(idx.Sort, idx.ArgSort),
        )
    },
}
"""Op and operand types of every op that is not elementwise; spare operands bring symbols."""


OPERANDS = {"iota": 0, "dim_value": 0, "count_up": 1, "require_shape": 1}
"""How many operands an op takes whose row brings more, to define its symbols."""


def tame(dtype: Any, *shape: int, seed: int, edges: bool) -> Array:
    """Numbers without edge values; positions that exist, and shifts that C defines."""
    made = numbers(dtype, *shape, seed=seed, edges=False)
    return made % np.array(3, dtype) if dtype in INTEGER else made


@pytest.mark.parametrize("name", TABLE)
def test_op(name):
    for op, *types in TABLE[name]:
        taken = slice(OPERANDS.get(name, len(types)))
        graph = symbolic_graph(lambda b, *x, o=op, t=taken: b.append(o, x[t]), *types)
        assert_agrees(graph, tame)


ELEMENTWISE = sorted(name for name, op in OPS.items() if isinstance(op, Elementwise))


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    op = OPS[name]
    assert isinstance(op, Elementwise)
    every = list(loops(op))
    dtypes = next((found for found in every if set(found) == {F32}), every[0])
    shapes = [GRID, (M,)]  # the second operand repeats along the open first axis
    types = [TensorType(dtype, shape) for dtype, shape in zip(dtypes, shapes, strict=False)]
    assert_agrees(symbolic_graph(one(op), *types), tame)


def test_every_op_of_the_sample_table_is_here():
    sampled = {sample.op.name for samples in FAMILIES.values() for sample in samples()}
    assert sampled - {*TABLE, *ELEMENTWISE} == set()
