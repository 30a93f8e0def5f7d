"""Arrays of user code that meet a captured value on the wrong side: ``TABLE[t]``.

NumPy offers no protocol there, nor in ``W.dot(t)``. So while a scope is open such arrays are
seen as a subclass that answers captured arguments and is a plain ndarray, over the same
memory, for everything else.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import find_recorder
from capture.errors import LostWriteError
from capture.interception.callers import creating_recorder
from capture.location import here

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder
    from capture.tensor import Tensor


_SHARED = (
    "\n  ways out: a graph shares large arrays until its scope closes, so they cannot be written "
    "to meanwhile: x = x.copy() before writing, or capture.constant(x, copy=True)"
)


class LiftedArray(np.ndarray[Any, Any]):
    """An ndarray view that becomes a constant of the graph where it meets a captured value."""

    def _constant(self, recorder: Recorder) -> Tensor:
        from capture.interception.replacing import tracked

        return tracked(recorder, self)  # type: ignore[no-any-return]

    def __getitem__(self, key: Any) -> Any:
        if type(key) is not int:
            recorder = find_recorder((key,))
            if recorder is not None:
                return self._constant(recorder)[key]
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        recorder = find_recorder((key, value))
        if recorder is None:
            try:
                super().__setitem__(key, value)
            except ValueError as error:
                if not self.flags.writeable:
                    error.add_note(f"{here()}{_SHARED}".strip("\n"))
                raise
            return
        holders = sys.getrefcount(self) - _WRITE_REFERENCES
        tensor = enter_graph(self, recorder, holders)
        if tensor is None:
            raise lost_write("setitem")
        tensor[key] = value

    def copy(self, order: Any = "C") -> Any:
        """Return a copy: captured inside a scope, so that it can be written to."""
        recorder = creating_recorder()
        if recorder is None:
            return self.view(np.ndarray).copy(order)
        return self._constant(recorder).copy(order)

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()


def lost_write(operation: str) -> LostWriteError:
    """Return the error for a captured value written into an array that cannot record it."""
    return LostWriteError(
        f"{operation}: the destination is an array made outside the scope, which cannot "
        f"record the write{here(2)}\n  ways out: copy it inside the scope first "
        "(x = x.copy()), or make it with capture.constant(array)"
    )


def enter_graph(array: LiftedArray, recorder: Recorder, holders: int) -> Tensor | None:
    """Turn an array that user objects hold into a tensor that they hold, until the scope ends.

    This is how a cache or a state kept in an object is written to. Sound only where nobody
    else can see the array: no local variable, no view, no other array over its memory.

    Args:
        array: The stand-in that is written to.
        recorder: Where to record.
        holders: References to ``array`` from elsewhere than the writing expression.

    Returns:
        The tensor, or ``None`` where the write would be lost for somebody.
    """
    from capture.interception.modules import REWRITING

    places = REWRITING.places_of(array, recorder)
    if not places or holders != len(places) + REWRITING.references_to(array):
        return None
    tensor = array._constant(recorder)
    REWRITING.exchange(array, tensor)
    return tensor


def _method(name: str) -> Callable[..., Any]:
    original = getattr(np.ndarray, name)

    def call(self: LiftedArray, *args: Any, **kwargs: Any) -> Any:
        recorder = find_recorder(args, kwargs)
        if recorder is None:
            return original(self.view(np.ndarray), *args, **kwargs)
        return getattr(self._constant(recorder), name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = original.__doc__
    return call


for _name in ("dot", "take", "choose", "searchsorted", "repeat", "compress", "clip"):
    setattr(LiftedArray, _name, _method(_name))


class _Probe(LiftedArray):
    """Counts the references that the expression ``holder[name][key] = value`` itself holds."""

    counted = 0

    def __setitem__(self, key: Any, value: Any) -> None:
        _Probe.counted = sys.getrefcount(self)


def _write_references() -> int:
    holder = {"x": np.zeros(1).view(_Probe)}
    holder["x"][0] = 1
    return _Probe.counted - 1


_WRITE_REFERENCES = _write_references()
