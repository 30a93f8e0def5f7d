"""Models of every kind: old and new opsets, subgraphs, functions, quantized, external data."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import onnx.checker
import pytest
from onnx import helper, numpy_helper

import exporters
from exporters import load_onnx, to_onnx
from exporters.errors import OpsetError
from exporters.running import run_model
from tests.exporters.model_kit import (
    add_weights,
    agree,
    dense,
    graph_of,
    initializers,
    normal,
    parsed,
    run,
    spec,
    value,
)

X = normal(3, 16)


# --- opsets -------------------------------------------------------------------------------

FORMS = {
    "softmax and squeezes": (
        11,
        """(float[n,3,4] x) => (float[n,12] y) {
          a = Softmax<axis=1>(x)
          b = Unsqueeze<axes=[1]>(a)
          c = ReduceSum<axes=[1], keepdims=0>(b)
          d = Squeeze<axes=[0]>(one)
          e = Mul(c, d)
          f, g = Split<axis=2, split=[1, 3]>(e)
          h = Concat<axis=2>(f, g)
          y = Flatten(h)
        }""",
        {"one": np.float32([[2]])},
        (5, 3, 4),
    ),
    "clips and pads of before opset 11": (
        10,
        """(float[n,3,4,4] x) => (float[n,3,8,8] z) {
          a = Clip<min=-0.5, max=0.5>(x)
          b = Pad<mode="constant", pads=[0,0,1,1,0,0,1,1], value=0.25>(a)
          c = Slice(b, starts, ends)
          y = Resize<mode="nearest">(c, scales)
          z, m = Dropout<ratio=0.5>(y)
        }""",
        {
            "starts": np.int64([0, 0, 1, 1]),
            "ends": np.int64([9, 9, 5, 5]),
            "scales": np.float32([1, 1, 2, 2]),
        },
        (2, 3, 4, 4),
    ),
    "normalization of before opset 14": (
        9,
        """(float[n,3,5,5] x) => (float[n,3,2,2] y) {
          a = BatchNormalization<epsilon=0.001>(x, s, b, m, v)
          c = MaxPool<kernel_shape=[2,2], strides=[2,2]>(a)
          d = Cast<to=11>(c)
          e = Cast<to=1>(d)
          y = Upsample<mode="nearest">(e, scales)
        }""",
        {
            "s": np.float32([1, 2, 3]),
            "b": np.float32([0, 1, 2]),
            "m": np.float32([0.5, 0, 1]),
            "v": np.float32([1, 2, 4]),
            "scales": np.float32([1, 1, 1, 1]),
        },
        (2, 3, 5, 5),
    ),
    "reductions of before opset 18": (
        17,
        """(float[n,4,6] x) => (float[n,6] y, float[n,4] z) {
          y = ReduceMax<axes=[1], keepdims=0>(x)
          a = ReduceMean<axes=[2], keepdims=0>(x)
          b = ReduceL2<axes=[2], keepdims=0>(x)
          z = Add(a, b)
        }""",
        {},
        (3, 4, 6),
    ),
    "equal everywhere": (15, "(float[n] x) => (float[n] y) { y = Tanh(x) }", {}, (4,)),
}


@pytest.mark.parametrize("opset", [17, 20, 22])
@pytest.mark.parametrize("form", FORMS)
def test_older_models_are_brought_to_the_opset(form, opset):
    version, text, arrays, shape = FORMS[form]
    proto = parsed(f'<ir_version: 7, opset_import: ["": {version}]> old {text}', **arrays)
    x = normal(*shape)
    model = load_onnx(proto)
    wanted = run(proto, x)
    assert len(wanted) == len(model.outputs)
    graph = graph_of(model, spec("n", *shape[1:]))
    written = agree(graph, wanted, x, opset=opset)
    assert {(o.domain, o.version) for o in written.opset_import} == {("", opset)}


def test_old_forms_inside_subgraphs():
    proto = parsed("""<ir_version: 7, opset_import: ["": 11]>
        old (bool c, float[n,3] x) => (float[k] y) {
          y = If(c) <
            then_branch = t () => (float[k] a) { a = ReduceSum<axes=[1], keepdims=0>(x) },
            else_branch = e () => (float[k] b) {
              s = Softmax<axis=0>(x)
              b = ReduceMax<axes=[0], keepdims=0>(s)
            }
          >
        }""")
    model = load_onnx(proto)
    graph = graph_of(model, spec(dtype=np.bool_), spec("n", 3))
    x = normal(4, 3)
    for flag in (np.bool_(True), np.bool_(False)):
        agree(graph, run(proto, flag, x), flag, x)


def test_newer_models():
    """Where the operators are the same in both opsets, a newer model goes into an older file."""
    text = '<ir_version: 10, opset_import: ["": 22]> new (float[n] x) => (float[n] y) {{ {} }}'
    proto = parsed(text.format("y = Add(x, x)"))
    graph = graph_of(load_onnx(proto), spec("n"))
    assert to_onnx(graph, opset=17).ir_version == 8
    agree(graph, X[0] * 2, X[0], opset=17)
    proto = parsed(text.format("a = Cast<to=10>(x) y = Cast<to=1>(a)").replace("22]", "24]"))
    agree(graph_of(load_onnx(proto), spec("n")), run(proto, X[0]), X[0], opset=24)
    proto = parsed(
        '<ir_version: 10, opset_import: ["": 23]> new (float[n,4] x) => (float[n,4] y) '
        "{ y = RMSNormalization(x, s) }",
        s=np.ones(4, np.float32),
    )
    graph = graph_of(load_onnx(proto), spec("n", 4))
    with pytest.raises(OpsetError, match=r"(?s)new: the model is of opset 23.*opset=23"):
        to_onnx(graph, opset=20)
    agree(graph, run(proto, X[:, :4]), X[:, :4], opset=23)


# --- what is inside -----------------------------------------------------------------------


def test_subgraphs_with_weights_of_their_own():
    """Branches use one name each for weights of their own, and read what is around them."""
    proto = parsed("""<ir_version: 8, opset_import: ["": 18]>
        branched (bool c, float[n,16] x) => (float[n,32] y, float[n,16] r) {
          r = Relu(x)
          y = If(c) <
            then_branch = t () => (float[n,32] out) { out = MatMul(r, w) },
            else_branch = e () => (float[n,32] out) { h = MatMul(r, w) out = Neg(h) }
          >
        }""")
    then, other = normal(16, 32), normal(16, 32)
    node = proto.graph.node[1]
    for attribute, array in zip(node.attribute, (then, other), strict=True):
        attribute.g.initializer.append(numpy_helper.from_array(array, "w"))
    model = load_onnx(proto)
    assert model.nbytes == 2 * 16 * 32 * 4

    def program(c, x):
        first = model(c, x)
        return first.y + model(c, first.r).y, first.r

    graph = graph_of(program, spec(dtype=np.bool_), spec("n", 16))
    for flag in (np.bool_(True), np.bool_(False)):
        positive = np.maximum(X, 0)
        y = 2 * positive @ then if flag else -2 * positive @ other
        written = agree(graph, [y, positive], flag, X)
    assert list(initializers(written).values()) == [(16, 32), (16, 32)]


def test_loops_and_scans():
    body = helper.make_graph(
        [
            helper.make_node("MatMul", ["h", "w"], ["m"]),
            helper.make_node("Tanh", ["m"], ["next"]),
            helper.make_node("Identity", ["go"], ["again"]),
            helper.make_node("ReduceSum", ["next"], ["total"], keepdims=0),
        ],
        "body",
        [value("i", np.int64, []), value("go", bool, []), value("h", np.float32, None)],
        [
            value("again", bool, []),
            value("next", np.float32, None),
            value("total", np.float32, []),
        ],
    )
    step = helper.make_graph(
        [
            helper.make_node("Add", ["state", "row"], ["sum"]),
            helper.make_node("Identity", ["sum"], ["seen"]),
        ],
        "step",
        [value("state", np.float32, [16]), value("row", np.float32, [16])],
        [value("sum", np.float32, [16]), value("seen", np.float32, [16])],
    )
    proto = helper.make_model(
        helper.make_graph(
            [
                helper.make_node("Loop", ["trips", "", "x"], ["h", "totals"], body=body),
                helper.make_node(
                    "Scan", ["zero", "h"], ["last", "sums"], body=step, num_scan_inputs=1
                ),
            ],
            "looped",
            [value("x", np.float32, ["n", 16]), value("trips", np.int64, [])],
            [value("totals", np.float32, ["k"]), value("sums", np.float32, ["n", 16])],
        ),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=8,
    )
    w = normal(16, 16)
    add_weights(proto, w=w, zero=np.zeros(16, np.float32))
    model = load_onnx(proto)
    trips = np.int64(3)
    graph = graph_of(lambda x, trips: model(x, trips), spec("n", 16), spec(dtype=np.int64))
    h, totals = X, []
    for _ in range(3):
        h = np.tanh(h @ w)
        totals.append(h.sum())
    agree(graph, [np.float32(totals), np.cumsum(h, 0)], X, trips)


def test_local_functions():
    proto = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["": 18, "mine": 1]>
        calls (float[n,4] x) => (float[n,4] y) {
          a = mine.twice<by: float = 3.0>(x)
          y = mine.twice(a)
        }
        <domain: "mine", opset_import: ["": 18, "mine": 1]>
        twice<by: float = 2.0>(x) => (y) {
          k = Constant<value_float: float = @by>()
          h = mine.one(x)
          y = Mul(h, k)
        }
        <domain: "mine", opset_import: ["": 18]>
        one(x) => (y) { y = Identity(x) }
        """)
    x = X[:, :4]
    written = agree(graph_of(load_onnx(proto), spec("n", 4)), x * 6, x)
    assert not written.functions


