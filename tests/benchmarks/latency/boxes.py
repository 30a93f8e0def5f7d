"""The last step of a detector without suppression: best scores and their boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.latency.workload import Input, Workload, model, node

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

rng = np.random.default_rng(5)
QUERIES, CLASSES, KEPT = 300, 80, 100
SIZE = np.array([640, 480, 640, 480], np.float32)
INPUTS = (
    Input("logits", (QUERIES, CLASSES), rng.standard_normal((QUERIES, CLASSES), np.float32)),
    Input("boxes", (QUERIES, 4), rng.uniform(0, 1, (QUERIES, 4)).astype(np.float32)),
)


def program(logits, boxes):
    flat = logits.reshape(-1)
    best = np.argsort(-flat)[:KEPT]
    chosen = boxes[best // CLASSES]
    centre, half = chosen[:, :2], chosen[:, 2:] / 2
    corners = np.concatenate([centre - half, centre + half], axis=1)
    return 1 / (1 + np.exp(-flat[best])), best % CLASSES, corners * SIZE


def hand_written() -> onnx.ModelProto:
    """The corners are one product with the boxes."""
    corners = np.array(
        [[1, 0, 1, 0], [0, 1, 0, 1], [-0.5, 0, 0.5, 0], [0, -0.5, 0, 0.5]], np.float32
    )
    return model(
        INPUTS,
        {
            "score": (np.float32, (KEPT,)),
            "label": (np.int64, (KEPT,)),
            "corners": (np.float32, (KEPT, 4)),
        },
        [
            node("Reshape", "logits all", "flat"),
            node("TopK", "flat kept", "top best", axis=0),
            node("Sigmoid", "top", "score"),
            node("Div", "best classes", "query"),
            node("Mod", "best classes", "label"),
            node("Gather", "boxes query", "chosen", axis=0),
            node("MatMul", "chosen to_corners", "corners"),
        ],
        {
            "all": np.array([-1]),
            "kept": np.array([KEPT]),
            "classes": np.array(CLASSES),
            "to_corners": corners * SIZE,
        },
    )


def torch_module() -> Any:
    import torch

    class Decoding(torch.nn.Module):
        def forward(self, logits: torch.Tensor, boxes: torch.Tensor) -> Any:
            top, best = torch.topk(logits.flatten(), KEPT)
            chosen = boxes[torch.div(best, CLASSES, rounding_mode="floor")]
            centre, half = chosen[:, :2], chosen[:, 2:] / 2
            corners = torch.cat([centre - half, centre + half], 1)
            return torch.sigmoid(top), best % CLASSES, corners * torch.from_numpy(SIZE)

    return Decoding()


def jax_function() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def forward(logits, boxes):
        top, best = jax.lax.top_k(logits.reshape(-1), KEPT)
        chosen = boxes[best // CLASSES]
        centre, half = chosen[:, :2], chosen[:, 2:] / 2
        corners = jnp.concatenate([centre - half, centre + half], axis=1)
        return jax.nn.sigmoid(top), best % CLASSES, corners * SIZE

    return forward


def ndonnx_function() -> Callable[..., Any]:
    import ndonnx as ndx

    def forward(logits, boxes):
        flat = ndx.reshape(logits, (-1,))
        best = ndx.argsort(flat, descending=True)[:KEPT]
        chosen = ndx.take(boxes, best // CLASSES, axis=0)
        centre, half = chosen[:, :2], chosen[:, 2:] / 2
        corners = ndx.concat([centre - half, centre + half], axis=1)
        score = 1 / (1 + ndx.exp(-ndx.take(flat, best)))
        return score, best % CLASSES, corners * ndx.asarray(SIZE)

    return forward


WORKLOAD = Workload(
    "box decoding",
    program,
    INPUTS,
    hand_written,
    {"torch.onnx": torch_module, "jax2onnx": jax_function, "ndonnx": ndonnx_function},
    {"skl2onnx": "no estimator computes this"},
)
