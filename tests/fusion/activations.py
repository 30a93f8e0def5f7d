"""Activation functions."""

import numpy as np

from tests.fusion.base import Fused, floats


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


SAMPLES = [
    Fused("sigmoid", sigmoid, (floats(3, 5),), ("Sigmoid",), "sigmoid"),
]
