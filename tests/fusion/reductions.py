"""Means and logarithms of sums."""

import numpy as np

from tests.fusion.base import Fused, floats

X = floats(3, 5)


def log_sum_exp(x):
    largest = x.max(-1, keepdims=True)
    return largest + np.log(np.exp(x - largest).sum(-1, keepdims=True))


SAMPLES = [
    Fused("mean", lambda x: x.mean(1), (X,), ("ReduceMean",), "mean", dynamic={0: {0: "n"}}),
    Fused("mean of all", lambda x: x.mean(), (X,), ("ReduceMean",), "mean"),
    Fused("mean by hand", lambda x: x.sum(0) / 3, (X,), ("ReduceMean",), "mean"),
    Fused(
        "mean by a factor",
        lambda x: x.sum(0) * np.float32(1 / 3),
        (X,),
        ("ReduceMean",),
        "mean",
    ),
    Fused(
        "mean before opset 18", lambda x: x.mean(0), (X,), ("ReduceMean",), "mean", opset=17
    ),
    Fused("a sum over 7", lambda x: x.sum(0) / 7, (X,), ("ReduceSum", "Div"), None),
    Fused(
        "mean over an open axis with a row more",
        lambda x: np.concatenate([x, np.ones((1, 5), np.float32)]).mean(0),
        (X,),
        ("Concat", "ReduceMean"),
        "mean_over_open_axes",
        dynamic={0: {0: "n"}},
    ),
    Fused(
        "logarithm of a sum of exponentials",
        log_sum_exp,
        (X,),
        ("ReduceMax", "Sub", "Exp", "ReduceSum", "Log", "Add"),
        "log_sum_exp",
        dynamic={0: {0: "n"}},
    ),
    Fused(
        "norm for other runtimes",
        lambda x: np.sqrt((x**2).sum(1)),
        (X,),
        ("ReduceL2",),
        "norm",
        level=2,
        target="standard",
        dynamic={0: {0: "n"}},
    ),
    Fused(
        "norm",
        lambda x: np.sqrt((x * x).sum(1)),
        (X,),
        ("Mul", "ReduceSum", "Sqrt"),
        None,
        level=2,
    ),
    Fused(
        "sum of squares for other runtimes",
        lambda x: np.square(x).sum((0, 1), keepdims=True),
        (X,),
        ("ReduceSumSquare",),
        "sum_of_squares",
        level=2,
        target="standard",
    ),
    Fused(
        "logarithm of a sum of exponentials for other runtimes",
        log_sum_exp,
        (X,),
        ("ReduceLogSumExp",),
        "whole_log_sum_exp",
        level=2,
        target="standard",
        opset=17,
    ),
]
