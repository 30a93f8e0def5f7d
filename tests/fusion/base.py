"""What a sample of a fused form is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from exporters.onnx.legality import Target


@dataclass(frozen=True)
class Fused:
    """A program, and the operators that it has to be written as.

    Attributes:
        function: NumPy code over the arrays.
        arrays: Its inputs; weights are arrays that the function closes over.
        operators: Exactly the operators of the exported model, in any order.
        level: The ``optimize`` that it takes; below it, the fused operators must not appear.
        rule: The rewrite that it proves, by its function's name; ``None`` for a program that
            looks like one and has to stay as it is.
        dynamic: Symbolic axes by input position, then axis, as for ``capture.trace``.
        edges: Whether NaN, infinities and zeros of both signs are tried too.
        opset: The opset to export for.
        target: The target to export for.
        rtol: The relative tolerance, where float32's usual one is too strict.
        atol: The absolute tolerance.
    """

    name: str
    function: Callable[..., Any]
    arrays: tuple[np.ndarray[Any, Any], ...]
    operators: tuple[str, ...]
    rule: str | None
    level: int = 1
    dynamic: dict[int, dict[int, str]] = field(default_factory=dict)
    edges: bool = True
    opset: int = 20
    target: Target = "onnxruntime"
    rtol: float = 1e-5
    atol: float = 1e-6

    def __str__(self) -> str:
        return self.name


def floats(*shape: int, dtype: str = "f4", seed: int = 0) -> np.ndarray[Any, Any]:
    """Return normally distributed numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


EDGES = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e30, 88.0, -104.0)


def with_edges(array: np.ndarray[Any, Any], row: int) -> np.ndarray[Any, Any]:
    """Return an array of floats with one edge value in it, at a place that varies with ``row``."""
    if array.dtype.kind != "f" or not array.size:
        return array
    array = array.copy()
    flat = array.reshape(-1)
    with np.errstate(over="ignore"):
        flat[row % flat.size] = np.array(EDGES[row % len(EDGES)]).astype(array.dtype)
    return array
