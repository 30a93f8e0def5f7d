"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx.legality import INT32
from exporters.onnx.lowering import Context, lowers
from ir.ops.linear_algebra import matmul as matmul_op
from ir.types import BOOL

if TYPE_CHECKING:
    from exporters.onnx.term import Term


@lowers(matmul_op)
def matmul(context: Context, a: Term, b: Term) -> Term:
    """ONNX ``MatMul``; bools ask whether any pair holds, which a count answers."""
    if a.dtype == BOOL:
        return context.emitter.node("MatMul", a.to(INT32), b.to(INT32)) > 0
    return context.emitter.apply("MatMul", a, b)
