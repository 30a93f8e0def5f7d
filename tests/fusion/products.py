"""Matrix products."""

import numpy as np

from tests.fusion.base import Fused, floats

X, W, B = floats(3, 5), floats(5, 4, seed=1), floats(4, seed=2)
Y, STACK = floats(6, 5, seed=3), floats(2, 3, 4)
W2, COLUMN = floats(4, 5, seed=8), floats(3, 1, seed=9)
BATCH = {0: {0: "n"}}


def layer(x):
    return x @ W + B


MEAN, SCALE = floats(5, seed=6), np.abs(floats(5, seed=7)) + 0.5


def scaled_layer(x):
    return (x - MEAN) / SCALE @ W + B


def layers(x):
    hidden = np.maximum(x @ W + B, 0)
    return hidden @ W.T + 1


SAMPLES = [
    Fused("linear layer", layer, (X,), ("Gemm",), "gemm", dynamic=BATCH),
    Fused("linear layer f64", lambda x: x @ W.astype("f8"), (X,), ("Cast", "MatMul"), None),
    Fused("two layers", layers, (X,), ("Gemm", "Relu", "Gemm"), "gemm", dynamic=BATCH),
    Fused(
        "layer on three axes stays",
        layer,
        (floats(2, 3, 5),),
        ("MatMul", "Add"),
        None,
    ),
    Fused(
        "product with the transposed",
        lambda x, y: x @ y.T,
        (X, Y),
        ("Gemm",),
        "transposed_product",
        dynamic={0: {0: "n"}, 1: {0: "m"}},
    ),
    Fused(
        "product of the transposed",
        lambda x, y: x.T @ y + B[0],
        (X, floats(3, 4, seed=5)),
        ("Gemm",),
        "gemm",
    ),
    Fused(
        "a bias that widens stays",
        lambda x: x @ W + STACK,
        (X,),
        ("MatMul", "Add"),
        None,
    ),
    Fused(
        "scaler and layer",
        scaled_layer,
        (X,),
        ("Gemm",),
        "scaled_operand",
        level=2,
        dynamic=BATCH,
    ),
    Fused(
        "shift and transposed layer",
        lambda x: (x + MEAN) @ W2.T + B,
        (X,),
        ("Gemm",),
        "shifted_operand",
        level=2,
    ),
    Fused(
        "a scale that the weights cannot take",
        lambda x: (x * np.float32(1e30)) @ (W * np.float32(1e20)) + B,
        (X * np.float32(1e-25),),
        ("Mul", "Gemm"),
        None,
        level=2,
    ),
    Fused(
        "a row scaled to a matrix",
        lambda x: (x * SCALE[None]) @ W + B,
        (X[0],),
        ("Mul", "Gemm"),
        None,
        level=2,
    ),
    Fused(
        "a shift by column stays",
        lambda x: (x + COLUMN) @ W + B,
        (X,),
        ("Add", "Gemm"),
        None,
        level=2,
    ),
]