def test_quantized_models():
    """Weights in int8, with their scales, stay what they are; int4 stays inside the node."""
    proto = parsed(
        """<ir_version: 10, opset_import: ["": 21]>
        quantized (float[n,64] x) => (float[n,32] y) {
          q = QuantizeLinear(x, s, z)
          d = DequantizeLinear(q, s, z)
          e = DequantizeLinear<axis=1>(w, ws)
          f = DequantizeLinear(w4, s)
          a = MatMul(d, e)
          b = MatMul(d, f)
          y = Add(a, b)
        }""",
        s=np.float32(0.02),
        z=np.uint8(128),
        w=np.random.default_rng(0).integers(-99, 99, (64, 32)).astype(np.int8),
        ws=np.random.default_rng(1).uniform(0.01, 0.1, 32).astype(np.float32),
    )
    four = np.random.default_rng(2).integers(-8, 8, (64, 32)).astype(ml_dtypes.int4)
    proto.graph.initializer.append(numpy_helper.from_array(four, "w4"))
    model = load_onnx(proto)
    assert model.nbytes == 64 * 32
    x = np.tanh(normal(3, 64))
    graph = graph_of(model, spec("n", 64))
    (y,) = run_model(proto, {"x": x}, optimize=False)
    np.testing.assert_allclose(graph(x), y, rtol=1e-4, atol=1e-4)
    written = to_onnx(graph, opset=21)
    onnx.checker.check_model(written, full_check=True)
    (z,) = run_model(written, {"x": x}, optimize=False)
    np.testing.assert_allclose(z, y, rtol=1e-5, atol=1e-5)
    assert exporters.from_json(exporters.to_json(graph)) == graph
    with pytest.raises(OpsetError, match="quantized: the model is of opset 21"):
        to_onnx(graph, opset=20)


