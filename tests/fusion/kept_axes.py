"""Reductions whose axes are put back afterwards."""

import numpy as np

from tests.fusion.base import Fused, floats


def over_the_sum(x):
    return x / x.sum(-1)[:, None]


def without_the_first(x):
    return x - x[:, 0].reshape(-1, 1)


def shares_of_the_sum(x):
    total = x.sum(axis=0)
    return x / total.reshape(1, -1), total


def over_the_root(x):
    return x / np.sqrt(np.abs(x).sum(-1) + 1)[:, None]


def over_the_root_and_the_square(x):
    total = np.exp(x).sum(-1) + 1
    return x / np.sqrt(total)[:, None], total * total


def softmax(x):
    powers = np.exp(x - x.max(-1)[:, None])
    return powers / powers.sum(-1)[:, None]


def row_after_row(x):
    return x.sum(-1).reshape(3, 1, 1)


N = {0: {0: "n"}}

SAMPLES = [
    Fused(
        "sum with its axes back",
        over_the_sum,
        (floats(3, 5),),
        ("ReduceSum", "Div"),
        "kept_axes",
        dynamic=N,
    ),
    Fused(
        "no reduction",
        without_the_first,
        (floats(3, 5),),
        ("Slice", "Sub"),
        None,
        dynamic=N,
    ),
    Fused(
        "sum with its axes back and as it is",
        shares_of_the_sum,
        (floats(3, 5),),
        ("ReduceSum", "Div", "Reshape"),
        None,
    ),
    Fused(
        "root with its axes back",
        over_the_root,
        (floats(3, 5),),
        ("Abs", "ReduceSum", "Add", "Sqrt", "Div"),
        "kept_axes_before",
        dynamic=N,
    ),
    Fused(
        "root of a shared sum keeps its reshape",
        over_the_root_and_the_square,
        (floats(3, 5),),
        ("Exp", "ReduceSum", "Add", "Mul", "Sqrt", "Reshape", "Div"),
        None,
        dynamic=N,
    ),
    Fused(
        "softmax by new axes",
        softmax,
        (floats(3, 5),),
        ("Softmax",),
        "kept_axes",
        dynamic={0: {0: "n", 1: "k"}},
    ),
    Fused(
        "other axes",
        row_after_row,
        (floats(3, 5),),
        ("ReduceSum", "Reshape"),
        None,
    ),
]
