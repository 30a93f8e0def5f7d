"""Ufuncs called on plain lists of captured values: ``np.maximum.reduce([a, b])``.

NumPy asks arguments for ``__array_ufunc__``, not what is inside lists. User code sees these
stand-ins, which answer as the ufunc does in every other respect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import find_recorder, lift
from capture.operators import fast_ufunc
from capture.symbolic import SYMBOLIC_NUMBERS
from capture.tensor import Tensor
from capture.ufuncs import array_ufunc

if TYPE_CHECKING:
    from collections.abc import Callable

_PROTOCOL = (Tensor, *SYMBOLIC_NUMBERS)


class UfuncProxy:
    """A ufunc that also looks into lists.

    Args:
        ufunc: The ufunc stood for; equal to the proxy and of the same hash.
    """

    __slots__ = ("__dict__", "__wrapped__", "nin")

    def __init__(self, ufunc: np.ufunc) -> None:
        self.__wrapped__ = ufunc
        self.nin = ufunc.nin
        self.__dict__["__name__"] = ufunc.__name__
        self.__dict__["__doc__"] = ufunc.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the ufunc."""
        if not kwargs and len(args) == self.nin and type(args[0]) is Tensor and len(args) <= 2:
            made = fast_ufunc(args[0], self.__wrapped__, args)
            if made is not None:
                return made
        if list in map(type, args) or tuple in map(type, args):
            args = tuple(map(_lifted, args))
        return self.__wrapped__(*args, **kwargs)

    def at(self, a: Any, indices: Any, *b: Any) -> Any:
        """Same as ``ufunc.at``; a tuple of captured indices stays a tuple."""
        recorder = find_recorder((a, indices, *b))
        if recorder is None:
            return self.__wrapped__.at(a, indices, *b)
        return array_ufunc(recorder, self.__wrapped__, "at", (a, indices, *b), {})

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.ufunc

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __eq__(self, other: object) -> bool:
        if type(other) is UfuncProxy:
            return self.__wrapped__ is other.__wrapped__
        return self.__wrapped__ is other

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _itself, (self.__wrapped__,)


def _itself(ufunc: np.ufunc) -> np.ufunc:
    """Return the ufunc: what a pickled stand-in is restored to."""
    return ufunc


def _lifted(value: Any) -> Any:
    """Return a list that holds something captured as a tensor."""
    if type(value) in _PROTOCOL or not isinstance(value, list | tuple):
        return value
    recorder = find_recorder(value)
    return value if recorder is None else lift(recorder, value)


def _method(name: str) -> Callable[..., Any]:
    def call(self: UfuncProxy, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.__wrapped__, name)(*map(_lifted, args), **kwargs)

    call.__name__ = name
    call.__doc__ = getattr(np.ufunc, name).__doc__
    return call


for _name in ("accumulate", "outer", "reduce", "reduceat"):
    setattr(UfuncProxy, _name, _method(_name))
