"""Running a sample through the ONNX exporter and comparing with the interpreter."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnx

from exporters.onnx import to_onnx
from exporters.running import run_model
from ir.builder import GraphBuilder
from ir.graph import Graph
from ir.types import FLOATING, TensorType, type_of
from tests.exporters.onnx_samples import EPSILON, Array, Sample


def graph_of(sample: Sample) -> Graph:
    """Return the one-node graph of a sample; its inputs are x0, x1 … and outputs y0, y1 …."""
    builder = GraphBuilder()
    inputs, operands = [], []
    for position, array in enumerate(sample.arrays):
        if position in sample.constants:
            operands.append(builder.add_value(type_of(array), None, array))
        else:
            operands.append(builder.add_value(type_of(array)))
            inputs.append((f"x{position}", operands[-1]))
    first = builder.append(sample.op, tuple(operands))
    count = len(builder.types) - first
    return builder.finish(inputs, [(f"y{k}", first + k) for k in range(count)])


def chain(op: Any, *types: TensorType) -> Graph:
    """Return a graph of one op on inputs x0, x1 … with the output y."""
    builder = GraphBuilder()
    operands = [builder.add_value(type) for type in types]
    result = builder.append(op, tuple(operands))
    inputs = [(f"x{k}", operand) for k, operand in enumerate(operands)]
    return builder.finish(inputs, [("y", result)])


def feeds_of(sample: Sample) -> dict[str, Array]:
    """Return the arrays of the inputs."""
    return {f"x{k}": a for k, a in enumerate(sample.arrays) if k not in sample.constants}


def assert_valid(model: onnx.ModelProto) -> None:
    """Run the checker and strict shape inference."""
    onnx.checker.check_model(model, full_check=True)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def results_of(graph: Graph, feeds: dict[str, Array]) -> tuple[Array, ...]:
    """Return the interpreter's outputs as a tuple."""
    with np.errstate(all="ignore"):
        results = graph(**feeds)
    assert results is not None
    return results if isinstance(results, tuple) else (results,)


def problem(sample: Sample, got: Array, want: Array) -> str | None:
    """Say how two results differ, or return None."""
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{type_of(got)}, expected {type_of(want)}"
    wrong = ~_agree(sample, got, want) if want.dtype in FLOATING else got != want
    if not wrong.any():
        return None
    where = np.nonzero(np.atleast_1d(wrong))
    shown = zip(np.atleast_1d(got)[where][:4], np.atleast_1d(want)[where][:4], strict=True)
    pairs = ", ".join(f"{a} for {b}" for a, b in shown)
    return f"{int(wrong.sum())} of {wrong.size} differ: {pairs}"


def _agree(sample: Sample, got: Array, want: Array) -> Array:
    with np.errstate(all="ignore"):
        g, w = got.astype(np.float64), want.astype(np.float64)
        ulp = 2 * EPSILON[want.dtype]
        allowed = sample.ulps * ulp * np.abs(w) + sample.absolute * ulp
        if sample.ulps:
            allowed = allowed + 2 * float(ml_dtypes.finfo(want.dtype).smallest_subnormal)
        agree = (
            (g == w) | (np.isnan(g) & np.isnan(w)) | (np.isfinite(w) & (abs(g - w) <= allowed))
        )
        if sample.zero_signs:
            agree &= ~((g == 0) & (w == 0) & (np.signbit(g) != np.signbit(w)))
    return agree


def failures(sample: Sample, opset: int = 20) -> list[str]:
    """Export, validate, run with and without optimisation; return what differs."""
    graph = graph_of(sample)
    model = to_onnx(graph, opset=opset)
    assert_valid(model)
    feeds = feeds_of(sample)
    want = results_of(graph, feeds)
    found = []
    for optimize in (True, False):
        for got, expected in zip(
            run_model(model, feeds, optimize=optimize), want, strict=True
        ):
            difference = problem(sample, got, expected)
            if difference is not None:
                found.append(f"{sample} (optimize={optimize}): {difference}")
    return found
