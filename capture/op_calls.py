"""Ops called on captured operands, by their own ``__call__``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import lift
from capture.location import here
from capture.requiring import of_shape
from capture.tensor import Tensor
from ir.dims import Dim
from ir.errors import IRError, ShapeError
from ir.shapes import shape_text

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from ir.dims import Shape
    from ir.ops import Op
    from ir.ops.base import Application


def record_op(recorder: Recorder, op: Op, operands: tuple[Any, ...]) -> Any:
    """Record an op on tensors and arrays; return one tensor or a tuple.

    Raises:
        ScopeError: An operand belongs to another scope.
        IRError: The op does not take the operands.
    """
    tensors = [lift(recorder, operand) for operand in operands]
    application = _application(recorder, op, tensors)
    if application is None:
        return recorder.apply(op, *tensors)
    for tensor, given, hint in zip(tensors, operands, application.names, strict=False):
        if hint and issubclass(type(given), np.ndarray):  # tensors only say that they are
            recorder.builder.names.setdefault(tensor._value, hint)
    ready = [
        _required(op, tensor, shape)
        for tensor, shape in zip(tensors, application.operands, strict=True)
    ]
    made = recorder.apply(application.op, *ready)
    results = made if isinstance(made, tuple) else (made,)
    relied = tuple(
        _required(op, result, shape)
        for result, shape in zip(results, application.results, strict=True)
    )
    return relied if isinstance(made, tuple) else relied[0]


def _application(recorder: Recorder, op: Op, tensors: list[Tensor]) -> Application | None:
    """Ask the op how it is recorded, naming the user's line where it refuses."""
    types = tuple(tensor._type for tensor in tensors)
    try:
        return op.applied_to(types, lambda stem: Dim(recorder.fresh_symbol(stem)))
    except IRError as error:
        at = here()
        if at:
            error.add_note(at.strip("\n"))
        raise


def _required(op: Op, tensor: Tensor, shape: Shape) -> Tensor:
    required = of_shape(tensor, shape)
    if required is None:
        raise ShapeError(f"{op.name}: {tensor._type} never is {shape_text(shape)}{here()}")
    return required
