"""Arrays repeated before arithmetic."""

import numpy as np

from tests.fusion.base import Fused, floats


def repeated_row(x, row):
    return x - np.broadcast_to(row, x.shape)


def grid(x, y):
    columns, rows = np.meshgrid(x, y)
    return columns * 2 - rows


def both_repeated(x):
    return np.broadcast_to(x[:1], (3, 4)) * np.broadcast_to(x[1:2], (3, 4))


def read_as_it_is(x):
    spread = np.broadcast_to(x, (3, 4))
    return spread * 2, spread


SAMPLES = [
    Fused(
        "repeated row",
        repeated_row,
        (floats(3, 4), floats(4)),
        ("Sub",),
        "broadcast_by_arithmetic",
        dynamic={0: {0: "n"}},
    ),
    Fused(
        "grid",
        grid,
        (floats(4), floats(3)),
        ("Reshape", "Reshape", "Mul", "Sub"),
        "broadcast_by_arithmetic",
        dynamic={0: {0: "n"}, 1: {0: "k"}},
    ),
    Fused(
        "both repeated",
        both_repeated,
        (floats(2, 4),),
        ("Slice", "Slice", "Mul", "Expand"),
        "broadcast_by_arithmetic",
    ),
    Fused("read as it is", read_as_it_is, (floats(4),), ("Expand", "Mul"), None),
]
