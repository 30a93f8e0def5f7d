"""Errors of the IR: one root, each leaf also the builtin a NumPy user expects."""

from __future__ import annotations

import numpy as np

from ir.error_pages import DocumentedError


class IRError(DocumentedError):
    """Root of everything the ``ir`` package raises on purpose."""


class ShapeError(IRError, ValueError):
    """Operand shapes do not fit the op (also a :class:`ValueError`)."""


class AxisError(ShapeError, np.exceptions.AxisError):
    """An axis is outside the operand's rank (also NumPy's own error of that name)."""


class DTypeError(IRError, TypeError):
    """An op has no loop for these dtypes, or the dtype has no place in the IR."""


class UnsupportedDTypeError(DTypeError):
    """The dtype is quantized, ``object``, text, structured or a date: never captured."""


class DimError(IRError, ValueError):
    """A symbolic dimension is malformed, unbound or contradicts its bounds."""


class InvalidGraphError(IRError, ValueError):
    """A graph breaks an invariant of the IR; the message names the node or value."""


class UndefinedValueError(InvalidGraphError):
    """A graph needs a value that is neither input, constant nor computed.

    Attributes:
        index: The value's index in its builder.
    """

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class EvaluationError(IRError, ValueError):
    """The interpreter was given inputs that the graph does not accept."""


class MissingExtraError(IRError, ImportError):
    """What was asked for needs a package that is installed as an extra."""
