"""Runs of scaling and shifting by constants."""

import numpy as np

from tests.fusion.base import Fused, floats

X = (floats(4, 6),)
N = {0: {0: "n"}}
IMAGE = (np.random.default_rng(0).integers(0, 256, (2, 3, 5, 7)).astype("u1"),)
MEAN = np.array([0.485, 0.456, 0.406], "f4")[:, None, None]
DEVIATION = np.array([0.229, 0.224, 0.225], "f4")[:, None, None]


def image(x):
    return (x.astype(np.float32) / 255 - MEAN) / DEVIATION


def image_in_doubles(x):
    return ((x / 255.0 - MEAN) / DEVIATION).astype(np.float32)


def centered(x):
    return x / 255 * 2 - 1


def from_one(x):
    return (1 - x / 3) * 2


def converted(x):
    return (x * 9 / 5 + 32) / 4 + 7


def scaled_three_times(x):
    return x * 3 / 7 * 11


def mean_and_deviation(x):
    return (x - 3) / 2


def scaled_by_zero(x):
    return x * 0 / 2


def scaled_out_of_range(x):
    return x * np.float32(1e30) / np.float32(1e30)


def far_away(x):
    return ((x - 1e6) * 1e-3 + 1) * 4


def divided_by_it(x):
    return 2 / (x + 3) * 4


def doubles(x):
    return ((x.astype(np.float64) - 3) / 2).astype(np.float32)


def zero_at_one(x):
    return (1 - x) * 2 * 3


def mixed_signs(x):
    return (x * np.float32([1, -1, 1, -1, 1, 1]) + 1) * 2 * 3


RULE = "scales_and_shifts"
SAMPLES = [
    Fused("image", image, IMAGE, ("Cast", "Sub", "Mul"), RULE, dynamic=N),
    Fused("image in doubles", image_in_doubles, IMAGE, ("Cast", "Sub", "Mul", "Cast"), RULE),
    Fused(
        "image in doubles as floats",
        image_in_doubles,
        IMAGE,
        ("Cast", "Sub", "Mul"),
        "float32_from_the_start",
        level=2,
    ),
    Fused("centered", centered, X, ("Mul", "Add"), RULE, dynamic=N),
    Fused("from one", from_one, X, ("Sub", "Mul"), RULE),
    Fused("zero at one", zero_at_one, (np.float32([0.5, 1, 2]),), ("Sub", "Mul"), RULE),
    Fused("scales of both signs", mixed_signs, X, ("Mul", "Add", "Mul", "Mul"), None),
    Fused("converted", converted, X, ("Sub", "Mul", "Add"), RULE),
    Fused("scaled three times", scaled_three_times, X, ("Mul",), RULE),
    Fused("mean and deviation", mean_and_deviation, X, ("Sub", "Div"), None),
    Fused("scaled by zero", scaled_by_zero, X, ("Mul", "Div"), None),
    Fused("scaled out of range", scaled_out_of_range, X, ("Mul", "Div"), None),
    Fused("far away", far_away, X, ("Sub", "Mul", "Add", "Mul"), None, rtol=1e-3),
    Fused("divided by it", divided_by_it, X, ("Add", "Div", "Mul"), None),
    Fused("floats in doubles", doubles, X, ("Cast", "Sub", "Div", "Cast"), None, level=2),
]
