"""A multi-layer perceptron: three layers, rectified, 16 rows at a time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.latency.workload import Input, Workload, model, node

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

rng = np.random.default_rng(0)
WIDTHS = (256, 512, 512, 10)
LAYERS = [
    (
        (rng.standard_normal((n, m)) / n**0.5).astype(np.float32),
        (rng.standard_normal(m) * 0.1).astype(np.float32),
    )
    for n, m in pairwise(WIDTHS)
]
INPUTS = (Input("x", ("batch", WIDTHS[0]), rng.standard_normal((16, WIDTHS[0]), np.float32)),)


def program(x):
    *hidden, (w_last, b_last) = LAYERS
    for w, b in hidden:
        x = np.maximum(x @ w + b, 0)
    return x @ w_last + b_last


def hand_written() -> onnx.ModelProto:
    """One ``Gemm`` a layer, which the runtime joins with ``Relu``."""
    return model(
        INPUTS,
        {"y": (np.float32, ("batch", WIDTHS[-1]))},
        [
            node("Gemm", "x w0 b0", "h0"),
            node("Relu", "h0", "r0"),
            node("Gemm", "r0 w1 b1", "h1"),
            node("Relu", "h1", "r1"),
            node("Gemm", "r1 w2 b2", "y"),
        ],
        {
            f"{name}{i}": a
            for i, pair in enumerate(LAYERS)
            for name, a in zip("wb", pair, strict=True)
        },
    )


def torch_module() -> Any:
    import torch
    from torch import nn

    parts: list[nn.Module] = []
    for w, b in LAYERS:
        linear = nn.Linear(*w.shape)
        linear.weight.data = torch.from_numpy(w.T.copy())
        linear.bias.data = torch.from_numpy(b)
        parts += [linear, nn.ReLU()]
    return nn.Sequential(*parts[:-1])


def jax_function() -> Callable[..., Any]:
    import jax

    def forward(x):
        for w, b in LAYERS[:-1]:
            x = jax.nn.relu(x @ w + b)
        return x @ LAYERS[-1][0] + LAYERS[-1][1]

    return forward


def ndonnx_function() -> Callable[..., Any]:
    import ndonnx as ndx

    def forward(x):
        for w, b in LAYERS[:-1]:
            x = ndx.maximum(x @ ndx.asarray(w) + ndx.asarray(b), ndx.asarray(np.float32(0)))
        return x @ ndx.asarray(LAYERS[-1][0]) + ndx.asarray(LAYERS[-1][1])

    return forward


def sklearn_estimator() -> Any:
    """An ``MLPRegressor`` that holds these weights."""
    import warnings

    from sklearn.neural_network import MLPRegressor

    estimator = MLPRegressor(hidden_layer_sizes=WIDTHS[1:-1], max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(INPUTS[0].array, program(INPUTS[0].array))
    estimator.coefs_ = [w for w, _ in LAYERS]
    estimator.intercepts_ = [b for _, b in LAYERS]
    return estimator


WORKLOAD = Workload(
    "MLP",
    program,
    INPUTS,
    hand_written,
    {
        "torch.onnx": torch_module,
        "jax2onnx": jax_function,
        "ndonnx": ndonnx_function,
        "skl2onnx": sklearn_estimator,
    },
    {},
)
