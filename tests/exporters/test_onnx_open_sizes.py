"""A deep transformer with open batch and time: nothing frozen, no size computed twice."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper
import pytest

import ir
from capture import trace
from exporters.onnx import to_onnx
from exporters.running import ModelSession
from tests.exporters.onnx_checks import assert_valid

LAYERS, WIDTH, HEADS, VOCABULARY, CONTEXT = 12, 24, 4, 50, 64
EXAMPLE = (7, 13)
SIZES = [(1, 1), (2, 5), (7, 13), (3, 31), (0, 4)]

rng = np.random.RandomState(3)


def weight(*shape):
    return (rng.randn(*shape) / np.sqrt(shape[0])).astype(np.float32)


EMBEDDING, POSITIONS = weight(VOCABULARY, WIDTH), weight(CONTEXT, WIDTH)
BLOCKS = [
    {
        "qkv": weight(WIDTH, 3 * WIDTH),
        "out": weight(WIDTH, WIDTH),
        "up": weight(WIDTH, 4 * WIDTH),
        "down": weight(4 * WIDTH, WIDTH),
    }
    for _ in range(LAYERS)
]


def normalized(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(1e-5))


def attended(x, block):
    batch, time, width = x.shape
    qkv = (x @ block["qkv"]).reshape(batch, time, 3, HEADS, width // HEADS)
    q, k, v = qkv.transpose(2, 0, 3, 1, 4)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(np.float32(width // HEADS))
    scores = np.where(np.tri(time, dtype=bool), scores, np.float32(-1e9))
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = weights / weights.sum(-1, keepdims=True) @ v
    return mixed.transpose(0, 2, 1, 3).reshape(batch, time, width) @ block["out"]


def transformer(tokens):
    x = EMBEDDING[tokens] + POSITIONS[: tokens.shape[1]]
    for block in BLOCKS:
        x = x + attended(normalized(x), block)
        x = x + np.maximum(normalized(x) @ block["up"], 0) @ block["down"]
    return normalized(x) @ EMBEDDING.T


def example(batch, time):
    return np.random.RandomState(time).randint(0, VOCABULARY, (batch, time))


@pytest.fixture(scope="module")
def graph():
    dynamic = {"tokens": {0: "batch", 1: ir.Dim("time", max=CONTEXT)}}
    return trace(transformer, example(*EXAMPLE), dynamic=dynamic)


@pytest.fixture(scope="module")
def model(graph):
    return to_onnx(graph)


def test_no_size_of_the_example_is_in_the_graph(graph, model):
    assert_valid(model)
    assert {symbol.name for symbol in graph.symbols} == {"batch", "time"}
    frozen = {*EXAMPLE, EXAMPLE[0] * EXAMPLE[1], EXAMPLE[0] * HEADS}
    assert not frozen & {dim for value in graph.values() for dim in value.type.shape}
    inferred = onnx.shape_inference.infer_shapes(model).graph
    known = [*inferred.input, *inferred.output, *inferred.value_info]
    sizes = {d.dim_value for info in known for d in info.type.tensor_type.shape.dim}
    sizes.update(size for tensor in model.graph.initializer for size in tensor.dims)
    assert not frozen & sizes
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.INT64:
            assert not frozen & set(onnx.numpy_helper.to_array(tensor).ravel().tolist())


def test_every_size_is_computed_once(graph, model):
    """Among nodes that compute from sizes alone, no two compute the same."""
    from_sizes: set[str] = {tensor.name for tensor in model.graph.initializer}
    shape_nodes, seen = 0, set()
    for node in model.graph.node:
        is_size = node.op_type == "Shape" or (
            node.op_type in ("Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Concat")
            and all(name in from_sizes for name in node.input)
        )
        if is_size:
            from_sizes.update(node.output)
            attributes = sorted(
                (a.name, str(onnx.helper.get_attribute_value(a))) for a in node.attribute
            )
            key = (node.op_type, *node.input, *map(str, attributes))
            assert key not in seen, f"{node.output[0]} is computed twice"
            seen.add(key)
            shape_nodes += node.op_type == "Shape"
    assert shape_nodes == len(graph.symbols)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_runtime_and_numpy_agree(graph, model, sizes):
    tokens = example(*sizes)
    want = transformer(tokens)
    np.testing.assert_allclose(graph(tokens), want, rtol=1e-4, atol=1e-4)
    (got,) = ModelSession(model).run({"tokens": tokens})
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)
