"""Loaded models with rare nodes: sparse, dead, random, of every dtype, without sizes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import onnx.checker
import pytest
from onnx import helper, numpy_helper

from exporters import load_onnx, to_onnx
from exporters.running import run_model
from tests.exporters.model_kit import (
    add_weights,
    agree,
    dense,
    graph_of,
    normal,
    parsed,
    run,
    spec,
    value,
)

X = normal(3, 16)


def test_sparse_and_constant_nodes():
    dense_array = np.zeros((16, 32), np.float32)
    dense_array[3, 4], dense_array[15, 31] = 2, -1
    proto = parsed(
        """<ir_version: 8, opset_import: ["": 18]>
        sparse (float[n,16] x) => (float[n,32] y) {
          a = MatMul(x, w)
          b = MatMul(x, v)
          y = Add(a, b)
        }"""
    )
    places = np.argwhere(dense_array)
    proto.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            numpy_helper.from_array(dense_array[dense_array != 0], "w"),
            numpy_helper.from_array(places.astype(np.int64), "indices"),
            [16, 32],
        )
    )
    weight = normal(16, 32)
    proto.graph.node.insert(
        0, helper.make_node("Constant", [], ["v"], value=numpy_helper.from_array(weight))
    )
    model = load_onnx(proto)
    assert model.nbytes == 2 * 16 * 32 * 4
    agree(graph_of(model, spec("n", 16)), X @ (dense_array + weight), X)


def test_nodes_out_of_order_and_dead_ones():
    proto = dense()
    nodes = list(proto.graph.node)[::-1]
    dead = helper.make_node("MatMul", ["x", "big"], ["dead"])
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in (dead, *nodes)]
    del proto.graph.node[:]
    proto.graph.node.extend(copies)
    add_weights(proto, big=normal(16, 999))
    model = load_onnx(proto)
    assert model.nbytes == 2048
    agree(graph_of(model, spec("n", 16)), run(dense(), X), X)


def test_random_models_are_not_merged():
    proto = parsed("""<ir_version: 8, opset_import: ["": 20]>
        noise (float[n] x) => (float[n] y) { r = RandomNormalLike(x) y = Add(x, r) }""")
    model = load_onnx(proto)
    graph = graph_of(lambda x: model(x) - model(x), spec("n"))
    assert np.abs(graph(np.zeros(5, np.float32))).min() > 0


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float64, ml_dtypes.bfloat16, np.uint8, np.bool_]
)
def test_dtypes(dtype):
    number = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    proto = helper.make_model(
        helper.make_graph(
            [helper.make_node("Concat", ["x", "c"], ["y"], axis=0)],
            "typed",
            [helper.make_tensor_value_info("x", number, ["n", 16])],
            [helper.make_tensor_value_info("y", number, ["m", 16])],
        ),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=9,
    )
    c = (normal(200, 16) > 0).astype(dtype)
    proto.graph.initializer.append(
        helper.make_tensor("c", number, c.shape, c.tobytes(), raw=True)
    )
    x = X.astype(dtype)
    model = load_onnx(proto)
    assert np.array_equal(model(x).view(np.uint8), np.concatenate([x, c]).view(np.uint8))
    graph = graph_of(model, spec("n", 16, dtype=dtype))
    assert str(graph.outputs[0].type.shape[0]).startswith("m_")
    (got,) = run_model(to_onnx(graph), {"x": x})
    assert np.array_equal(got.view(np.uint8), np.concatenate([x, c]).view(np.uint8))


def test_no_sizes_at_all():
    scalar = parsed("""<ir_version: 8, opset_import: ["": 20]>
        scalar (float x) => (float y) { y = Exp(x) }""")
    agree(graph_of(load_onnx(scalar), spec()), np.exp(X[0, 0]), X[0, 0])
    empty = load_onnx(dense())
    graph = graph_of(empty, spec("n", 16))
    agree(graph, np.empty((0, 32), np.float32), X[:0])
    ranks = helper.make_model(
        helper.make_graph(
            [helper.make_node("Neg", ["x"], ["y"])],
            "ranks",
            [value("x", np.float32, None)],
            [value("y", np.float32, None)],
        ),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=8,
    )
    agree(graph_of(load_onnx(ranks), spec("n", 16)), -X, X)


# --- files --------------------------------------------------------------------------------
