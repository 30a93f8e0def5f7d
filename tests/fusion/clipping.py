"""Bounds and choices."""

import numpy as np

from tests.fusion.base import Fused, floats

X = floats(3, 5)
BOTH = {0: {0: "n"}}


def relu_seen_through_a_division(x):
    return 1 / np.maximum(x, 0)


def relu_hidden_by_an_addition(x):
    return 1 / (np.maximum(x, 0) + 1)


SAMPLES = [
    Fused(
        "relu of a sum",
        lambda x: np.maximum(x + 1, 0),
        (X,),
        ("Add", "Relu"),
        "relu",
        dynamic=BOTH,
    ),
    Fused("relu", lambda x: np.maximum(x, 0), (X,), ("Relu",), "relu", level=2),
    Fused("relu, zero first", lambda x: np.maximum(0, x), (X,), ("Relu",), "relu", level=2),
    Fused("relu whose zero may be negative", lambda x: np.maximum(x, 0), (X,), ("Max",), None),
    Fused(
        "relu f64",
        lambda x: np.maximum(x @ x.T, 0),
        (X.astype("f8"),),
        ("Gemm", "Relu"),
        "relu",
    ),
    Fused(
        "relu whose zeros are divided by",
        relu_seen_through_a_division,
        (X,),
        ("Max", "Div"),
        None,
        level=2,
    ),
    Fused(
        "relu whose zeros are hidden",
        relu_hidden_by_an_addition,
        (X,),
        ("Relu", "Add", "Div"),
        "relu",
    ),
    Fused("relu of integers", lambda x: np.maximum(x, 0), (X.astype("i4"),), ("Max",), None),
    Fused("clip", lambda x: np.clip(x, -1, 0.5), (X,), ("Clip",), "clip", dynamic=BOTH),
    Fused("clip from zero", lambda x: np.clip(x, 0, 1), (X,), ("Clip",), "clip", level=2),
    Fused(
        "clip the other way round",
        lambda x: np.maximum(np.minimum(x, 2), -1),
        (X,),
        ("Clip",),
        "clip",
    ),
    Fused(
        "clip u1", lambda x: np.clip(x, 3, 9), (np.arange(12, dtype="u1"),), ("Clip",), "clip"
    ),
    Fused(
        "clip with exchanged bounds", lambda x: np.clip(x, 1, -1), (X,), ("Max", "Min"), None
    ),
    Fused(
        "clip with an array",
        lambda x: np.clip(x, np.full(5, -1, "f4"), 1),
        (X,),
        ("Max", "Min"),
        None,
    ),
    Fused(
        "leaky relu",
        lambda x: np.where(x > 0, x, np.float32(0.1) * x),
        (X,),
        ("LeakyRelu",),
        "leaky_relu",
        dynamic=BOTH,
    ),
    Fused(
        "leaky relu by the negative ones",
        lambda x: np.where(x < 0, 0.25 * x, x),
        (X,),
        ("LeakyRelu",),
        "leaky_relu",
    ),
    Fused(
        "leaky relu as maximum",
        lambda x: np.maximum(x, 0.1 * x),
        (X,),
        ("LeakyRelu",),
        "leaky_relu",
    ),
    Fused("a steeper maximum", lambda x: np.maximum(x, 2 * x), (X,), ("Mul", "Max"), None),
    Fused(
        "a negative multiple of zero",
        lambda x: np.where(x > 0, x, np.float32(-0.5) * x),
        (X,),
        ("Greater", "Mul", "Xor", "Where", "Where", "Mul"),
        None,
    ),
    Fused(
        "relu from below zero",
        lambda x: np.maximum(np.exp(x) - 2, np.float32(-0.0)),
        (X,),
        ("Exp", "Sub", "Max"),
        None,
    ),
    Fused(
        "relu of a sum that the runtime leaves out",
        lambda x: np.maximum(0 + x * np.float32(-2), 0),
        (X,),
        ("Mul", "Add", "Max"),
        None,
    ),
    Fused(
        "a choice of rounded numbers",
        lambda x: np.where(x > 0, np.rint(np.exp(x) - 1), 1),
        (X,),
        ("Exp", "Sub", "Round", "Greater", "Xor", "Where"),
        None,
    ),
    Fused("absolute", lambda x: np.where(x < 0, -x, x), (X,), ("Abs",), "absolute", level=2),
    Fused(
        "relu by choice",
        lambda x: np.where(x > 0, x, 0),
        (X,),
        ("Relu",),
        "relu_by_choice",
        level=2,
    ),
    Fused(
        "relu by mask whose zeros show",
        lambda x: np.abs(1 / (x * (x > 0)) - 1),
        (X,),
        ("Greater", "Cast", "Mul", "Div", "Sub", "Abs"),
        None,
        level=2,
    ),
    Fused("relu by mask", lambda x: x * (x > 0), (X,), ("Relu",), "relu_by_choice", level=2),
    Fused(
        "a choice",
        lambda x, y: np.where(x > y, x + 1, np.exp(y)),
        (X, floats(3, 5, seed=1)),
        ("Greater", "Add", "Exp", "Where"),
        "plain_where",
        dynamic={0: {0: "n"}, 1: {0: "n"}},
    ),
]
