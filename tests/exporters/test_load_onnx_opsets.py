"""Operators whose definition changed: brought to a newer opset they give the same numbers.

The judge is ONNX Runtime, which runs both forms. ONNX's own converter passes this only with
``exporters/onnx/models/corrections.py`` beside it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import onnx
import onnx.shape_inference
import pytest
from onnx import helper, numpy_helper

from exporters import load_onnx, to_onnx
from exporters.errors import OpsetError
from exporters.running import run_model
from tests.exporters.model_kit import graph_of, spec, value

RNG = np.random.default_rng(11)


def f(*shape: int) -> Any:
    return RNG.normal(size=shape).astype(np.float32)


class Row(NamedTuple):
    """One operator on one input, with other inputs as initializers."""

    op: str
    opsets: tuple[int, ...]
    x: Any
    attributes: dict[str, Any] = {}  # noqa: RUF012 - never changed
    constants: dict[str, Any] = {}  # noqa: RUF012
    outputs: int = 1
    types: tuple[Any, ...] = (np.float32,)


X = f(2, 3, 5, 6)
ALL = (7, 9, 10, 11, 13, 16)
SCALES = {"s": np.float32([1, 1, 1.5, 2.7])}
SMALLER = {"s": np.float32([1, 1, 0.6, 0.5])}
NO_ROI = {"roi": np.float32([])}
REDUCTIONS = ("ReduceMax", "ReduceL1", "ReduceLogSumExp", "ReduceMean", "ReduceSumSquare")

ROWS = [
    *(
        Row("Upsample", (7,), X, {"mode": m, "scales": [1, 1, 1.5, 2.7]})
        for m in ("nearest", "linear")
    ),
    *(Row("Upsample", (9,), X, {"mode": m}, SCALES) for m in ("nearest", "linear")),
    *(
        Row("Resize", (10,), X, {"mode": m}, s)
        for m in ("nearest", "linear")
        for s in (SCALES, SMALLER)
    ),
    *(
        Row(
            "Resize",
            (11, 13, 18),
            X,
            {"mode": m, "coordinate_transformation_mode": c},
            NO_ROI | SCALES,
        )
        for m in ("nearest", "linear", "cubic")
        for c in ("half_pixel", "asymmetric", "align_corners")
    ),
    *(
        Row(op, ALL, X, {"axis": axis})
        for op in ("Softmax", "LogSoftmax", "Hardmax")
        for axis in (1, 2)
    ),
    *(
        Row(op, ALL, X)
        for op in ("Softmax", "Hardmax", "Elu", "HardSigmoid", "GlobalAveragePool", "Selu")
    ),
    *(Row(op, (7, 11, 13, 17), X, {"axes": [1, 3], "keepdims": 0}) for op in REDUCTIONS),
    Row("ReduceSum", (7, 11), X, {"axes": [1], "keepdims": 1}),
    *(
        Row(op, ALL, X, {"axis": 1, "keepdims": 0}, types=(np.int64,))
        for op in ("ArgMax", "ArgMin")
    ),
    Row(
        "BatchNormalization",
        ALL,
        X,
        {"epsilon": 1e-3},
        {"a": f(3), "b": f(3), "m": f(3), "v": abs(f(3))},
    ),
    Row("InstanceNormalization", ALL, X, {}, {"a": f(3), "b": f(3)}),
    Row("GroupNormalization", (21,), f(2, 4, 3, 3), {"num_groups": 2}, {"s": f(4), "b": f(4)}),
    Row("LayerNormalization", (17,), X, {"axis": -1}, {"s": f(6), "b": f(6)}),
    *(
        Row("Pad", (7, 10), X, {"mode": m, "pads": [0, 0, 1, 2, 0, 0, 2, 1], "value": 0.5})
        for m in ("constant", "reflect", "edge")
    ),
    Row("Pad", (11, 13), X, {"mode": "reflect"}, {"p": np.int64([0, 0, 1, 2, 0, 0, 2, 1])}),
    Row("Clip", (7, 10), X, {"min": -0.5, "max": 0.4}),
    Row("Clip", (11, 12), X, {}, {"lo": np.float32(-0.5)}),
    Row("Slice", (7, 9), X, {"axes": [2, 3], "starts": [1, -3], "ends": [4, 1000]}),
    Row("TopK", (7, 9), X, {"axis": 1, "k": 2}, outputs=2, types=(np.float32, np.int64)),
    Row("TopK", (10, 11), X, {"axis": 2}, {"k": np.int64([2])}, 2, (np.float32, np.int64)),
    Row("Squeeze", (7, 11), f(1, 3, 1), {"axes": [0]}),
    Row("Unsqueeze", (7, 11), f(3, 4), {"axes": [0, 3]}),
    Row("Split", (7, 11), X, {"axis": 1, "split": [1, 2]}, outputs=2),
    Row("Split", (7, 11, 13, 17), X, {"axis": 3}, outputs=2),
    Row("Dropout", (7, 10, 12), X, {}),
    Row("Gemm", (7, 9, 11), f(3, 4), {"transB": 1, "alpha": 0.5}, {"w": f(5, 4), "c": f(5)}),
    Row(
        "LSTM",
        (7, 14),
        f(4, 2, 3),
        {"hidden_size": 5, "direction": "bidirectional"},
        {"w": f(2, 20, 3), "r": f(2, 20, 5), "b": f(2, 40)},
        3,
    ),
    Row(
        "GRU",
        (7, 14),
        f(4, 2, 3),
        {"hidden_size": 5, "linear_before_reset": 1},
        {"w": f(1, 15, 3), "r": f(1, 15, 5), "b": f(1, 30)},
        2,
    ),
    Row(
        "AveragePool",
        (7, 10, 11, 19),
        X,
        {
            "kernel_shape": [2, 2],
            "pads": [1, 1, 0, 0],
            "count_include_pad": 1,
            "strides": [2, 2],
        },
    ),
    Row(
        "AveragePool",
        (11, 18, 19),
        X,
        {
            "kernel_shape": [3, 3],
            "strides": [2, 2],
            "ceil_mode": 1,
            "count_include_pad": 1,
            "pads": [1, 1, 1, 1],
        },
    ),
    Row(
        "MaxPool",
        ALL,
        X,
        {"kernel_shape": [2, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    ),
    Row("LpPool", (7, 11), X, {"kernel_shape": [2, 2], "p": 2}),
    Row(
        "ConvTranspose",
        (7, 11),
        X,
        {"strides": [2, 2], "output_padding": [1, 1]},
        {"w": f(3, 2, 3, 3)},
    ),
    Row(
        "RoiAlign",
        (10, 16),
        f(1, 2, 8, 8),
        {"output_height": 3, "output_width": 2, "sampling_ratio": 2},
        {"r": np.float32([[0.3, 0.7, 5.2, 6.1]]), "b": np.int64([0])},
    ),
    Row(
        "GridSample",
        (16, 18),
        X,
        {"mode": "bilinear", "align_corners": 1},
        {"g": f(2, 4, 4, 2)},
    ),
    Row("Scatter", (9, 10), f(3, 3), {"axis": 1}, {"i": np.int64([[0, 2]]), "u": f(1, 2)}),
    Row("ScatterND", (11, 13, 16), f(4, 3), {}, {"i": np.int64([[0], [2]]), "u": f(2, 3)}),
    Row("DepthToSpace", (7, 11), f(1, 8, 2, 3), {"blocksize": 2}),
    Row("Cast", (7, 9, 13), X * 300, {"to": 2}, types=(np.uint8,)),
    Row(
        "QuantizeLinear",
        (10, 13, 19),
        X,
        {},
        {"s": np.float32(0.1), "z": np.uint8(100)},
        types=(np.uint8,),
    ),
    Row("DFT", (17, 19), f(1, 8, 1), {"axis": 1}),
]


def model_of(row: Row, opset: int) -> onnx.ModelProto:
    names = [f"o{k}" for k in range(row.outputs)]
    types = row.types * row.outputs if len(row.types) == 1 else row.types
    node = helper.make_node(row.op, ["x", *row.constants], names, **row.attributes)
    graph = helper.make_graph(
        [node],
        "old",
        [value("x", np.float32, row.x.shape)],
        [value(name, dtype, None) for name, dtype in zip(names, types, strict=True)],
        [numpy_helper.from_array(array, name) for name, array in row.constants.items()],
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8
    )


CASES = [(row, opset) for row in ROWS for opset in row.opsets]


def wrong(row: Row, version: int, opset: int) -> str | None:
    """Return what differs after a conversion."""
    proto = model_of(row, version)
    wanted = run_model(proto, {"x": row.x}, optimize=False)
    shapes = {f"o{k}": array.shape for k, array in enumerate(wanted)}
    graph = graph_of(load_onnx(proto, shapes=shapes), spec(*row.x.shape))
    try:
        written = to_onnx(graph, opset=opset)
    except OpsetError as error:
        return f"{row.op} {version} to {opset}: {error}"
    got = run_model(written, {"x": row.x}, optimize=False)
    for a, b in zip(got, wanted, strict=True):
        if (a.dtype, a.shape) != (b.dtype, b.shape) or not np.allclose(a, b, 1e-4, 1e-5):
            return f"{row.op} {version} to {opset} {row.attributes}"
    return None


@pytest.mark.parametrize(
    "opset",
    [20, pytest.param(17, marks=pytest.mark.slow), pytest.param(21, marks=pytest.mark.slow)],
)
def test_conversions_keep_the_numbers(opset):
    assert [w for case in CASES if case[1] <= opset if (w := wrong(*case, opset))] == []


@pytest.mark.parametrize(
    ("scales", "said"),
    [([1, 1, 0.6, 2.5], "grows one axis, shrinks another"), (None, "no constant")],
)
def test_what_newer_resizing_cannot_say_is_refused(scales, said):
    constants = {} if scales is None else {"s": np.float32(scales)}
    proto = model_of(Row("Resize", (10,), X, {"mode": "nearest"}, constants), 10)
    if scales is None:
        proto.graph.node[0].input.append("s")
        proto.graph.input.append(value("s", np.float32, [4]))
    model = load_onnx(proto, shapes={"o0": (None, None, None, None)})
    graph = graph_of(model, spec(*X.shape), *([] if scales else [spec(4)]))
    with pytest.raises(OpsetError, match=f"old: the model is of opset 10.*{said}"):
        to_onnx(graph)
