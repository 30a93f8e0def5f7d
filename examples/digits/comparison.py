"""Compare an exported model, run by ONNX Runtime, with the NumPy program it came from."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from .classifier import Floats

    Predict = Callable[[Floats], tuple[Floats, npt.NDArray[np.int64]]]

TOLERANCE = 1e-5
"""Largest accepted difference of a probability, absolute."""


class Comparison(NamedTuple):
    """How the two programs differ over all rows, fed in batches of one size.

    Attributes:
        batch: Rows in a batch; the last batch holds what is left.
        rows: Rows compared.
        absolute: Largest absolute difference of a probability.
        relative: Largest difference of a probability, relative to NumPy's.
        labels_equal: Rows whose label is the same.
        numpy_ms: Milliseconds NumPy took for all rows.
        runtime_ms: Milliseconds ONNX Runtime took for all rows.
    """

    batch: int
    rows: int
    absolute: float
    relative: float
    labels_equal: int
    numpy_ms: float
    runtime_ms: float

    @property
    def agrees(self) -> bool:
        """Whether every label is the same and every probability within the tolerance."""
        return self.labels_equal == self.rows and self.absolute <= TOLERANCE


def compare(expected: Predict, actual: Predict, scans: Floats, batch: int) -> Comparison:
    """Feed the scans to both programs in batches and return the largest differences."""
    batches = [scans[start : start + batch] for start in range(0, len(scans), batch)]
    wanted, wanted_labels, numpy_ms = _timed(expected, batches)
    found, found_labels, runtime_ms = _timed(actual, batches)
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        raise TypeError(f"got {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}")
    difference = np.abs(found - wanted)
    return Comparison(
        batch=batch,
        rows=len(scans),
        absolute=float(difference.max()),
        relative=float((difference / wanted).max()),
        labels_equal=int((found_labels == wanted_labels).sum()),
        numpy_ms=numpy_ms,
        runtime_ms=runtime_ms,
    )


def _timed(
    predict: Predict, batches: list[Floats]
) -> tuple[Floats, npt.NDArray[np.int64], float]:
    start = time.perf_counter()
    results = [predict(batch) for batch in batches]
    milliseconds = (time.perf_counter() - start) * 1000
    probabilities, labels = zip(*results, strict=True)
    return np.concatenate(probabilities), np.concatenate(labels), milliseconds
