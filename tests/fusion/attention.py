"""Attention of several heads."""

import numpy as np

from tests.fusion.base import Fused, floats
from tests.fusion.normalizations import softmax

Q, K, V = floats(2, 3, 4, 8), floats(2, 3, 5, 8, seed=1), floats(2, 3, 5, 6, seed=2)
MASK = np.where(np.arange(4)[:, None] >= np.arange(5) - 1, 0, -np.inf).astype(np.float32)


def attention(q, k, v):
    return softmax(q @ k.swapaxes(-1, -2) / np.float32(8**0.5)) @ v


def masked_attention(q, k, v):
    return softmax(q @ k.transpose(0, 1, 3, 2) * 0.25 + MASK) @ v


def scores_too(q, k, v):
    weights = softmax(q @ k.swapaxes(-1, -2) / np.float32(8**0.5))
    return weights @ v, weights


SAMPLES = [
    Fused(
        "attention",
        attention,
        (Q, K, V),
        ("Attention",),
        "attention",
        level=2,
        opset=23,
    ),
    Fused(
        "masked attention",
        masked_attention,
        (Q, K, V),
        ("Attention",),
        "attention",
        level=2,
        opset=23,
    ),
    Fused(
        "attention without a scale",
        lambda q, k, v: softmax(q @ k.swapaxes(-1, -2)) @ v,
        (Q / 4, K, V),
        ("Attention",),
        "attention",
        level=2,
        opset=24,
    ),
    Fused(
        "attention in older opsets",
        attention,
        (Q, K, V),
        ("Transpose", "MatMul", "Div", "Softmax", "MatMul"),
        None,
        level=2,
        opset=22,
    ),
    Fused(
        "attention of one head stays",
        lambda q, k, v: softmax(q @ k.swapaxes(-1, -2) * 0.5) @ v,
        (Q[0], K[0], V[0]),
        ("Transpose", "MatMul", "Mul", "Softmax", "MatMul"),
        None,
        level=2,
        opset=23,
    ),
    Fused(
        "attention whose weights are used",
        scores_too,
        (Q, K, V),
        ("Transpose", "MatMul", "Div", "Softmax", "MatMul"),
        None,
        level=2,
        opset=23,
    ),
]
