"""Every lowering: the operators that an op simply is, and the modules with the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exporters.onnx import (
    elementwise_arithmetic,
    elementwise_logic,
    floating_division,
    floating_error,
    floating_exponential,
    floating_hyperbolic,
    floating_trigonometric,
    indexing,
    integer_division,
    integer_powers,
    linear_algebra,
    nesting,
    randomness,
    reduction,
    requirements,
    running,
    shaping,
    sorting,
    windows,
)
from exporters.onnx.lowering import LOWERINGS, Context, Lowering
from exporters.onnx.models import lowering as models
from ir.ops import elementwise as ew
from ir.ops.linear_algebra import matmul

if TYPE_CHECKING:
    from exporters.onnx.term import Term
    from ir.ops.base import Op

ONE_TO_ONE: dict[Op, str] = {
    ew.add: "Add",
    ew.subtract: "Sub",
    ew.multiply: "Mul",
    ew.divide: "Div",
    ew.negative: "Neg",
    ew.absolute: "Abs",
    ew.fabs: "Abs",
    ew.sign: "Sign",
    ew.power: "Pow",
    ew.float_power: "Pow",
    ew.reciprocal: "Reciprocal",
    ew.sqrt: "Sqrt",
    ew.exp: "Exp",
    ew.log: "Log",
    ew.sin: "Sin",
    ew.cos: "Cos",
    ew.tan: "Tan",
    ew.arcsin: "Asin",
    ew.arccos: "Acos",
    ew.arctan: "Atan",
    ew.sinh: "Sinh",
    ew.cosh: "Cosh",
    ew.tanh: "Tanh",
    ew.arcsinh: "Asinh",
    ew.arccosh: "Acosh",
    ew.arctanh: "Atanh",
    ew.floor: "Floor",
    ew.ceil: "Ceil",
    ew.rint: "Round",
    ew.maximum: "Max",
    ew.minimum: "Min",
    ew.equal: "Equal",
    ew.less: "Less",
    ew.less_equal: "LessOrEqual",
    ew.greater: "Greater",
    ew.greater_equal: "GreaterOrEqual",
    ew.logical_and: "And",
    ew.logical_or: "Or",
    ew.logical_xor: "Xor",
    ew.logical_not: "Not",
    ew.bitwise_and: "BitwiseAnd",
    ew.bitwise_or: "BitwiseOr",
    ew.bitwise_xor: "BitwiseXor",
    ew.invert: "BitwiseNot",
    ew.isnan: "IsNaN",
    ew.isinf: "IsInf",
    matmul: "MatMul",
}
"""Ops that are one ONNX operator wherever that runs in the dtype."""

COMPARISONS = frozenset(("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"))
"""Operators whose op also takes int64 with uint64, for which ONNX has no form."""

FAMILIES = (
    elementwise_arithmetic,
    elementwise_logic,
    integer_division,
    integer_powers,
    floating_division,
    floating_error,
    floating_exponential,
    floating_trigonometric,
    floating_hyperbolic,
    reduction,
    running,
    requirements,
    shaping,
    windows,
    indexing,
    sorting,
    linear_algebra,
    nesting,
    randomness,
    models,
)
"""The modules whose rules :func:`exporters.onnx.lowering.lowers` has collected."""


def _through_carrier(context: Context, *operands: Term) -> Term:
    return context.emitter.apply(ONE_TO_ONE[context.node.op], *operands)


for _op in ONE_TO_ONE:
    LOWERINGS.setdefault(_op, Lowering(_through_carrier, 17))
