"""Reading an array at constant positions."""

import numpy as np

from tests.fusion.base import Fused, floats

IMAGE = (floats(12, 16, 3),)
ROWS, COLUMNS = np.array([1, 3, 4, 9]), np.array([0, 2, 3, 5, 9, 11, -2])
SQUARES = np.arange(4) ** 2


def evenly_spaced(x):
    return x[:, np.arange(2, 14, 3)]


def backwards(x):
    return x[np.arange(11, -1, -1)]


def unevenly_spaced(x):
    return x[SQUARES[:3]]


def from_the_end(x):
    return x[np.array([-1, 0, 1])]


def of_the_taken(x):
    return x[SQUARES[:3]][np.array([2, 0, 0])]


def from_a_crop(x):
    return x[2:12, 3:13][ROWS]


def crossings(x):
    return x[ROWS[:, None], COLUMNS]


def crossings_of_a_crop(x):
    return x[1:11, 4:][ROWS[:, None], COLUMNS]


def crossings_by_ix(x):
    return x[np.ix_(ROWS, COLUMNS)]


def crossings_of_inner_axes(x):
    return x[:, ROWS[:3, None], np.array([0, 2, 1])]


def pairs(x):
    return x[ROWS, COLUMNS[:4]]


def columns_then_rows(x):
    return x[:, COLUMNS][ROWS]


N = {0: {2: "c"}}
SAMPLES = [
    Fused("evenly spaced", evenly_spaced, IMAGE, ("Slice",), "take_is_slice", dynamic=N),
    Fused("backwards", backwards, IMAGE, ("Slice",), "take_is_slice", dynamic=N),
    Fused("unevenly spaced", unevenly_spaced, IMAGE, ("Gather",), None),
    Fused("from the end", from_the_end, IMAGE, ("Gather",), None),
    Fused("of the taken", of_the_taken, IMAGE, ("Gather",), "take_of_take", dynamic=N),
    Fused(
        "from a crop",
        from_a_crop,
        IMAGE,
        ("Slice", "Gather"),
        None,
    ),
    Fused(
        "crossings",
        crossings,
        IMAGE,
        ("Gather", "Gather"),
        "take_of_each_axis",
        dynamic=N,
    ),
    Fused(
        "crossings of a crop",
        crossings_of_a_crop,
        IMAGE,
        ("Gather", "Gather"),
        "take_of_slice",
        dynamic=N,
    ),
    Fused(
        "crossings by ix_", crossings_by_ix, IMAGE, ("Gather", "Gather"), "take_of_each_axis"
    ),
    Fused(
        "crossings of inner axes",
        crossings_of_inner_axes,
        (floats(3, 10, 5),),
        ("Gather", "Gather"),
        "transpose_before_takes",
        dynamic={0: {0: "n"}},
    ),
    Fused("pairs", pairs, IMAGE, ("GatherND",), None),
    Fused(
        "columns, then rows",
        columns_then_rows,
        IMAGE,
        ("Gather", "Gather"),
        "cheaper_take_first",
    ),
]
