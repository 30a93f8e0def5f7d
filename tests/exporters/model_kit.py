"""Hand-made ONNX models, and the three ways that a graph with one in it must agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnx.parser
from onnx import helper, numpy_helper

import capture
import exporters
from exporters.running import ModelSession
from ir import check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ir.graph import Graph

    Array = np.ndarray[Any, Any]

RNG = np.random.default_rng(5)


def parsed(text: str, **arrays: Array) -> onnx.ModelProto:
    """Return the model of ONNX's text form, with arrays as initializers."""
    model = onnx.parser.parse_model(text)
    add_weights(model, **arrays)
    return model


def add_weights(model: onnx.ModelProto, **arrays: Array) -> None:
    for name, array in arrays.items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))


def normal(*shape: int, dtype: Any = np.float32) -> Array:
    return RNG.normal(size=shape).astype(dtype)


def dense(name: str = "dense", opset: int = 20, rows: int = 16, columns: int = 32) -> Any:
    """A layer with a weight large enough to be set apart and a bias small enough not to be."""
    text = f"""<ir_version: 8, opset_import: ["": {opset}]>
        {name} (float[batch,{rows}] x) => (float[batch,{columns}] y) {{
          h = MatMul(x, w)
          s = Add(h, b)
          y = Relu(s)
        }}"""
    rng = np.random.default_rng(rows)
    w, b = rng.normal(size=(rows, columns)), rng.normal(size=columns)
    return parsed(text, w=w.astype(np.float32), b=b.astype(np.float32))


def run(model: onnx.ModelProto, *arrays: Array) -> list[Array]:
    """Run a model as it is in ONNX Runtime."""
    session = ModelSession(model)
    return session.run(dict(zip(session.input_names, arrays, strict=True)))


def graph_of(function: Callable[..., Any], *specs: Any, **options: Any) -> Graph:
    graph = capture.trace(function, *specs, **options)
    check(graph)
    return graph


def agree(
    graph: Graph, expected: Any, *arrays: Array, opset: int = 20, **exact: Any
) -> onnx.ModelProto:
    """Hold interpreter, JSON round trip and exported file to expected arrays."""
    wanted = expected if isinstance(expected, list | tuple) else [expected]
    results = graph(*arrays)
    assert_close(results if isinstance(results, tuple) else [results], wanted)
    again = exporters.from_json(exporters.to_json(graph))
    assert again == graph
    model = exporters.to_onnx(graph, opset=opset)
    assert exporters.to_onnx(again, opset=opset) == model
    onnx.checker.check_model(model, full_check=True)
    assert_close(run(model, *arrays), wanted)
    assert exporters.verify(model, *arrays).ok
    return model


def assert_close(results: Any, wanted: Any) -> None:
    assert len(results) == len(wanted)
    for result, array in zip(results, wanted, strict=True):
        assert (result.dtype, result.shape) == (array.dtype, array.shape)
        np.testing.assert_allclose(result, array, rtol=1e-5, atol=1e-6)


def initializers(model: onnx.ModelProto) -> Mapping[str, tuple[int, ...]]:
    return {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}


def spec(*shape: int | str, dtype: Any = np.float32) -> capture.TensorSpec:
    return capture.TensorSpec(shape, dtype)


def value(name: str, dtype: Any, shape: Any) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape
    )
