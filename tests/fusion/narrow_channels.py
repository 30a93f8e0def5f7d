"""Constants along a short last axis."""

import numpy as np

from tests.fusion.base import Fused, floats

X = (floats(2, 16, 20, 3),)
N = {0: {0: "n", 1: "h"}}
MEAN = np.array([0.485, 0.456, 0.406], "f4")
LIMITS = np.array([1, 2, 0.5], "f4")
MANY = floats(40)


def centered(x):
    return x - MEAN


def scaled_and_limited(x):
    return np.minimum(np.exp(x * LIMITS + 1), LIMITS)


def few(x):
    return x - MEAN


def features(x):
    return x * MANY


def open_rows(x):
    return x - MEAN


RULE = "narrow_channels"
SAMPLES = [
    Fused("colours", centered, X, ("Reshape", "Sub", "Reshape"), RULE, dynamic=N),
    Fused(
        "several constants",
        scaled_and_limited,
        X,
        ("Reshape", "Mul", "Add", "Exp", "Min", "Reshape"),
        RULE,
        dynamic=N,
    ),
    Fused("few elements", few, (floats(4, 4, 3),), ("Sub",), None),
    Fused("many features", features, (floats(64, 40),), ("Mul",), None),
    Fused(
        "a prime number of pixels",
        open_rows,
        (floats(16, 1009, 3),),
        ("Sub",),
        None,
    ),
]
