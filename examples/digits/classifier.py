"""A small neural network written in plain NumPy: its use and its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .data import Scans

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Classifier:
    """Standardise, dense layer with relu, dense layer with softmax.

    Attributes:
        mean: Mean of each pixel over the scans learned from.
        scale: Spread of each pixel, never zero.
        w1: Weights of the hidden layer.
        b1: Biases of the hidden layer.
        w2: Weights of the output layer.
        b2: Biases of the output layer.
    """

    mean: Floats
    scale: Floats
    w1: Floats
    b1: Floats
    w2: Floats
    b2: Floats

    def predict(self, scans: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Return each row's probabilities of the ten digits and its most likely digit."""
        standard = (scans - self.mean) / self.scale
        hidden = np.maximum(standard @ self.w1 + self.b1, 0)
        logits = hidden @ self.w2 + self.b2
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = powers / powers.sum(axis=1, keepdims=True)
        return probabilities, np.argmax(probabilities, axis=1)


class Epoch(NamedTuple):
    """Where training stands after one pass over the scans."""

    number: int
    loss: float
    classifier: Classifier


def train(
    scans: Scans, epochs: int = 120, hidden: int = 48, batch: int = 50, seed: int = 0
) -> Iterator[Epoch]:
    """Train with stochastic gradient descent, momentum and weight decay; yield each epoch."""
    rng = np.random.default_rng(seed)
    mean = scans.pixels.mean(axis=0)
    scale = scans.pixels.std(axis=0) + np.float32(1)  # some border pixels are always blank
    pixels = (scans.pixels - mean) / scale
    wanted = np.eye(10, dtype=np.float32)[scans.labels]
    weights = [
        rng.normal(0, (2 / 64) ** 0.5, (64, hidden)).astype(np.float32),
        np.zeros(hidden, np.float32),
        rng.normal(0, (2 / hidden) ** 0.5, (hidden, 10)).astype(np.float32),
        np.zeros(10, np.float32),
    ]
    speeds = [np.zeros_like(weight) for weight in weights]
    for number in range(epochs):
        losses = []
        for rows in np.array_split(rng.permutation(len(pixels)), len(pixels) // batch):
            loss, slopes = _loss_and_slopes(weights, pixels[rows], wanted[rows])
            losses.append(loss)
            for weight, speed, slope in zip(weights, speeds, slopes, strict=True):
                speed *= 0.9
                speed -= 0.02 * (slope + 1e-3 * weight)
                weight += speed
        yield Epoch(number, float(np.mean(losses)), _frozen(mean, scale, *weights))


def _loss_and_slopes(
    weights: list[Floats], pixels: Floats, wanted: Floats
) -> tuple[float, list[Floats]]:
    """Return the mean cross-entropy and its derivative by each weight array."""
    w1, b1, w2, b2 = weights
    hidden = np.maximum(pixels @ w1 + b1, 0)
    logits = hidden @ w2 + b2
    logits -= logits.max(axis=1, keepdims=True)
    totals = np.exp(logits).sum(axis=1, keepdims=True)
    error = (np.exp(logits) / totals - wanted) / np.float32(len(pixels))
    back = (error @ w2.T) * (hidden > 0)
    loss = float((np.log(totals) - (logits * wanted).sum(axis=1, keepdims=True)).mean())
    return loss, [pixels.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)]


def _frozen(*arrays: Floats) -> Classifier:
    return Classifier(*(array.copy() for array in arrays))
