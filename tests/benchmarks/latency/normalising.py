"""Layer normalisation and softmax, spelled out in basic NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.latency.workload import Input, Workload, model, node

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

rng = np.random.default_rng(1)
WIDTH = 512
GAIN = rng.uniform(0.5, 1.5, WIDTH).astype(np.float32)
BIAS = rng.standard_normal(WIDTH, np.float32)
INPUTS = (Input("x", ("batch", WIDTH), rng.standard_normal((64, WIDTH), np.float32)),)


def program(x):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    y = (x - mean) / np.sqrt(variance + 1e-5) * GAIN + BIAS
    e = np.exp(y - y.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def hand_written() -> onnx.ModelProto:
    return model(
        INPUTS,
        {"y": (np.float32, ("batch", WIDTH))},
        [
            node("LayerNormalization", "x gain bias", "n", axis=-1, epsilon=1e-5),
            node("Softmax", "n", "y", axis=-1),
        ],
        {"gain": GAIN, "bias": BIAS},
    )


def torch_module() -> Any:
    import torch
    from torch import nn

    norm = nn.LayerNorm(WIDTH)
    norm.weight.data, norm.bias.data = torch.from_numpy(GAIN), torch.from_numpy(BIAS)
    return nn.Sequential(norm, nn.Softmax(dim=-1))


def torch_spelled_out() -> Any:
    """The same basic operations as the NumPy program."""
    import torch

    class SpelledOut(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            mean = x.mean(-1, keepdim=True)
            variance = ((x - mean) ** 2).mean(-1, keepdim=True)
            y = (x - mean) / torch.sqrt(variance + 1e-5) * torch.from_numpy(GAIN)
            y = y + torch.from_numpy(BIAS)
            e = torch.exp(y - y.amax(-1, keepdim=True))
            return e / e.sum(-1, keepdim=True)

    return SpelledOut()


def jax_function() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def forward(x):
        mean = jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.var(x, axis=-1, keepdims=True)
        y = (x - mean) * jax.lax.rsqrt(variance + 1e-5) * GAIN + BIAS
        return jax.nn.softmax(y, axis=-1)

    return forward


def ndonnx_function() -> Callable[..., Any]:
    import ndonnx as ndx

    def forward(x):
        mean = ndx.mean(x, axis=-1, keepdims=True)
        variance = ndx.mean((x - mean) ** 2, axis=-1, keepdims=True)
        y = (x - mean) / ndx.sqrt(variance + 1e-5) * ndx.asarray(GAIN) + ndx.asarray(BIAS)
        e = ndx.exp(y - ndx.max(y, axis=-1, keepdims=True))
        return e / ndx.sum(e, axis=-1, keepdims=True)

    return forward


WORKLOAD = Workload(
    "softmax + layer norm",
    program,
    INPUTS,
    hand_written,
    {
        "torch.onnx": torch_module,
        "torch.onnx, spelled out": torch_spelled_out,
        "jax2onnx": jax_function,
        "ndonnx": ndonnx_function,
    },
    {"skl2onnx": "no estimator computes this"},
)
