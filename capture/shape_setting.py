"""``x.shape = (2, 3)``: the array itself gets another shape, where no copy is needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from capture.errors import AliasingError
from capture.location import here
from capture.views import View

if TYPE_CHECKING:
    from capture.tensor import Tensor


def set_shape(tensor: Tensor, shape: Any) -> None:
    """Give a tensor another shape in place.

    Views of it are recorded relative to its shape, so there must be none.

    Raises:
        AttributeError: NumPy would need a copy (its own error type).
        AliasingError: Something else refers to the tensor, perhaps a view.
    """
    if sys.getrefcount(tensor) - _REFERENCES > 1:
        raise AliasingError(
            f"shape: {tensor._type} may have views or other names, which setting the shape in "
            f"place would disturb{here(2)}\n  ways out: x = x.reshape(shape)"
        )
    before = type(tensor)(tensor._recorder, tensor._read(), tensor._type, tensor._state)
    after = before.reshape(shape)
    state = after._state
    if type(state) is not View or not state.settled:
        raise AttributeError(
            f"shape: incompatible shape for in-place modification of {tensor._type}; use "
            f".reshape() to make a copy with the desired shape{here(2)}"
        )
    tensor._value, tensor._type, tensor._state = after._value, after._type, state


class _Probe:
    """Counts the references that the statement ``x.shape = s`` itself holds."""

    counted = 0

    @property
    def shape(self) -> Any:
        """Nothing."""
        return None

    @shape.setter
    def shape(self, shape: Any) -> None:
        self.count(self, shape)

    @staticmethod
    def count(probe: _Probe, shape: Any) -> None:
        _Probe.counted = sys.getrefcount(probe)


def _own_references() -> int:
    probe = _Probe()
    probe.shape = ()
    return _Probe.counted - 1


_REFERENCES = _own_references()
