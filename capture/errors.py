"""Errors of capture: one root, each leaf also the builtin a NumPy user expects.

Messages name the operation first, show operands with their types, quote the user's line and end
with a way out. ``docs/errors.md`` has a section for each class.
"""

from __future__ import annotations

from ir.error_pages import DocumentedError


class CaptureError(DocumentedError):
    """Root of everything the ``capture`` package raises on purpose."""


class ScopeError(CaptureError, RuntimeError):
    """An operation came without an active scope, after it closed, or from another scope."""


class AlreadyActiveError(ScopeError):
    """The device has an active scope already; one device records one scope at a time."""


class InvalidDeviceError(CaptureError, TypeError):
    """The device given is no capture device."""


class DeviceMoveError(CaptureError, RuntimeError):
    """A computed tensor was asked to leave its capture device."""


class SeedError(CaptureError, RuntimeError):
    """A seed was set on a capture device or client."""


class RandomnessError(CaptureError, RuntimeError):
    """``np.random`` was used inside a scope, where its draws would be baked silently."""


class AutodiffError(CaptureError, AttributeError):
    """Gradients were asked for; also an :class:`AttributeError`, so ``hasattr`` says no."""


class ConcreteValueError(CaptureError, TypeError):
    """Python asked for the value of something that depends on an input."""


class UnsupportedError(CaptureError, NotImplementedError, TypeError):
    """A NumPy function, method or argument has no captured form."""


class UnsupportedAttributeError(UnsupportedError, AttributeError):
    """An attribute or method of ndarray has no captured form; ``hasattr`` says no."""


class BranchError(CaptureError, TypeError):
    """The branches of a choice return different structures, dtypes or numbers of axes."""


class CarryError(CaptureError, TypeError):
    """A loop's body changes the dtype or the number of axes of what it carries."""


class ControlFlowError(CaptureError, TypeError):
    """A function's own ``if``, ``while`` or ``for`` cannot become part of a graph."""


class UndefinedVariableError(CaptureError, UnboundLocalError):
    """A variable is used that only some paths through a branch or loop define."""


class LeakedTensorError(ScopeError):
    """A tensor made inside a branch or loop body is used outside it."""


class BindingError(CaptureError, ValueError):
    """A cached graph is unknown, or what it is replayed with does not fit it."""


class AliasingError(CaptureError, ValueError):
    """A write whose effect depends on whether a reshape was a view or a copy."""


class ReadOnlyError(CaptureError, ValueError):
    """A write into a read-only view or a NumPy scalar."""


class LostWriteError(CaptureError, TypeError):
    """A captured value was to be written into a plain ndarray, which cannot record it."""


class BoundaryError(CaptureError, ValueError):
    """An input or output declaration does not fit; the subclasses say how."""


class UnknownTensorError(BoundaryError):
    """The declared object is no tensor of this scope."""


class DuplicateBoundaryError(BoundaryError):
    """A tensor or a name was declared twice."""


class UndeclaredInputError(BoundaryError):
    """An output depends on an empty handle that was not declared as an input."""


class InvalidInputError(BoundaryError):
    """A declared input is computed inside the scope, or Python has read its value already."""


class ConsumedOutputError(BoundaryError):
    """A declared output was consumed in place by an operation."""


class DroppedOutputError(BoundaryError):
    """A declared output was released before the scope completed."""
