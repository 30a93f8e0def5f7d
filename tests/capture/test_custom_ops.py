"""Ops and captured functions of third parties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import capture
import ir
from capture import TensorSpec, trace
from capture.functions.registry import HANDLERS
from exporters import from_json, lowers, to_json, to_onnx, verify
from exporters.errors import UnsupportedLoweringError
from exporters.onnx.lowering import LOWERINGS
from ir.errors import EvaluationError, ShapeError
from ir.ops import OPS

X = TensorSpec(("n", 2), np.float32)
F4 = np.dtype(np.float32)
ROWS = np.float32([[1, -2], [3, 4]])


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Leave the tables as they were."""
    tables: list[dict[Any, Any]] = [OPS, LOWERINGS, HANDLERS]
    before = [dict(table) for table in tables]
    yield
    for table, content in zip(tables, before, strict=True):
        table.clear()
        table.update(content)


def swish() -> capture.CustomOp:
    @capture.custom_op("test.swish")
    def swish(x: Any) -> Any:
        """x * sigmoid(x)."""
        return (x / (1 + np.exp(-x))).astype(x.dtype)

    return swish


def test_a_custom_op_records_evaluates_and_survives_json() -> None:
    op = swish()
    graph = trace(lambda x: op(x) + 1, X)
    ir.check(graph)
    assert [node.op.name for node in graph.nodes] == ["test.swish", "add"]
    np.testing.assert_array_equal(graph(ROWS), op(ROWS) + 1)
    assert from_json(to_json(graph)) == graph
    assert op.__doc__ == "x * sigmoid(x)."
    assert repr(op) == "<custom op test.swish>"


def test_a_lowering_of_ones_own() -> None:
    op = swish()
    graph = trace(op, X, name="swish")
    with pytest.raises(UnsupportedLoweringError, match=r"test\.swish"):
        to_onnx(graph)

    @lowers(op.op)
    def rule(context: Any, x: Any) -> Any:
        return x * context.emitter.node("Sigmoid", x)

    assert verify(graph).ok


def test_parameters_are_exactly_as_declared() -> None:
    @capture.custom_op("test.scaled")
    def scaled(
        x: Any, *, by: float, axes: tuple[int, ...] = (), dtype: np.dtype[Any] = F4
    ) -> Any:
        return (x * by).astype(dtype)

    graph = trace(lambda x: scaled(x, by=2, axes=[np.int64(1)]), X)
    assert graph.nodes[0].op.parameters == {"by": 2.0, "axes": (1,), "dtype": np.dtype("f4")}
    assert type(graph.nodes[0].op.parameters["by"]) is float
    assert from_json(to_json(graph)) == graph
    np.testing.assert_array_equal(graph(ROWS), ROWS * 2)
    with pytest.raises(TypeError, match=r"^test\.scaled: parameter 'by' is missing$"):
        scaled(ROWS)
    with pytest.raises(TypeError, match=r"parameters are .*, got \['to'\]"):
        scaled(ROWS, by=1, to=2)
    with pytest.raises(TypeError, match="parameter 'by' must be <class 'float'>, got str"):
        scaled(ROWS, by="2")


def test_sizes_as_parameters_stay_symbolic() -> None:
    def rows(x: ir.TensorType, *, count: int | ir.Dim) -> ir.TensorType:
        return ir.TensorType(x.dtype, (count, *x.shape))

    @capture.custom_op("test.tile", infer=rows)
    def tile(x: Any, *, count: int | ir.Dim) -> Any:
        return np.stack([x] * count)

    graph = trace(lambda x: tile(x[0], count=x.shape[0]), X)
    ir.check(graph)
    assert str(graph.outputs[0].type) == "f32[n,2]"
    assert graph(ROWS).shape == (2, 2)
    assert from_json(to_json(graph)) == graph


def test_inference_may_refuse_and_is_held_to() -> None:
    def infer(x: ir.TensorType) -> ir.TensorType:
        if x.rank != 2:
            raise ShapeError(f"test.rows: takes rows, got {x}")
        return ir.TensorType(x.dtype, x.shape[:1])

    @capture.custom_op("test.rows", infer=infer)
    def rows(x: Any) -> Any:
        return x.sum(axis=1).astype(np.float64)

    with pytest.raises(ShapeError, match=r"test\.rows: takes rows, got f32\[3\]"):
        trace(rows, TensorSpec((3,), np.float32), name="rows")
    with pytest.raises(EvaluationError, match=r"evaluates to f64\[2\], inferred f32\[2\]"):
        rows(ROWS)


def test_several_results_and_impure_ops() -> None:
    @capture.custom_op("test.both", infer=lambda x: (x, x), pure=False)
    def both(x: Any) -> Any:
        return x, -x

    graph = trace(lambda x: both(x)[0] + both(x)[1], X)
    assert [node.op.name for node in graph.nodes] == ["test.both", "test.both", "add"]
    np.testing.assert_array_equal(graph(ROWS), ROWS * 0)


@pytest.mark.parametrize("name", ["softplus", "", "a b.c", "1.x", "test."])
def test_names_need_a_prefix(name: str) -> None:
    with pytest.raises(ValueError, match="needs a prefix of its own"):
        capture.custom_op(name)(lambda x: x)


def test_names_are_taken_once() -> None:
    swish()
    with pytest.raises(ValueError, match=r"an op named 'test\.swish' exists already"):
        swish()


def test_parameters_need_a_type_that_every_format_keeps() -> None:
    with pytest.raises(TypeError, match=r"test\.bad: parameter 'how' must be annotated with"):

        @capture.custom_op("test.bad")
        def bad(x: Any, *, how: dict[str, int]) -> Any:
            return x


def test_a_dispatched_function_has_a_captured_form() -> None:
    @capture.dispatched
    def total(arrays: list[Any], scale: float = 1.0) -> Any:
        """Add up."""
        return np.float32(
            sum(float(value) for array in arrays for value in array.flat) * scale
        )

    with pytest.raises(capture.errors.UnsupportedError, match="total"):
        trace(lambda x: total([x, x]), X)

    @capture.implements(total)
    def captured(arrays: list[Any], scale: float = 1.0) -> Any:
        return sum(array.sum() for array in arrays) * np.float32(scale)

    graph = trace(lambda x: total([ROWS, x], scale=2), X)
    assert graph(ROWS) == total([ROWS, ROWS], scale=2) == 24
    assert total.__doc__ == "Add up."
    with pytest.raises(ValueError, match="total has a captured form already"):
        capture.implements(total)(captured)
    with pytest.raises(ValueError, match=r"np\.median has a captured form already"):
        capture.implements(np.median)(captured)
