"""What capture relied on, as an op: the one place where a graph may fail for its sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import Dim, prove_eq
from ir.errors import EvaluationError, ShapeError
from ir.ops.base import ParameterizedOp, expect_operands, parameterized
from ir.shapes import shape_text
from ir.types import TensorType

if TYPE_CHECKING:
    from ir.ops.base import Array


@parameterized
class RequireShape(ParameterizedOp):
    """The operand itself, whose sizes must turn out to be ``shape`` when the graph runs.

    Written where NumPy would accept the sizes or raise, so that what follows can rely on them:
    ``x.reshape(-1, 4)`` of ``n`` elements requires ``(4*(n//4),)``, which is ``n % 4 == 0``.
    """

    name = "require_shape"
    shape: tuple[int | Dim, ...]

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        expect_operands(self, operands, 1)
        (x,) = operands
        if x.rank != len(self.shape) or any(
            prove_eq(given, wanted) is False
            for given, wanted in zip(x.shape, self.shape, strict=True)
        ):
            raise ShapeError(f"require_shape: {x} never is {shape_text(self.shape)}")
        return (TensorType(x.dtype, self.shape),)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (x,) = operands
        if x.shape != self.shape:
            raise EvaluationError(
                f"require_shape: {shape_text(x.shape)} is not {shape_text(self.shape)}"
            )
        return (x,)
