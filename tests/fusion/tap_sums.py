"""Filters and convolutions written as loops over their taps."""

import numpy as np

from tests.fusion.base import Fused, floats

KERNEL = floats(4, 3, 3, 3, seed=1)
BIAS = floats(4, seed=3)[:, None, None]
TAPS = floats(5, seed=2)
X = (floats(2, 3, 7, 8),)
N = {0: {0: "n"}}


def filtered(x):
    return sum(TAPS[i] * x[..., i : x.shape[-1] - 4 + i] for i in range(5))


def filtered_by_convolve(x):
    return np.convolve(x, TAPS, "same")


def correlated(x):
    return np.correlate(x, TAPS, "valid")


def second_difference(x):
    return x[:, 2:] - 2 * x[:, 1:-1] + x[:, :-2]


def box_filter(x):
    h, w = x.shape[2:]
    total = np.zeros((*x.shape[:2], h - 2, w - 2), x.dtype)
    for i in range(3):
        for j in range(3):
            total += x[:, :, i : i + h - 2, j : j + w - 2]
    return total / 9


def channels_last(x):
    h, w = x.shape[1:3]
    total = 0
    for i in range(3):
        for j in range(3):
            total = total + x[:, i : i + h - 2, j : j + w - 2] @ KERNEL[:, :, i, j].T
    return total


def by_einsum(x):
    h, w = x.shape[2:]
    total = np.zeros((x.shape[0], 4, h - 2, w - 2), x.dtype)
    for i in range(3):
        for j in range(3):
            part = x[:, :, i : i + h - 2, j : j + w - 2]
            total += np.einsum("oc,nchw->nohw", KERNEL[:, :, i, j], part)
    return total + BIAS


def each_channel(x):
    h, w = x.shape[2:]
    total = 0
    for i in range(3):
        for j in range(3):
            total += KERNEL[0, :, i, j][:, None, None] * x[:, :, i : i + h - 2, j : j + w - 2]
    return total


def laplacian(x):
    around = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    return around - 4 * x[1:-1, 1:-1]


def difference(x):
    return x[:, 1:] - x[:, :-1]


def channels_added(x):
    return 0.3 * x[0] + 0.6 * x[1] + 0.1 * x[2]


def twice_the_same(x):
    return x[1:] + x[:-1] + x[1:]


RULE = "convolution_by_taps"
AROUND = ("Reshape", "Conv", "Reshape")
SAMPLES = [
    Fused("filter", filtered, (floats(2, 20),), AROUND, RULE),
    Fused("convolve", filtered_by_convolve, (floats(20),), (*AROUND, "Slice"), RULE),
    Fused("correlate", correlated, (floats(20),), (*AROUND, "Slice"), RULE),
    Fused("second difference", second_difference, (floats(3, 9),), AROUND, RULE),
    Fused("box filter", box_filter, X, ("Conv",), RULE, dynamic=N),
    Fused(
        "channels last",
        channels_last,
        (floats(2, 7, 8, 3),),
        ("Transpose", "Conv", "Transpose"),
        RULE,
        dynamic=N,
    ),
    Fused("by einsum", by_einsum, X, ("Conv",), RULE, dynamic=N),
    Fused("each channel", each_channel, X, ("Conv",), RULE, dynamic=N),
    Fused(
        "laplacian",
        laplacian,
        (floats(9, 8),),
        AROUND,
        "convolution_by_some_taps",
        level=2,
    ),
    Fused(
        "laplacian keeps infinities",
        laplacian,
        (floats(9, 8),),
        (*(("Slice",) * 5), *(("Add",) * 3), "Mul", "Sub"),
        None,
    ),
    Fused("difference", difference, (floats(3, 9),), ("Slice", "Slice", "Sub"), None),
    Fused(
        "channels added",
        channels_added,
        (floats(3, 5, 6),),
        (*(("Slice",) * 3), *(("Reshape",) * 3), *(("Mul",) * 3), "Add", "Add"),
        None,
    ),
    Fused(
        "the same twice", twice_the_same, (floats(6),), ("Slice", "Slice", "Add", "Add"), None
    ),
]
