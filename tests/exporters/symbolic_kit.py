"""One exported model run at several sizes, 0 and 1 among them, against the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from exporters.onnx import to_onnx
from exporters.running import ModelSession
from ir.builder import GraphBuilder
from ir.check import check
from ir.dims import Dim, evaluate
from ir.errors import EvaluationError
from ir.graph import Graph
from ir.ops import elementwise as ew
from ir.types import FLOATING, TensorType
from tests.exporters.onnx_checks import assert_valid, problem, results_of
from tests.exporters.onnx_samples import Array, Sample, numbers

N, M = Dim("n"), Dim("m")
F32, I64 = np.dtype(np.float32), np.dtype(np.int64)
SOME = [np.dtype(d) for d in (np.float32, np.int32, np.int8, np.uint64, np.float16, np.bool_)]
NUMBERS = SOME[:-1]
SIZES = [(0, 3), (1, 3), (2, 0), (5, 3), (9, 2)]
GRID = (N, M)

Build = Callable[..., int]


def one(op: Any) -> Build:
    return lambda builder, *operands: builder.append(op, operands)


def symbolic_graph(build: Build, *types: TensorType) -> Graph:
    builder = GraphBuilder()
    operands = [builder.add_value(type) for type in types]
    result = build(builder, *operands)
    graph = builder.finish([(f"x{k}", o) for k, o in enumerate(operands)], [("y", result)])
    check(graph)
    return graph


def outcome(run: Callable[[], Any], error: type[Exception]) -> Any:
    try:
        return run()
    except error:
        return None


def assert_agrees(graph: Graph, make: Callable[..., Array] = numbers, opset: int = 20) -> None:
    model = to_onnx(graph, opset=opset)
    assert_valid(model)
    sessions = [ModelSession(model, optimize=optimize) for optimize in (True, False)]
    for sizes in SIZES:
        numbers_by_symbol = dict(zip("nm", sizes, strict=True))
        feeds = {}
        for k, value in enumerate(graph.inputs):
            shape = [evaluate(dim, numbers_by_symbol) for dim in value.type.shape]
            dtype = value.type.dtype
            feeds[f"x{k}"] = make(dtype, *shape, seed=k, edges=dtype not in FLOATING)
        want = outcome(lambda f=feeds: results_of(graph, f)[0], EvaluationError)
        sample = Sample(ew.add, (), 64, 64, zero_signs=False)
        for session in sessions:
            got = outcome(lambda s=session, f=feeds: s.run(f)[0], Exception)
            assert (got is None) == (want is None), f"{sizes}: one of the two refuses"
            if want is not None:
                assert problem(sample, got, want) is None, f"at {sizes}"
