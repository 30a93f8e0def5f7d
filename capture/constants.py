"""ndarrays that meet tensors: registered once, kept with their data, protected from later writes.

Small arrays are copied at the first meeting and compared at each later one, so that a Python loop
that refills a buffer gives a new constant each time. Larger ones are taken by reference and made
read-only until the scope closes, so that a write that the graph would miss raises in NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ir.equality import arrays_identical
from ir.errors import UnsupportedDTypeError
from ir.ops.shaping import Transpose
from ir.types import supported_dtype, type_of

if TYPE_CHECKING:
    from ir.builder import GraphBuilder

    Array = np.ndarray[Any, Any]

COPY_LIMIT = 64 * 1024
"""Arrays up to this many bytes are copied; larger ones are shared and made read-only."""


class _Entry(NamedTuple):
    owner: Array  # kept alive so that its address is not reused
    value: int
    outside: bool  # whether user code keeps the array beyond this run


def plain_array(array: Array) -> Array:
    """Return ``array`` as a native base-class ndarray of a supported dtype.

    Raises:
        UnsupportedDTypeError: The dtype is refused, or the subclass means more than its numbers.
    """
    if type(array) is not np.ndarray and not isinstance(array, np.memmap):
        if isinstance(array, np.ma.MaskedArray | np.matrix | np.recarray):
            raise UnsupportedDTypeError(
                f"{type(array).__name__} is not captured; pass np.asarray(...) of it"
            )
        array = np.asarray(array)
    dtype = supported_dtype(array.dtype)
    return array if array.dtype is dtype else array.astype(dtype, copy=False)


def _axis_order(array: Array) -> tuple[int, ...] | None:
    """Return the permutation that makes a merely transposed array C-contiguous."""
    order = tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))
    if array.size > 1 and array.transpose(order).flags.c_contiguous:
        return order
    return None


class ConstantPool:
    """Constants of one graph by address and layout, and scalars by value."""

    __slots__ = ("_arrays", "_builder", "_frozen", "_scalars")

    def __init__(self, builder: GraphBuilder) -> None:
        self._builder = builder
        self._arrays: dict[Any, _Entry] = {}
        self._scalars: dict[tuple[np.dtype[Any], bytes], int] = {}
        self._frozen: list[Array] = []

    def scalar(self, value: Any, dtype: np.dtype[Any]) -> int:
        """Return the 0-d constant of ``value`` in ``dtype``.

        Raises:
            OverflowError: A Python int does not fit (NumPy's own message).
        """
        with np.errstate(all="ignore"):
            array = np.array(value, dtype)
        key = (dtype, array.tobytes())
        index = self._scalars.get(key)
        if index is None:
            index = self._scalars[key] = self._builder.add_value(type_of(array), None, array)
        return index

    def array(self, given: Array, name: str | None = None, *, copy: bool | None = None) -> int:
        """Return the constant of an ndarray; a transposed view shares its base's data.

        Args:
            given: Any array of a supported dtype.
            name: A hint for printers and exporters.
            copy: Force (or forbid) taking a private copy; by size when left out.

        Raises:
            UnsupportedDTypeError: See :func:`plain_array`.
        """
        array = plain_array(given)
        if array.ndim == 0:
            return self.scalar(array, array.dtype)
        if array.ndim > 1 and not array.flags.c_contiguous:
            order = _axis_order(array)
            if order is not None:
                base = self._register(array.transpose(order), given, name, copy)
                back = tuple(int(axis) for axis in np.argsort(order))
                return self._builder.append(Transpose(axes=back), (base,))
        return self._register(array, given, name, copy)

    def _register(
        self, array: Array, given: Array, name: str | None, copy: bool | None
    ) -> int:
        key = (
            array.__array_interface__["data"][0],
            array.shape,
            array.strides,
            array.dtype,
        )
        entry = self._arrays.get(key)
        if entry is not None and self._unchanged(entry, array):
            if self._is_shared(entry, array):
                self._freeze(given)
            return entry.value
        if copy is None:
            copy = array.nbytes <= COPY_LIMIT
        data = array
        if copy or not array.flags.c_contiguous:
            data = np.array(array, order="C", copy=True)
        elif array.flags.writeable and not isinstance(array, np.memmap):
            self._freeze(array)
            self._freeze(given)  # a stand-in for the array has a flag of its own
        index = self._builder.add_value(type_of(array), name, data)
        self._arrays[key] = _Entry(array, index, _is_stand_in(given))
        return index

    def _is_shared(self, entry: _Entry, array: Array) -> bool:
        kept = self._builder.data[entry.value]
        address: int = array.__array_interface__["data"][0]
        return bool(kept.__array_interface__["data"][0] == address)

    def _unchanged(self, entry: _Entry, array: Array) -> bool:
        kept = self._builder.data[entry.value]
        return self._is_shared(entry, array) or arrays_identical(kept, array)

    def written_after_reading(self) -> list[Array]:
        """Return what the graph keeps of outside arrays that have other contents by now."""
        entries = [entry for entry in self._arrays.values() if entry.outside]
        return [
            self._builder.data[entry.value]
            for entry in entries
            if not self._unchanged(entry, entry.owner)
        ]

    def _freeze(self, array: Array) -> None:
        layer: Any = array
        while isinstance(layer, np.ndarray) and layer.flags.writeable:
            layer.flags.writeable = False
            self._frozen.append(layer)
            layer = layer.base

    def held(self) -> list[Array]:
        """Return the arrays of the user that are kept alive here."""
        return [*(entry.owner for entry in self._arrays.values()), *self._frozen]

    def release(self) -> None:
        """Make writeable again what was frozen, and let go of the arrays' owners."""
        for layer in sorted(self._frozen, key=_depth):
            layer.flags.writeable = True  # bases first: a view may be only if its base is
        self._frozen.clear()
        self._arrays.clear()


def _depth(array: Array) -> int:
    """Return over how many other arrays an array is a view."""
    depth = 0
    while isinstance(array.base, np.ndarray):
        array, depth = array.base, depth + 1
    return depth


def _is_stand_in(given: Array) -> bool:
    """Whether an array stands for one that modules, objects or closures of the user hold."""
    if type(given) is np.ndarray:
        return False
    from capture.interception.lifted import LiftedArray

    return isinstance(given, LiftedArray)
