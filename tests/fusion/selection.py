"""Extremes."""

from tests.fusion.base import Fused, floats
from tests.fusion.normalizations import softmax

X, DOUBLE = floats(4, 6), floats(4, 6, dtype="f8")
BATCH = {0: {0: "n"}}
SAMPLES = [
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