def test_other_domains():
    proto = parsed(
        """<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1, "ai.onnx.ml": 3]>
        mixed (float[n,16] x) => (float[n,32] y) {
          h = com.microsoft.FusedMatMul<alpha=0.5>(x, w)
          g = com.microsoft.Gelu(h)
          y = ai.onnx.ml.Scaler<offset=[1.0], scale=[2.0]>(g)
        }""",
        w=normal(16, 32),
    )
    model = load_onnx(proto)
    graph = graph_of(lambda x: model(x) + 1, spec("n", 16))
    written = agree(graph, run(proto, X)[0] + 1, X)
    assert {o.domain: o.version for o in written.opset_import} == {
        "": 20,
        "com.microsoft": 1,
        "ai.onnx.ml": 3,
    }
    assert not [p for p in written.metadata_props if p.key.endswith("minimal_runtime")]
    later = parsed(
        '<ir_version: 8, opset_import: ["": 17, "ai.onnx.ml": 4]> '
        'later (float[n,32] x) => (float[n,32] y) { y = ai.onnx.ml.Normalizer<norm="L1">(x) }'
    )
    both = graph_of(lambda x: load_onnx(later)(model(x)), spec("n", 16))
    agree(both, run(later, run(proto, X)[0])[0], X)


def test_the_oldest_runtime_is_that_of_all_nodes():
    def oldest(graph):
        return {p.key: p.value for p in to_onnx(graph).metadata_props}.get(
            "graph_capture.minimal_runtime"
        )

    assert oldest(graph_of(load_onnx(dense()), spec("n", 16))) == "onnxruntime 1.23.2"
    proto = parsed(
        """<ir_version: 8, opset_import: ["": 20]>
        recurrent (float[n,2,3] x) => (float[n,3] y) { y = AffineGrid2(x) }""".replace(
            "AffineGrid2(x)", "ReduceLogSum<keepdims=0>(x, k)"
        ),
        k=np.int64([1]),
    )
    assert oldest(graph_of(load_onnx(proto), spec("n", 2, 3))) == "onnxruntime 1.23.2"
    proto = parsed("""<ir_version: 8, opset_import: ["": 20]>
        windowed (int64 n) => (float[n] y) { y = HannWindow(n) }""")
    assert oldest(graph_of(load_onnx(proto), spec(dtype=np.int64))) is None
