"""Parts of a sorted axis, and extremes."""

import numpy as np

from tests.fusion.base import Fused, floats
from tests.fusion.normalizations import softmax

X, DOUBLE = floats(4, 6), floats(4, 6, dtype="f8")
INTEGERS = np.array([[3, 1, 2, 1], [0, 5, 5, 4]])
BATCH = {0: {0: "n"}}
KEY = ("Cast", "Min", "IsNaN", "Where")


def best(scores):
    order = np.argsort(-scores.reshape(-1), kind="stable")[:5]
    return order // 6, order % 6


SAMPLES = [
    Fused(
        "first of argsort",
        lambda x: np.argsort(x, axis=1, kind="stable")[:, :2],
        (X,),
        (*KEY, "TopK"),
        "first_of_argsort",
        dynamic=BATCH,
    ),
    Fused(
        "first of argsort of integers",
        lambda x: np.argsort(x, kind="stable")[:, :2],
        (INTEGERS,),
        ("TopK",),
        "first_of_argsort",
    ),
    Fused(
        "first of argsort f64",
        lambda x: np.argsort(x, axis=0, kind="stable")[:3],
        (DOUBLE,),
        ("IsNaN", "Where", "TopK", "Cast", "GatherElements", "Cast", "TopK", "GatherElements"),
        "first_of_argsort",
    ),
    Fused(
        "best scores",
        best,
        (X,),
        ("Reshape", "Neg", *KEY, "TopK", "Div", "Mod"),
        "first_of_argsort",
    ),
    Fused(
        "best finite scores",
        best,
        (X,),
        ("Reshape", "TopK", "Div", "Mod"),
        "largest_positions",
        level=2,
    ),
    Fused(
        "least finite scores",
        lambda x: np.argsort(x, axis=0, kind="stable")[:2],
        (X,),
        ("TopK",),
        "careless_positions",
        level=2,
        dynamic={0: {1: "n"}},
    ),
    Fused(
        "last of argsort stays",
        lambda x: np.argsort(x, kind="stable")[:, -2:],
        (INTEGERS,),
        ("TopK", "Slice"),
        None,
    ),
    Fused(
        "first of sorted",
        lambda x: np.sort(x, axis=1)[:, :2],
        (INTEGERS,),
        ("TopK",),
        "first_of_sorted",
    ),
    Fused("max", lambda x: x.max(1), (X,), ("ReduceMax",), "careless_max", level=2),
    Fused("min", lambda x: x.min(), (DOUBLE,), ("ReduceMin",), "careless_min", level=2),
    Fused(
        "argmax",
        lambda x: x.argmax(1),
        (X,),
        ("ArgMax",),
        "careless_position",
        level=2,
        dynamic=BATCH,
    ),
    Fused(
        "argmax that looks for NaN",
        lambda x: x.argmax(1),
        (X,),
        ("ArgMax", "IsNaN", "Cast", "ArgMax", "Greater", "Where"),
        None,
    ),
    Fused(
        "argmin", lambda x: x.argmin(0), (DOUBLE,), ("ArgMin",), "careless_position", level=2
    ),
    Fused(
        "the likeliest",
        lambda x: softmax(x).argmax(-1),
        (X,),
        ("Softmax", "ArgMax"),
        "position_in_softmax",
        dynamic=BATCH,
    ),
    Fused(
        "the likeliest along another axis looks for NaN",
        lambda x: softmax(x).argmax(0),
        (X,),
        ("Softmax", "ArgMax", "IsNaN", "Cast", "ArgMax", "Greater", "Where"),
        "softmax",
    ),
]
