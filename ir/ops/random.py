"""Draws made anew each time the graph runs: not pure, so never merged or folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ir.dims import Dim
from ir.errors import DTypeError
from ir.ops.base import ParameterizedOp, expect_operands, parameterized
from ir.types import BFLOAT16, BOOL, FLOATING, INT64, TensorType

if TYPE_CHECKING:
    from ir.ops.base import Array


def _generator() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64())


class RandomOp(ParameterizedOp):
    """A draw without operands, of a given shape and dtype."""

    pure = False
    shape: tuple[int | Dim, ...]
    dtype: np.dtype[Any]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 0)
        if self.dtype not in FLOATING or self.dtype == BFLOAT16:
            raise DTypeError(
                f"{self.name}: draws float16, float32 or float64, not {self.dtype}"
            )
        return (TensorType(self.dtype, self.shape),)


@parameterized
class RandomUniform(RandomOp):
    """Uniform draws from ``[low, high)`` (``numpy.random.Generator.uniform``)."""

    name = "random_uniform"
    shape: tuple[int | Dim, ...]
    dtype: np.dtype[Any]
    low: float = 0.0
    high: float = 1.0

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        drawn = _generator().uniform(self.low, self.high, self.shape)  # type: ignore[arg-type]
        return (np.asarray(drawn).astype(self.dtype),)


@parameterized
class RandomNormal(RandomOp):
    """Normal draws (``numpy.random.Generator.normal``)."""

    name = "random_normal"
    shape: tuple[int | Dim, ...]
    dtype: np.dtype[Any]
    mean: float = 0.0
    scale: float = 1.0

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        drawn = _generator().normal(self.mean, self.scale, self.shape)  # type: ignore[arg-type]
        return (np.asarray(drawn).astype(self.dtype),)


@parameterized
class RandomIntegers(ParameterizedOp):
    """Uniform int64 draws from ``[low, high)`` (``numpy.random.Generator.integers``)."""

    name = "random_integers"
    pure = False
    shape: tuple[int | Dim, ...]
    low: int
    high: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 0)
        return (TensorType(INT64, self.shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        drawn = _generator().integers(self.low, self.high, self.shape)  # type: ignore[arg-type]
        return (np.asarray(drawn),)


@parameterized
class Bernoulli(ParameterizedOp):
    """True with the probability that the operand gives, element by element."""

    name = "bernoulli"
    pure = False

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (probability,) = operands
        if probability.dtype not in FLOATING or probability.dtype == BFLOAT16:
            raise DTypeError(f"bernoulli: probabilities must be floats, got {probability}")
        return (TensorType(BOOL, probability.shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (probability,) = operands
        return (_generator().random(probability.shape) < probability,)
