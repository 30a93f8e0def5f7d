"""Biases and scales after convolutions."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.fusion.base import Fused, floats

KERNEL = floats(4, 3, 3, 3, seed=1)
BIAS, SCALE = floats(4, seed=2), np.array([0.5, 2, -1, 3], "f4")
COLUMN = floats(6)
X = (floats(2, 3, 7, 8),)
N = {0: {0: "n"}}


def convolved(x, kernel=KERNEL):
    windows = sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, kernel)


def scaled_too_far(x):
    return np.moveaxis(convolved(x, KERNEL * np.float32(1e34)), 1, -1) * np.float32(1e6)


def biased(x):
    return convolved(x) + BIAS[:, None, None]


def biased_as_columns(x):
    n, _, h, w = x.shape
    columns = np.stack(
        [x[:, :, i : i + h - 2, j : j + w - 2] for i in range(3) for j in range(3)], axis=2
    )
    columns = columns.transpose(0, 3, 4, 1, 2).reshape(-1, 27)
    rows = columns @ KERNEL.reshape(4, -1).T + BIAS
    return rows.reshape(n, h - 2, w - 2, 4).transpose(0, 3, 1, 2)


def normalized(x):
    y = (convolved(x) - BIAS[:, None, None]) / np.abs(SCALE)[:, None, None]
    return y * SCALE[:, None, None] + 0.5


def biased_per_column(x):
    return convolved(x) + COLUMN


def scaled_by_zero(x):
    return convolved(x) * np.array([0, 1, 1, 1], "f4")[:, None, None]


def read_before_the_bias(x):
    y = convolved(x)
    return y, y + BIAS[:, None, None]


def output_by_output(x):
    h, w = x.shape[2:]
    outputs = []
    for kernel in KERNEL:
        total = 0
        for c in range(3):
            for i in range(3):
                for j in range(3):
                    total = total + kernel[c, i, j] * x[:, c, i : i + h - 2, j : j + w - 2]
        outputs.append(total)
    return np.stack(outputs, 1)


def two_arrays(x):
    return np.concatenate([convolved(x), convolved(x * 2)], 1)


RULE = "convolution_with_constants"
SAMPLES = [
    Fused("bias", biased, X, ("Conv",), RULE, dynamic=N),
    Fused("bias of rows", biased_as_columns, X, ("Conv",), RULE, dynamic=N),
    Fused("batch normalisation", normalized, X, ("Conv",), RULE, dynamic=N, rtol=3e-5),
    Fused("bias per column", biased_per_column, X, ("Conv", "Add"), None),
    Fused(
        "scale that the weights cannot take",
        scaled_too_far,
        (X[0] * np.float32(1e-9),),
        ("Conv", "Transpose", "Mul"),
        None,
        edges=False,
    ),
    Fused("scale of zero", scaled_by_zero, X, ("Conv", "Mul"), None),
    Fused(
        "output by output",
        output_by_output,
        X,
        ("Conv",),
        "convolutions_side_by_side",
        dynamic=N,
    ),
    Fused("two arrays", two_arrays, X, ("Conv", "Mul", "Conv", "Concat"), None),
    Fused("read before the bias", read_before_the_bias, X, ("Conv", "Add"), None),
]
