"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ir.dims import prove_eq
from ir.errors import DTypeError, ShapeError
from ir.ops.base import Op, expect_operands, register
from ir.shapes import broadcast
from ir.types import TensorType

if TYPE_CHECKING:
    from ir.ops.base import Array


class MatMul(Op):
    """Matrix product over the last two axes, leading axes broadcast (``numpy.matmul``).

    Operands have rank 2 or more; capture adds and removes the axes of vectors.
    """

    name = "matmul"

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 2)
        a, b = operands
        if a.dtype != b.dtype:
            raise DTypeError(f"matmul: dtypes differ: {a} @ {b}")
        if a.rank < 2 or b.rank < 2:
            raise ShapeError(f"matmul: operands need two axes or more: {a} @ {b}")
        inner, other = a.shape[-1], b.shape[-2]
        if inner != other and not prove_eq(inner, other):
            raise ShapeError(
                f"matmul: inner dimensions differ: {a} @ {b} ({inner} and {other})"
            )
        batch = broadcast(a.shape[:-2], b.shape[:-2])
        return (TensorType(a.dtype, (*batch, a.shape[-2], b.shape[-1])),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        # of bfloat16 NumPy's loop gives float32
        return (np.matmul(*operands).astype(operands[0].dtype, copy=False),)


matmul = register(MatMul())
