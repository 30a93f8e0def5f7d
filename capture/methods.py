"""ndarray methods: each is the handler of the NumPy function of the same meaning."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.concrete import as_subclass
from capture.errors import UnsupportedError
from capture.functions.registry import HANDLERS
from capture.location import here
from capture.users_line import rename_call, telling

if TYPE_CHECKING:
    from collections.abc import Callable


def method(function: Any) -> Callable[..., Any]:
    """Return the method that calls the handler of ``function`` with the tensor first."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        handler = HANDLERS[function]
        try:
            return handler(self, *args, **kwargs)
        except TypeError as error:
            rename_call(error, handler, function.__name__)
            raise

    call.__name__ = function.__name__
    call.__doc__ = f"Same as :func:`numpy.{function.__name__}` of this array."
    return call


@telling
class ArrayMethods:
    """Mixin: the methods of ndarray that are NumPy functions with the array first."""

    __slots__ = ()

    all = method(np.all)
    any = method(np.any)
    argmax = method(np.argmax)
    argmin = method(np.argmin)
    argpartition = method(np.argpartition)
    argsort = method(np.argsort)
    choose = method(np.choose)
    clip = method(np.clip)
    cumprod = method(np.cumprod)
    cumsum = method(np.cumsum)
    diagonal = method(np.diagonal)
    dot = method(np.dot)
    max = method(np.max)
    mean = method(np.mean)
    min = method(np.min)
    nonzero = method(np.nonzero)
    prod = method(np.prod)
    put = method(np.put)
    repeat = method(np.repeat)
    round = method(np.round)
    searchsorted = method(np.searchsorted)
    squeeze = method(np.squeeze)
    std = method(np.std)
    sum = method(np.sum)
    swapaxes = method(np.swapaxes)
    take = method(np.take)
    trace = method(np.trace)
    var = method(np.var)

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Any:
        """Return the elements under another shape: ``x.reshape(2, 3)`` or ``x.reshape((2, 3))``."""
        wanted = shape[0] if len(shape) == 1 else shape
        return HANDLERS[np.reshape](self, wanted, order=order, copy=copy)

    def transpose(self, *axes: Any) -> Any:
        """Return the axes in another order, reversed when none is given."""
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return HANDLERS[np.transpose](self, given)

    @property
    def T(self) -> Any:
        """The axes reversed."""
        return HANDLERS[np.transpose](self)

    @property
    def mT(self) -> Any:
        """The last two axes exchanged."""
        return HANDLERS[np.matrix_transpose](self)

    def ravel(self, order: str = "C") -> Any:
        """Return the elements as one axis, a view where NumPy gives one."""
        return HANDLERS[np.ravel](self, order=order)

    def flatten(self, order: str = "C") -> Any:
        """Return a copy of the elements as one axis."""
        return HANDLERS[np.ravel](self, order=order).copy()

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """Return the array in another dtype."""
        return HANDLERS[np.astype](self, dtype, copy=copy, casting=casting)

    def copy(self, order: str = "C") -> Any:
        """Return an array with storage of its own."""
        return HANDLERS[np.copy](self, order=order)

    def conj(self) -> Any:
        """Return the array itself: captured dtypes are real."""
        return self

    conjugate = conj

    def compress(self, condition: Any, axis: Any = None, out: Any = None) -> Any:
        """Return slices along an axis where ``condition`` holds."""
        return HANDLERS[np.compress](condition, self, axis=axis, out=out)

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        """Return a view of the same dtype, or a known value as a subclass of ndarray.

        The bytes of another dtype are not captured.
        """
        subclass = dtype if isinstance(dtype, builtins.type) else type
        if isinstance(subclass, builtins.type) and issubclass(subclass, np.ndarray):
            return as_subclass(self, subclass)
        if type is not None or (dtype is not None and np.dtype(dtype) != self.dtype):  # type: ignore[attr-defined]
            raise UnsupportedError(
                f"view: reading the bytes of an array as {dtype or type} is not captured{here()}"
                "\n  ways out: astype(dtype) converts values; x.view() shares them"
            )
        return self[...]  # type: ignore[index]

    def resize(self, *new_shape: Any, refcheck: bool = True) -> None:
        """Refuse: a tensor cannot change its shape in place."""
        raise UnsupportedError(
            f"resize: changing the shape of an array in place is not captured{here()}"
            "\n  ways out: x = np.resize(x, shape) repeats the elements; np.pad(x, widths) fills "
            "with zeros, as the method does"
        )

    def fill(self, value: Any) -> None:
        """Set every element to ``value``."""
        self[...] = value  # type: ignore[index]

    def sort(
        self, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None
    ) -> None:
        """Sort the elements along an axis, in place."""
        from capture.functions.sorting import sort_in_place

        sort_in_place(self, axis, kind, order, stable=stable)

    def partition(
        self, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None
    ) -> None:
        """Partition the elements along an axis, in place: here they are sorted."""
        from capture.functions.sorting import partition_in_place

        partition_in_place(self, kth, axis, kind, order)
