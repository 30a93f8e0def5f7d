"""A small convolutional network whose convolutions are matrix products of windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.benchmarks.latency.workload import Input, Workload, model, node

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

rng = np.random.default_rng(4)
SIDE, CLASSES = 30, 10
KERNELS = [
    (
        (rng.standard_normal((out, into, 3, 3)) / (into * 9) ** 0.5).astype(np.float32),
        (rng.standard_normal(out) * 0.1).astype(np.float32),
    )
    for into, out in ((1, 16), (16, 32))
]
HEAD = (rng.standard_normal((32 * 6 * 6, CLASSES)) / 34).astype(np.float32)
HEAD_BIAS = rng.standard_normal(CLASSES, np.float32)
INPUTS = (
    Input("x", ("batch", 1, SIDE, SIDE), rng.standard_normal((4, 1, SIDE, SIDE), np.float32)),
)


def convolve(x, kernel, bias):
    out, _, height, width = kernel.shape
    windows = sliding_window_view(x, (height, width), axis=(2, 3))
    n, _, rows, columns = windows.shape[:4]
    flat = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, rows * columns, -1)
    y = flat @ kernel.reshape(out, -1).T + bias
    return y.transpose(0, 2, 1).reshape(n, out, rows, columns)


def pool(x):
    n, channels, rows, columns = x.shape
    return x.reshape(n, channels, rows // 2, 2, columns // 2, 2).max(axis=(3, 5))


def program(x):
    for kernel, bias in KERNELS:
        x = pool(np.maximum(convolve(x, kernel, bias), 0))
    return x.reshape(x.shape[0], -1) @ HEAD + HEAD_BIAS


def hand_written() -> onnx.ModelProto:
    return model(
        INPUTS,
        {"y": (np.float32, ("batch", CLASSES))},
        [
            node("Conv", "x k0 b0", "c0"),
            node("Relu", "c0", "r0"),
            node("MaxPool", "r0", "p0", kernel_shape=[2, 2], strides=[2, 2]),
            node("Conv", "p0 k1 b1", "c1"),
            node("Relu", "c1", "r1"),
            node("MaxPool", "r1", "p1", kernel_shape=[2, 2], strides=[2, 2]),
            node("Flatten", "p1", "flat"),
            node("Gemm", "flat head head_bias", "y"),
        ],
        {
            **{f"k{i}": kernel for i, (kernel, _) in enumerate(KERNELS)},
            **{f"b{i}": bias for i, (_, bias) in enumerate(KERNELS)},
            "head": HEAD,
            "head_bias": HEAD_BIAS,
        },
    )


def torch_module() -> Any:
    import torch
    from torch import nn

    parts: list[nn.Module] = []
    for kernel, bias in KERNELS:
        layer = nn.Conv2d(kernel.shape[1], kernel.shape[0], 3)
        layer.weight.data, layer.bias.data = torch.from_numpy(kernel), torch.from_numpy(bias)
        parts += [layer, nn.ReLU(), nn.MaxPool2d(2)]
    head = nn.Linear(*HEAD.shape)
    head.weight.data, head.bias.data = (
        torch.from_numpy(HEAD.T.copy()),
        torch.from_numpy(HEAD_BIAS),
    )
    return nn.Sequential(*parts, nn.Flatten(), head)


def jax_function() -> Callable[..., Any]:
    """Channels last, as its users keep them; the boundary stays as in the other models."""
    from flax import linen
    from jax import lax

    def forward(x):
        x = x.transpose(0, 2, 3, 1)
        for kernel, bias in KERNELS:
            layout = ("NHWC", "OIHW", "NHWC")
            x = lax.conv_general_dilated(x, kernel, (1, 1), "VALID", dimension_numbers=layout)
            x = linen.max_pool(linen.relu(x + bias), window_shape=(2, 2), strides=(2, 2))
        return x.transpose(0, 3, 1, 2).reshape(x.shape[0], -1) @ HEAD + HEAD_BIAS

    return forward


def ndonnx_function() -> Callable[..., Any]:
    """Without windows in the array API: shifted slices, as its users write them."""
    import ndonnx as ndx

    def convolve_slices(x, side, kernel, bias):
        shifted = [x[:, :, i : side + i, j : side + j] for i in range(3) for j in range(3)]
        windows = ndx.permute_dims(ndx.stack(shifted, axis=2), (0, 3, 4, 1, 2))
        flat = ndx.reshape(windows, (-1, side * side, kernel[0].size))
        weights = ndx.asarray(kernel.reshape(len(kernel), -1).T.copy())
        y = ndx.permute_dims(flat @ weights + ndx.asarray(bias), (0, 2, 1))
        return ndx.reshape(y, (-1, len(kernel), side, side))

    def forward(x):
        side = SIDE
        for kernel, bias in KERNELS:
            y = convolve_slices(x, side - 2, kernel, bias)
            side = (side - 2) // 2
            y = ndx.maximum(y, ndx.asarray(np.float32(0)))
            y = ndx.reshape(y, (-1, len(kernel), side, 2, side, 2))
            x = ndx.max(y, axis=(3, 5))
        return ndx.reshape(x, (-1, len(HEAD))) @ ndx.asarray(HEAD) + ndx.asarray(HEAD_BIAS)

    return forward


WORKLOAD = Workload(
    "small CNN by im2col",
    program,
    INPUTS,
    hand_written,
    {"torch.onnx": torch_module, "jax2onnx": jax_function, "ndonnx": ndonnx_function},
    {"skl2onnx": "no estimator computes this"},
)
