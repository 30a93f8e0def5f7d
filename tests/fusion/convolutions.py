"""Convolutions, in the ways in which they are written with NumPy."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.fusion.base import Fused, floats

KERNEL = floats(4, 3, 3, 3, seed=1)
BIAS = floats(4, seed=2)
X = (floats(2, 3, 7, 8),)
N = {0: {0: "n"}}


def stacked_slices(x):
    rows, columns = x.shape[2] - 2, x.shape[3] - 2
    cut = [x[:, :, i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    patches = np.stack(cut, axis=2).reshape(x.shape[0], 27, rows * columns)
    return (KERNEL.reshape(4, 27) @ patches).reshape(x.shape[0], 4, rows, columns)


def filled_columns(x):
    n, c, h, w = x.shape
    columns = np.zeros((n, c, 3, 3, h - 2, w - 2), x.dtype)
    for i in range(3):
        for j in range(3):
            columns[:, :, i, j] = x[:, :, i : i + h - 2, j : j + w - 2]
    columns = columns.transpose(0, 4, 5, 1, 2, 3).reshape(n * (h - 2) * (w - 2), -1)
    made = columns @ KERNEL.reshape(4, -1).T
    return made.reshape(n, h - 2, w - 2, 4).transpose(0, 3, 1, 2)


def windows_by_einsum(x):
    windows = sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, KERNEL)


def strided_windows_by_tensordot(x):
    windows = sliding_window_view(x, (3, 3), axis=(2, 3))[:, :, ::2, ::3]
    return np.tensordot(windows, KERNEL, axes=([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2)


def padded_by_fancy_indices(x):
    n, c, h, w = x.shape
    i = np.tile(np.repeat(np.arange(3), 3), c)[:, None] + np.repeat(np.arange(h), w)
    j = np.tile(np.arange(3), 3 * c)[:, None] + np.tile(np.arange(w), h)
    k = np.repeat(np.arange(c), 9)[:, None]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    columns = padded[:, k, i, j].transpose(1, 2, 0).reshape(9 * c, -1)
    return (KERNEL.reshape(4, -1) @ columns).reshape(4, h, w, n).transpose(3, 0, 1, 2)


def dilated(x):
    windows = sliding_window_view(x, (5, 5), axis=(2, 3))[..., ::2, ::2]
    return np.einsum("nchwij,ocij->nohw", windows, KERNEL)


def channels_last(x):
    windows = sliding_window_view(x, (3, 3), axis=(1, 2))
    return np.tensordot(windows, KERNEL, axes=([3, 4, 5], [1, 2, 3]))


def each_channel(x):
    windows = sliding_window_view(x, (3, 3), axis=(-2, -1))
    return (windows * KERNEL[0, 0]).sum(axis=(-2, -1))


def each_channel_its_own(x):
    windows = sliding_window_view(x, (3, 3), axis=(-2, -1))
    return (windows * KERNEL[0][:, None, None]).sum(axis=(-1, -2))


def patches(x):
    n, c, h, w = x.shape
    cut = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 2, 4, 1, 3, 5)
    return cut.reshape(n, h * w // 4, 4 * c) @ KERNEL.reshape(12, 9)


def signal(x):
    return sliding_window_view(x, 4) @ KERNEL.ravel()[:4]


def signal_backwards(x):
    return (sliding_window_view(x, 4, axis=-1)[..., ::-1] * BIAS).sum(-1)


def overlapping_rows(x):
    return sliding_window_view(x, 4)[:, :] @ floats(4, 6, seed=3)


def whole_rows(x):
    return x.reshape(2, 3, 56) @ KERNEL.ravel()[:56]


def captured_weights(x, w):
    return sliding_window_view(x, (3, 3), axis=(2, 3)).reshape(2, 3, 30, 9) @ w


def infinite_weights(x):
    windows = sliding_window_view(x, 4)
    return windows @ np.array([1, np.inf, 1, 1], "f4")


CONV = "convolution"
SAMPLES = [
    Fused("stacked slices", stacked_slices, X, ("Conv",), CONV, dynamic=N),
    Fused("filled columns", filled_columns, X, ("Conv",), CONV, dynamic=N),
    Fused("einsum of windows", windows_by_einsum, X, ("Conv",), CONV, dynamic=N),
    Fused(
        "tensordot, strides",
        strided_windows_by_tensordot,
        X,
        ("Conv",),
        CONV,
        dynamic=N,
    ),
    Fused("fancy indices, padded", padded_by_fancy_indices, X, ("Conv",), CONV, dynamic=N),
    Fused("dilated", dilated, X, ("Conv",), CONV, dynamic=N),
    Fused(
        "channels last",
        channels_last,
        (floats(2, 7, 8, 3),),
        ("Transpose", "Conv", "Transpose"),
        CONV,
        dynamic=N,
    ),
    Fused("each channel", each_channel, X, ("Conv",), "convolution_by_sum", dynamic=N),
    Fused(
        "each channel its own",
        each_channel_its_own,
        X,
        ("Conv",),
        "convolution_by_sum",
        dynamic=N,
    ),
    Fused(
        "patches",
        patches,
        (floats(2, 3, 6, 8),),
        ("Conv", "Transpose", "Reshape"),
        CONV,
        dynamic=N,
    ),
    Fused("signal", signal, (floats(20),), ("Reshape", "Conv", "Reshape"), CONV),
    Fused(
        "signal backwards",
        signal_backwards,
        (floats(2, 20),),
        ("Reshape", "Conv", "Reshape"),
        "convolution_by_sum",
    ),
    Fused("whole rows stay", whole_rows, X, ("Reshape", "MatMul", "Reshape"), None),
    Fused(
        "captured weights stay",
        captured_weights,
        (*X, floats(9, 2)),
        ("Gather", "Transpose", "Gather", "Transpose", "Reshape", "MatMul"),
        None,
    ),
]
