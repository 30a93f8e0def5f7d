"""Functions beyond NumPy's ufuncs that targets have, or that no composition gives well."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ir.errors import DTypeError
from ir.ops.base import Op, expect_operands, register
from ir.types import FLOATING, TensorType

if TYPE_CHECKING:
    from collections.abc import Callable

    from ir.ops.base import Array


class FloatFunction(Op):
    """A function of one float, element by element; computed in double and rounded once."""

    def __init__(self, name: str, function: Callable[[float], float]) -> None:
        self.name = name
        self._function: Any = np.frompyfunc(function, 1, 1)

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        if operands[0].dtype not in FLOATING:
            raise DTypeError(f"{self.name}: takes floats, got {operands[0]}")
        return (operands[0],)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        return (np.asarray(self._function(x.astype(np.float64))).astype(x.dtype),)


erf = register(FloatFunction("erf", math.erf))
erfc = register(FloatFunction("erfc", math.erfc))
