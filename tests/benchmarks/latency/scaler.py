"""A standard scaler and a logistic regression, as saved from scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.latency.workload import Input, Workload, model, node

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

rng = np.random.default_rng(2)
FEATURES, CLASSES = 30, 4
MEAN = rng.uniform(-5, 5, FEATURES).astype(np.float32)
SCALE = rng.uniform(0.5, 3, FEATURES).astype(np.float32)
COEF = rng.standard_normal((CLASSES, FEATURES), np.float32)
INTERCEPT = rng.standard_normal(CLASSES, np.float32)
INPUTS = (
    Input(
        "x",
        ("batch", FEATURES),
        (rng.standard_normal((256, FEATURES)) * SCALE + MEAN).astype(np.float32),
    ),
)


def program(x):
    z = (x - MEAN) / SCALE
    scores = z @ COEF.T + INTERCEPT
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores.argmax(axis=1), e / e.sum(axis=1, keepdims=True)


def hand_written() -> onnx.ModelProto:
    """The scaler goes into the weights, which moves the last bits."""
    weights = (COEF / SCALE).astype(np.float32)
    return model(
        INPUTS,
        {"label": (np.int64, ("batch",)), "probability": (np.float32, ("batch", CLASSES))},
        [
            node("Gemm", "x w b", "scores"),
            node("ArgMax", "scores", "label", axis=1, keepdims=0),
            node("Softmax", "scores", "probability", axis=-1),
        ],
        {"w": weights.T.copy(), "b": INTERCEPT - weights @ MEAN},
    )


def torch_module() -> Any:
    import torch

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mean, self.scale = torch.from_numpy(MEAN), torch.from_numpy(SCALE)
            self.linear = torch.nn.Linear(FEATURES, CLASSES)
            self.linear.weight.data = torch.from_numpy(COEF)
            self.linear.bias.data = torch.from_numpy(INTERCEPT)

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            scores = self.linear((x - self.mean) / self.scale)
            return scores.argmax(1), torch.softmax(scores, 1)

    return Classifier()


def jax_function() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def forward(x):
        scores = ((x - MEAN) / SCALE) @ COEF.T + INTERCEPT
        return jnp.argmax(scores, axis=1), jax.nn.softmax(scores, axis=1)

    return forward


def ndonnx_function() -> Callable[..., Any]:
    import ndonnx as ndx

    def forward(x):
        z = (x - ndx.asarray(MEAN)) / ndx.asarray(SCALE)
        scores = z @ ndx.asarray(COEF.T.copy()) + ndx.asarray(INTERCEPT)
        e = ndx.exp(scores - ndx.max(scores, axis=1, keepdims=True))
        return ndx.argmax(scores, axis=1), e / ndx.sum(e, axis=1, keepdims=True)

    return forward


def sklearn_estimator() -> Any:
    """A pipeline that holds these numbers."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x = INPUTS[0].array
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    pipeline.fit(x, program(x)[0])
    scaler, regression = (step for _, step in pipeline.steps)
    scaler.mean_, scaler.scale_ = MEAN, SCALE
    regression.coef_, regression.intercept_ = COEF, INTERCEPT
    return pipeline


WORKLOAD = Workload(
    "scaler + logistic regression",
    program,
    INPUTS,
    hand_written,
    {
        "torch.onnx": torch_module,
        "jax2onnx": jax_function,
        "ndonnx": ndonnx_function,
        "skl2onnx": sklearn_estimator,
    },
    {},
)
