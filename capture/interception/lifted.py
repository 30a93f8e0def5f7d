"""Module-level arrays that meet a captured value on the wrong side: ``TABLE[t]``, ``W.dot(t)``.

NumPy offers no protocol there, so while a scope is open such arrays are seen as a subclass that
answers captured arguments and is a plain ndarray, over the same memory, for everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import find_recorder
from capture.errors import LostWriteError
from capture.location import here

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.tensor import Tensor


class LiftedArray(np.ndarray[Any, Any]):
    """An ndarray view that becomes a constant of the graph where it meets a captured value."""

    def _constant(self, *others: Any) -> Tensor | None:
        recorder = find_recorder(*others)
        if recorder is None:
            return None
        from capture.interception.creation import tracked

        return tracked(recorder, self.view(np.ndarray))  # type: ignore[no-any-return]

    def __getitem__(self, key: Any) -> Any:
        constant = self._constant(key) if not isinstance(key, int | slice) else None
        if constant is not None:
            return constant[key]
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if find_recorder(key, value) is not None:
            raise LostWriteError(
                "setitem: the destination is an array made outside the scope, which cannot record "
                f"the write{here()}\n  ways out: copy it inside the scope first (x = x.copy()), "
                "or make it with capture.constant(array)"
            )
        super().__setitem__(key, value)

    def copy(self, order: Any = "C") -> Any:
        """Return a copy: captured inside a scope, so that it can be written to."""
        recorder = creating_recorder()
        if recorder is None:
            return self.view(np.ndarray).copy(order)
        from capture.interception.creation import tracked

        return tracked(recorder, self.view(np.ndarray)).copy(order)

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()


def _method(name: str) -> Callable[..., Any]:
    original = getattr(np.ndarray, name)

    def call(self: LiftedArray, *args: Any, **kwargs: Any) -> Any:
        constant = self._constant(args, kwargs)
        if constant is None:
            return original(self.view(np.ndarray), *args, **kwargs)
        return getattr(constant, name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = original.__doc__
    return call


for _name in ("dot", "take", "choose", "searchsorted", "repeat", "compress", "clip"):
    setattr(LiftedArray, _name, _method(_name))
