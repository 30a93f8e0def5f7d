"""Pooling, in the ways in which it is written with NumPy."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.fusion.base import Fused, floats

X = (floats(2, 3, 6, 8),)
WIDE = (floats(2, 8, 6, 4),)
LOWEST = (np.repeat(np.float32([[-np.inf, np.finfo("f4").min]]), 16, 0).reshape(1, 1, 4, 8),)
N = {0: {0: "n"}}
SIGNED = ("MaxPool", "Mul", "Clip", "LessOrEqual", "Where", "IsNaN", "Where")
WARY = (*SIGNED, "Conv")


def blocks(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2)


def largest_of_blocks(x):
    return blocks(x).max(axis=(3, 5))


def largest_of_bytes(x):
    return blocks(x).max(axis=(3, 5))


def largest_after_maximum(x):
    return blocks(np.abs(x)).max(axis=(3, 5))


def largest_one_axis_at_a_time(x):
    return blocks(x).max(axis=5).max(axis=3)


def mean_of_blocks(x):
    return blocks(x).mean(axis=(3, 5))


def mean_by_a_factor(x):
    return blocks(x).sum(axis=(3, 5)) * 0.25


def mean_by_another_factor(x):
    return blocks(x).sum(axis=(3, 5)) * 0.2


def largest_of_windows(x):
    return sliding_window_view(x, (3, 3), axis=(2, 3))[:, :, ::2, ::2].max(axis=(-2, -1))


def mean_of_windows(x):
    return sliding_window_view(x, (3, 3), axis=(2, 3)).mean(axis=(4, 5), keepdims=True)


def padded_mean(x):
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return sliding_window_view(padded, (3, 3), axis=(2, 3)).mean(axis=(4, 5))


def padded_largest(x):
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    return sliding_window_view(padded, (3, 3), axis=(2, 3)).max(axis=(4, 5))


def padded_with_zeros(x):
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return sliding_window_view(padded, (3, 3), axis=(2, 3)).max(axis=(4, 5))


def channels_last(x):
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4))


def running_mean(x):
    return sliding_window_view(x, 5, axis=-1).mean(axis=-1)


def whole_image(x):
    return x.max(axis=(2, 3))


MAX, MEAN = "max_pool", "average_pool"
SAMPLES = [
    Fused("largest of blocks", largest_of_blocks, X, WARY, MAX, dynamic=N),
    Fused(
        "largest of blocks, careless",
        largest_of_blocks,
        X,
        ("MaxPool",),
        "careless_max_pool",
        level=2,
        dynamic=N,
    ),
    Fused(
        "largest of bytes",
        largest_of_bytes,
        ((floats(2, 3, 6, 8) * 50 + 128).clip(0, 255).astype("u1"),),
        ("MaxPool",),
        MAX,
    ),
    Fused(
        "largest of what is not negative",
        largest_after_maximum,
        X,
        ("Abs", "MaxPool", "Conv", "IsNaN", "Where"),
        MAX,
    ),
    Fused("mean of blocks", mean_of_blocks, X, ("Conv",), MEAN, dynamic=N),
    Fused("mean by a factor", mean_by_a_factor, X, ("Conv",), MEAN),
    Fused("mean of eight channels", mean_of_blocks, WIDE, ("AveragePool",), MEAN, dynamic=N),
    Fused(
        "largest of eight channels",
        largest_of_blocks,
        WIDE,
        (*SIGNED, "AveragePool"),
        MAX,
        dynamic=N,
    ),
    Fused("padded mean of eight channels", padded_mean, WIDE, ("AveragePool",), MEAN),
    Fused("another factor", mean_by_another_factor, X, ("Reshape", "ReduceSum", "Mul"), None),
    Fused("largest of windows", largest_of_windows, X, WARY, MAX, dynamic=N),
    Fused(
        "mean of windows",
        mean_of_windows,
        X,
        ("Conv", "Reshape"),
        MEAN,
        dynamic=N,
    ),
    Fused("padded mean", padded_mean, X, ("Conv",), MEAN, dynamic=N),
    Fused("padded largest", padded_largest, X, (*SIGNED, "AveragePool"), MAX, dynamic=N),
    Fused("largest of infinities", largest_of_blocks, LOWEST, WARY, MAX, edges=False),
    Fused("padded infinities", padded_largest, LOWEST, (*SIGNED, "AveragePool"), MAX),
    Fused(
        "padded largest of open rows",
        padded_largest,
        WIDE,
        (*SIGNED, "AveragePool"),
        MAX,
        dynamic={0: {2: "h"}},
        edges=False,
    ),
    Fused("padded with zeros", padded_with_zeros, X, ("Pad", *WARY), MAX, dynamic=N),
    Fused(
        "largest, channels last",
        channels_last,
        (floats(2, 6, 8, 3),),
        ("Transpose", *WARY, "Transpose"),
        MAX,
        dynamic=N,
    ),
    Fused(
        "running mean",
        running_mean,
        (floats(3, 12),),
        ("Reshape", "Conv", "Reshape"),
        MEAN,
    ),
    Fused(
        "whole image",
        whole_image,
        X,
        ("ReduceMax", "IsNaN", "Cast", "ReduceMax", "Cast", "Where"),
        None,
    ),
]
