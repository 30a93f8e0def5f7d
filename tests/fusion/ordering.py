"""The first few of a sorted axis."""

import numpy as np

from tests.fusion.base import Fused, floats

X, DOUBLE = floats(4, 6), floats(4, 6, dtype="f8")
INTEGERS = np.array([[3, 1, 2, 1], [0, 5, 5, 4]])
BATCH = {0: {0: "n"}}
KEY = ("Cast", "Min", "IsNaN", "Where")


COUNTED = ("Cast", "ReduceSum", "Range", "Reshape", "Sub", "GreaterOrEqual", "Where")
SORTED = ("IsNaN", "Where", "TopK", *COUNTED)


def best(scores):
    order = np.argsort(-scores.reshape(-1), kind="stable")[:5]
    return order // 6, order % 6


def best_with_scores(scores):
    order = np.argsort(-scores, kind="stable")[:4]
    return order, scores[order] * 2


SAMPLES = [
    Fused(
        "best scores and where they are",
        best_with_scores,
        (X.reshape(-1),),
        ("TopK", "Mul"),
        "largest_values",
        level=2,
        dynamic={0: {0: "n"}},
    ),
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
    *(
        Fused(
            f"first of sorted {dtype}",
            lambda x: np.sort(x, axis=1)[:, :4],
            (floats(4, 6, dtype=dtype),),
            SORTED,
            "first_of_sorted",
            dynamic=BATCH,
        )
        for dtype in ("f4", "f8")
    ),
    Fused(
        "first of argsort f2",
        lambda x: np.argsort(x, axis=1, kind="stable")[:, :2],
        (floats(4, 6, dtype="f2"),),
        (*KEY, "TopK"),
        "first_of_argsort",
    ),
    Fused(
        "best scores and where they are f64",
        best_with_scores,
        (floats(24, dtype="f8"),),
        ("TopK", "Mul"),
        "largest_values",
        level=2,
    ),
]
