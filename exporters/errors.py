"""Errors of the exporters: one root, each leaf also the builtin a NumPy user expects.

The message says ``op: what is wrong: operands with types``, then the user's line, then a hint.
"""

from __future__ import annotations

from ir.exporter import ExportError as ExportError


class UnsupportedLoweringError(ExportError, NotImplementedError):
    """The op has no lowering here, or none that is exact for these operand types."""


class OpsetError(ExportError, ValueError):
    """The asked opset cannot express this; the message says which one can."""


class ModelSizeError(ExportError, ValueError):
    """The model is beyond what one protobuf message holds; use external data."""


class TargetPathError(ExportError, OSError):
    """No file can be written at the path: nothing was written, an older file is whole."""


class ModelError(ExportError, ValueError):
    """An ONNX file is broken, or has parts that no captured value can stand for."""


class VerificationError(ExportError, AssertionError):
    """The exported file does not give the reference's numbers."""
