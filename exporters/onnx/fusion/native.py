"""Operators of ONNX that are larger than the ops of the IR, as ops of the exporter's own.

They exist only between fusing and writing: a captured graph never holds one. Each says what it
computes with NumPy, so that a fused graph can be checked and interpreted like any other.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

from exporters.onnx.lowering import LOWERINGS, Lowering
from ir.ops.base import ParameterizedOp

if TYPE_CHECKING:
    from collections.abc import Callable

    from exporters.onnx.lowering import Context
    from exporters.onnx.primitives import Attribute
    from exporters.onnx.term import Term
    from ir.types import TensorType


class Native(ParameterizedOp):
    """Base: one ONNX operator whose attributes are the op's fields.

    Attributes:
        operator: The ONNX operator.
        unsigned_zero: Whether its results hold no -0.0.
    """

    operator: ClassVar[str]
    unsigned_zero: ClassVar[bool] = False

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        """Return the first operand's type, which most of these operators keep."""
        return (operands[0],)

    def attributes(self) -> dict[str, Attribute]:
        """Return the attributes to write; fields that are ``None`` stay at their default."""
        return {name: value for name, value in self.parameters.items() if value is not None}

    def write(self, context: Context, *operands: Term) -> Term:
        """Write the node."""
        dtype = context.node.outputs[0].type.dtype
        return context.emitter.node(
            self.operator, *operands, result=dtype, **self.attributes()
        )


NativeClass = TypeVar("NativeClass", bound="type[Native]")


@dataclass_transform(frozen_default=True, eq_default=False)
def native(operator: str, since: int = 17) -> Callable[[NativeClass], NativeClass]:
    """Declare an operator: make the class a frozen dataclass and give it its lowering.

    Args:
        operator: The ONNX operator.
        since: The first opset that has it.
    """

    def declare(cls: NativeClass) -> NativeClass:
        cls.operator = operator
        cls.name = operator.lower()
        dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)
        LOWERINGS[cls] = Lowering(_write, since)
        return cls

    return declare


def _write(context: Context, *operands: Term) -> Any:
    op = context.node.op
    assert isinstance(op, Native)
    return op.write(context, *operands)
