"""The 1,797 scanned handwritten digits that ship inside scikit-learn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits

HELD_OUT = 597


class Scans(NamedTuple):
    """Scans with the digit that each shows.

    Attributes:
        pixels: ``f32[rows, 64]``, grey levels 0 to 16 of 8×8 pictures.
        labels: ``i64[rows]``, 0 to 9.
    """

    pixels: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]


def load_scans(seed: int = 0) -> tuple[Scans, Scans]:
    """Return the scans to learn from and the held-out scans, shuffled by ``seed``."""
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.data))
    pixels = digits.data[order].astype(np.float32)
    labels = digits.target[order].astype(np.int64)
    return Scans(pixels[HELD_OUT:], labels[HELD_OUT:]), Scans(
        pixels[:HELD_OUT], labels[:HELD_OUT]
    )
