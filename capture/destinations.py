"""Plain ndarrays that a captured value is to be written into by a ufunc: ``a += t``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.bytecode import is_augmented_assignment
from capture.coerce import lift
from capture.errors import LostWriteError
from capture.location import here, user_frame
from capture.tensor import Tensor

if TYPE_CHECKING:
    from capture.recorder import Recorder


def captured_destinations(recorder: Recorder, name: str, out: Any) -> Any:
    """Return ``out=`` with plain ndarrays as tensors where no write can be lost.

    ``a += t`` gives its result back to the name it came from. So a plain array may enter the
    graph there, provided nobody else holds it: no second name, no view, and no base.

    Raises:
        LostWriteError: An array's owners would not see the write.
    """
    if not isinstance(out, tuple):
        return out
    made = []
    for target in out:
        if is_plain_array(target):
            references = sys.getrefcount(target) - _REFERENCES - recorder.references_to(target)
            if not is_augmented_assignment(user_frame(2)):
                raise _lost(name, target)
            made.append(_entered(recorder, name, target, references))
        else:
            made.append(target)
    return tuple(made)


def is_plain_array(value: Any) -> bool:
    """Whether a value is an ndarray of NumPy's own, which cannot record a write."""
    kind: Any = type(value)  # a tensor answers ``isinstance`` as an ndarray
    return kind is not Tensor and isinstance(value, np.ndarray)


def _entered(recorder: Recorder, name: str, target: Any, references: int) -> Tensor:
    if type(target) is not np.ndarray:
        from capture.interception.lifted import LiftedArray, enter_graph

        tensor = None
        if type(target) is LiftedArray:
            tensor = enter_graph(target, recorder, references)
        if tensor is None:
            raise _lost(name, target)
        return tensor
    if references != 1 or target.base is not None:
        raise _lost(name, target)
    return lift(recorder, target)


def _lost(name: str, target: Any) -> LostWriteError:
    return LostWriteError(
        f"{name}: the result is to be written into a plain ndarray {target.dtype}"
        f"{list(target.shape)}, which cannot record it, and which others may read{here(3)}\n  "
        "ways out: x = x + y instead of x += y or out=x; or make the array inside the scope, "
        "with capture.constant(array) or x.copy()"
    )


class _Probe:
    """Counts the references to ``a`` that the statement ``a += probe`` itself holds."""

    counted = 0

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return self.count(kwargs["out"])

    def count(self, out: Any) -> Any:
        for target in out:
            _Probe.counted = sys.getrefcount(target)
        return None


def _own_references() -> int:
    target: Any = np.zeros(1)
    target += _Probe()
    return _Probe.counted - 1


_REFERENCES = _own_references()
