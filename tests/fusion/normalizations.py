"""Softmax and its kin."""

import numpy as np

from tests.fusion.base import Fused, floats


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def softmax_over_two_axes(x):
    powers = np.exp(x - x.max(axis=(0, 1), keepdims=True))
    return powers / powers.sum(axis=(0, 1), keepdims=True)


SAMPLES = [
    Fused(
        "softmax",
        softmax,
        (floats(3, 5),),
        ("Softmax",),
        "softmax",
        dynamic={0: {0: "n", 1: "k"}},
    ),
    Fused(
        "softmax of two axes stays",
        softmax_over_two_axes,
        (floats(3, 5),),
        (
            *("ReduceMax", "IsNaN", "Cast", "ReduceMax", "Cast", "Where"),
            *("Sub", "Exp", "ReduceSum", "Div"),
        ),
        None,
    ),
]
