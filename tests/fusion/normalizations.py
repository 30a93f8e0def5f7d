"""Softmax and layer normalisation."""

import numpy as np

from tests.fusion.base import Fused, floats

X = floats(3, 5)
GAIN, BIAS = floats(5, seed=1), floats(5, seed=2)


def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def softmax_with_new_axes(x):
    powers = np.exp(x - np.max(x, axis=1)[:, None])
    return powers / np.sum(powers, axis=1)[:, None]


def softmax_over_two_axes(x):
    powers = np.exp(x - x.max(axis=(0, 1), keepdims=True))
    return powers / powers.sum(axis=(0, 1), keepdims=True)


def softmax_of_mixed_axes(x):
    powers = np.exp(x - x.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def softmax_that_keeps_its_powers(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True), powers


def log_softmax(x):
    x = x - x.max(axis=-1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def log_softmax_by_its_logarithm(x):
    largest = x.max(axis=-1, keepdims=True)
    return x - (largest + np.log(np.exp(x - largest).sum(axis=-1, keepdims=True)))


def normalized(x):
    distance = x - x.mean(-1, keepdims=True)
    return distance / np.sqrt((distance * distance).mean(-1, keepdims=True) + 1e-5)


def layer_norm(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * GAIN + BIAS


def layer_norm_by_var(x):
    return (
        GAIN * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        + BIAS
    )


def layer_norm_of_two_axes(x):
    axes = (1, 2)
    variance = x.var(axes, keepdims=True)
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(variance + 1e-3)


def layer_norm_by_reciprocal(x):
    variance = x.var(-1, keepdims=True)
    return (x - x.mean(-1, keepdims=True)) * (1.0 / np.sqrt(variance + 1e-6))


def columns_normalized(x):
    return (x - x.mean(0, keepdims=True)) / np.sqrt(x.var(0, keepdims=True) + 1e-5)


def rms_norm(x):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * GAIN


WITHOUT_NAN = ("ReduceMax", "IsNaN", "Cast", "ReduceMax", "Cast", "Where")
OPEN = {0: {0: "n", 1: "k"}}
BATCH = {0: {0: "n"}}
LAYER = ("LayerNormalization",)


def scaled_by_one_number(x):
    mean_square = (x**2).mean(axis=1, keepdims=True)
    return x / np.sqrt(mean_square + 1e-5) * np.array([3], x.dtype) - 1


def shifted_by_one_number(x):
    d = x - x.mean(axis=1, keepdims=True)
    y = d / np.sqrt((d**2).mean(axis=1, keepdims=True) + 1e-5)
    return y * np.arange(1, 5, dtype=x.dtype) + np.array([0.5], x.dtype)


SAMPLES = [
    Fused("softmax", softmax, (X,), ("Softmax",), "softmax", dynamic=OPEN),
    Fused("softmax f64", softmax, (X.astype("f8"),), ("Softmax",), "softmax"),
    Fused("softmax with new axes", softmax_with_new_axes, (X,), ("Softmax",), "softmax"),
    Fused(
        "softmax of two axes stays",
        softmax_over_two_axes,
        (X,),
        (*WITHOUT_NAN, "Sub", "Exp", "ReduceSum", "Div"),
        None,
    ),
    Fused(
        "softmax of mixed axes stays",
        softmax_of_mixed_axes,
        (X,),
        (*WITHOUT_NAN, "Sub", "Exp", "ReduceSum", "Div"),
        None,
    ),
    Fused(
        "softmax whose powers are used",
        softmax_that_keeps_its_powers,
        (X,),
        (*WITHOUT_NAN, "Sub", "Exp", "ReduceSum", "Div"),
        None,
    ),
    Fused("log softmax", log_softmax, (X,), ("LogSoftmax",), "log_softmax", dynamic=OPEN),
    Fused(
        "log softmax f64",
        log_softmax,
        (X.astype("f8"),),
        ("LogSoftmax",),
        "log_softmax",
        level=2,
    ),
    Fused(
        "log softmax by its logarithm",
        log_softmax_by_its_logarithm,
        (X,),
        ("LogSoftmax",),
        "log_softmax_by_difference",
        level=2,
    ),
    Fused("layer norm", layer_norm, (X,), LAYER, "shifted_normalization", dynamic=BATCH),
    Fused("layer norm by var", layer_norm_by_var, (X,), LAYER, "layer_normalization"),
    Fused(
        "layer norm of two axes",
        layer_norm_of_two_axes,
        (floats(2, 3, 4),),
        LAYER,
        "layer_normalization",
        dynamic=BATCH,
    ),
    Fused(
        "layer norm by reciprocal",
        layer_norm_by_reciprocal,
        (X,),
        LAYER,
        "layer_normalization",
    ),
    Fused("normalised", normalized, (X,), LAYER, "layer_normalization"),
    Fused(
        "normalised f64",
        normalized,
        (X.astype("f8"),),
        LAYER,
        "layer_normalization",
        level=2,
    ),
    Fused(
        "columns normalised stay",
        columns_normalized,
        (X,),
        ("ReduceMean", "Sub", "Mul", "ReduceMean", "Add", "Sqrt", "Div"),
        "mean",
    ),
    Fused(
        "rms norm",
        rms_norm,
        (X,),
        ("RMSNormalization",),
        "rms_normalization",
        opset=23,
        dynamic=BATCH,
    ),
    Fused(
        "scaled rms norm",
        rms_norm,
        (X,),
        ("RMSNormalization",),
        "scaled_normalization",
        opset=23,
    ),
    Fused(
        "one number is not one per column",
        scaled_by_one_number,
        (floats(4, 4),),
        ("Pow", "ReduceMean", "Add", "Sqrt", "Div", "Mul", "Sub"),
        "number_without_axes",
    ),
    Fused(
        "one number added is not one per column",
        shifted_by_one_number,
        (floats(4, 4, dtype="f8"),),
        ("ReduceMean", "Sub", "Pow", "ReduceMean", "Add", "Sqrt", "Div", "Mul", "Add"),
        "number_without_axes",
    ),
]
