"""The tensor: what stands in for an array while NumPy code is captured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from capture.concrete import Concretization
from capture.errors import AutodiffError, UnsupportedError
from capture.location import here
from capture.methods import ArrayMethods
from capture.operators import Operators, fast_ufunc
from capture.symbolic import SymbolicInt
from capture.users_line import add_users_line
from capture.views import Owned, View, refresh
from ir.dims import Dim
from ir.shapes import product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture.device import CaptureDevice
    from capture.flat import FlatIterator
    from capture.recorder import Recorder
    from ir.ops import Op
    from ir.types import TensorType

AUTODIFF_MESSAGE = "capture tensors do not support autodiff"


AUTODIFF_NAMES = frozenset(
    (
        *("backward", "detach", "from_inner", "grad", "grad_remove"),
        *("inner", "requires_grad", "requires_grad_"),
    )
)


class Tensor(Operators, ArrayMethods, Concretization):
    """A captured array or NumPy scalar: behaves as one, and records what is done to it.

    Tensors are made by a scope (``scope.input``, ``scope.constant``) and by NumPy functions on
    tensors, never directly. To ``isinstance`` they are ``np.ndarray``, or the dtype's scalar type
    where NumPy would give a scalar; ``type(x)`` is ``Tensor``.
    """

    __slots__ = ("__weakref__", "_born", "_recorder", "_state", "_type", "_value")

    _state: Owned | View | None

    def __init__(
        self,
        recorder: Recorder,
        value: int,
        type: TensorType,
        state: Owned | View | None = None,
    ) -> None:
        self._recorder = recorder
        self._born = recorder.bodies
        self._value = value
        self._type = type
        self._state = state

    def _read(self) -> int:
        """Return the current SSA value, reading a view again if its storage moved."""
        if type(self._state) is View:
            return refresh(self)
        return self._value

    @property
    def is_scalar(self) -> bool:
        """Whether NumPy would give an immutable scalar rather than an array here."""
        return self._state is None and not self._type.shape

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        if self._recorder.closed:
            return Tensor
        return self._type.dtype.type if self.is_scalar else np.ndarray

    @property
    def shape(self) -> tuple[Any, ...]:
        """Sizes of the axes; :class:`SymbolicInt` where an axis stays open."""
        shape = self._type.shape
        recorder = self._recorder
        return tuple(
            [SymbolicInt(dim, recorder) if isinstance(dim, Dim) else dim for dim in shape]
        )

    @shape.setter
    def shape(self, shape: Any) -> None:
        from capture.shape_setting import set_shape

        set_shape(self, shape)

    @property
    def flat(self) -> FlatIterator:
        """The elements in C order, to read, to write and to go through."""
        from capture.flat import FlatIterator

        return FlatIterator(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        self.flat[:] = value

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype."""
        return self._type.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._type.shape)

    @property
    def size(self) -> int | SymbolicInt:
        """Number of elements."""
        size = product(self._type.shape)
        return SymbolicInt(size, self._recorder) if isinstance(size, Dim) else size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._type.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def device(self) -> CaptureDevice:
        """The capture device the tensor lives on."""
        return self._recorder.device

    @property
    def base(self) -> Tensor | None:
        """The tensor whose storage this one shares, or ``None`` when it owns its own."""
        return self._state.owner if type(self._state) is View else None

    @property
    def real(self) -> Tensor:
        """The tensor itself: captured dtypes are real."""
        return self

    @property
    def __array_interface__(self) -> NoReturn:
        # NumPy asks for this before __array__; answering AttributeError sends it there
        raise AttributeError("__array_interface__")

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        if not kwargs and method == "__call__":
            made = fast_ufunc(self, ufunc, inputs)
            if made is not None:
                return made
        from capture.ufuncs import array_ufunc

        try:
            return array_ufunc(self._recorder, ufunc, method, inputs, kwargs)
        except Exception as error:
            add_users_line(error)
            raise

    def __array_function__(
        self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        from capture.functions.registry import call_handler

        return call_handler(function, args, kwargs)

    def __capture_record__(self, op: Op, operands: tuple[Any, ...]) -> Any:
        """Record an IR op called on captured operands."""
        from capture.op_calls import record_op

        return record_op(self._recorder, op, operands)

    def __getitem__(self, key: Any) -> Any:
        from capture.access import get_item

        try:
            return get_item(self, key)
        except Exception as error:
            add_users_line(error)
            raise

    def __setitem__(self, key: Any, value: Any) -> None:
        from capture.access import set_item

        if self.is_scalar:
            name = f"numpy.{self._type.dtype.type.__name__}"
            raise TypeError(f"{name!r} object does not support item assignment")
        try:
            set_item(self, key, value)
        except Exception as error:
            add_users_line(error)
            raise

    def __iter__(self) -> Iterator[Any]:
        if not self._type.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[index] for index in range(len(self)))

    def __getattr__(self, name: str) -> NoReturn:
        if name in AUTODIFF_NAMES:
            raise AutodiffError(
                f"{name}: {AUTODIFF_MESSAGE}{here()}\n  ways out: compute gradients outside the "
                "scope, or write the gradient's own NumPy formula inside it"
            )
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        from capture.functions.registry import unsupported_attribute

        raise unsupported_attribute(name, dir(type(self)))

    def to_device(self, device: CaptureDevice, /, *, stream: None = None) -> Tensor:
        """Move an initialised tensor into the active scope of another capture device.

        Raises:
            DeviceMoveError: The tensor is computed.
        """
        from capture.boundaries import move

        return move(self, device)

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise UnsupportedError(
            f"pickle: a tensor lives in its scope only{here()}\n  ways out: pickle arrays before "
            "capture; save the finished graph with JsonExporter"
        )

    def __repr__(self) -> str:
        recorder = self._recorder
        name = recorder.builder.names.get(self._value)
        shown = f" {name!r}" if name else ""
        closed = ", scope closed" if recorder.closed else ""
        return f"<Tensor{shown} {self._type}{closed}>"

    def __str__(self) -> str:
        return repr(self)
