"""A camera's bytes to a network's input: crop, resize by indexing, normalise, NCHW."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.latency.workload import Input, Workload, model, node

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

rng = np.random.default_rng(3)
HEIGHT, WIDTH, CROP, SIDE = 480, 640, 420, 224
TOP, LEFT = (HEIGHT - CROP) // 2, (WIDTH - CROP) // 2
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
PICKED = np.arange(SIDE) * CROP // SIDE
INPUTS = (
    Input(
        "image", (HEIGHT, WIDTH, 3), rng.integers(0, 256, (HEIGHT, WIDTH, 3)).astype(np.uint8)
    ),
)


def program(image):
    crop = image[TOP : TOP + CROP, LEFT : LEFT + CROP]
    small = crop[PICKED][:, PICKED]
    x = (small.astype(np.float32) / 255 - MEAN) / STD
    return x.transpose(2, 0, 1)[None]


def hand_written() -> onnx.ModelProto:
    """Bytes until it is small; crop and resize are two gathers; one multiplication, one sum."""
    return model(
        INPUTS,
        {"y": (np.float32, (1, 3, SIDE, SIDE))},
        [
            node("Gather", "image rows", "few", axis=0),
            node("Gather", "few columns", "small", axis=2),
            node("Transpose", "small", "planes", perm=[0, 3, 1, 2]),
            node("Cast", "planes", "real", to=1),
            node("Mul", "real factor", "scaled"),
            node("Add", "scaled shift", "y"),
        ],
        {
            "rows": PICKED[None] + TOP,
            "columns": PICKED + LEFT,
            "factor": (1 / (255 * STD)).reshape(1, 3, 1, 1).astype(np.float32),
            "shift": (-MEAN / STD).reshape(1, 3, 1, 1).astype(np.float32),
        },
    )


def torch_module() -> Any:
    import torch

    class Preprocessing(torch.nn.Module):
        def forward(self, image: torch.Tensor) -> torch.Tensor:
            picked = torch.from_numpy(PICKED)
            small = image[TOP : TOP + CROP, LEFT : LEFT + CROP][picked][:, picked]
            x = small.to(torch.float32) / 255 - torch.from_numpy(MEAN)
            return (x / torch.from_numpy(STD)).permute(2, 0, 1)[None]

    return Preprocessing()


def jax_function() -> Callable[..., Any]:
    import jax.numpy as jnp

    def forward(image):
        small = image[TOP : TOP + CROP, LEFT : LEFT + CROP][PICKED][:, PICKED]
        x = (small.astype(jnp.float32) / 255 - MEAN) / STD
        return jnp.transpose(x, (2, 0, 1))[None]

    return forward


def ndonnx_function() -> Callable[..., Any]:
    import ndonnx as ndx

    def forward(image):
        crop = image[TOP : TOP + CROP, LEFT : LEFT + CROP, :]
        picked = ndx.asarray(PICKED)
        small = ndx.take(ndx.take(crop, picked, axis=0), picked, axis=1)
        x = ndx.astype(small, ndx.float32) / 255 - ndx.asarray(MEAN)
        return ndx.permute_dims(x / ndx.asarray(STD), (2, 0, 1))[None, ...]

    return forward


WORKLOAD = Workload(
    "uint8 image pre-processing",
    program,
    INPUTS,
    hand_written,
    {"torch.onnx": torch_module, "jax2onnx": jax_function, "ndonnx": ndonnx_function},
    {"skl2onnx": "no estimator computes this"},
)
