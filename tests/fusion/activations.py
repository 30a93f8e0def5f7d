"""Activation functions."""

import math

import numpy as np
import scipy.special

from tests.fusion.base import Fused, floats

X = floats(3, 5)
OPEN = {0: {0: "n", 1: "k"}}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def stable_sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


def hard_swish(x):
    return x * np.clip(x + 3, 0, 6) / 6


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_tanh_by_products(x):
    return x * 0.5 * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def gelu_erf(x):
    return x * 0.5 * (1 + scipy.special.erf(x / math.sqrt(2)))


def not_gelu(x):
    return 0.5 * x * (1 + np.tanh(0.8 * (x + 0.044715 * x**3)))


SAMPLES = [
    Fused("sigmoid", sigmoid, (X,), ("Sigmoid",), "sigmoid", level=2, dynamic=OPEN),
    Fused("sigmoid f64", sigmoid, (X.astype("f8"),), ("Sigmoid",), "sigmoid", level=2),
    Fused(
        "sigmoid f64 keeps its digits",
        lambda x: np.log(sigmoid(x * 20)),
        (X.astype("f8"),),
        ("Mul", "Neg", "Exp", "Add", "Div", "Log"),
        None,
    ),
    Fused("sigmoid f32 keeps its digits", sigmoid, (X,), ("Neg", "Exp", "Add", "Div"), None),
    Fused("stable sigmoid", stable_sigmoid, (X,), ("Sigmoid",), "sigmoid", level=2),
    Fused("hard swish", hard_swish, (X,), ("HardSwish",), "hard_swish", level=2),
    Fused(
        "hard swish by a sixth",
        lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
        (X,),
        ("HardSwish",),
        "hard_swish",
        level=2,
    ),
    Fused("gelu by tanh", gelu_tanh, (X,), ("Gelu",), "gelu_by_tanh", dynamic=OPEN),
    Fused("gelu by tanh and products", gelu_tanh_by_products, (X,), ("Gelu",), "gelu_by_tanh"),
    Fused("gelu", gelu_erf, (X,), ("Gelu",), "gelu", dynamic=OPEN),
    Fused(
        "gelu in older opsets",
        gelu_erf,
        (X,),
        ("Mul", "Div", "IsNaN", "Erf", "Where", "Add", "Mul"),
        None,
        opset=19,
    ),
    Fused(
        "not quite gelu",
        not_gelu,
        (X,),
        ("Mul", "Pow", "Mul", "Add", "Mul", "Tanh", "Add", "Mul"),
        None,
    ),
]
