"""Python numbers that are known only when the graph runs.

A loop's counter, or a Python number that a loop carries, is an ``int`` or ``float`` to NumPy:
weak in promotion (``float32_array * i`` stays float32), and never an array. These stand for them.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.errors import UnsupportedError
from capture.location import here
from ir.types import BOOL, INT64

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder
    from capture.tensor import Tensor
    from ir.ops import Op


_FLOAT64 = np.dtype(np.float64)


def operators_of(function: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """Return the forward and the reflected operator of a class with ``_arithmetic``."""

    def forward(self: Any, other: Any) -> Any:
        return self._arithmetic(other, function, False)

    def reflected(self: Any, other: Any) -> Any:
        return self._arithmetic(other, function, True)

    return forward, reflected


class Arithmetic:
    """Mixin: the operators of a number, by its ``_arithmetic(other, function, swap)``."""

    __slots__ = ()

    __add__, __radd__ = operators_of(operator.add)
    __sub__, __rsub__ = operators_of(operator.sub)
    __mul__, __rmul__ = operators_of(operator.mul)
    __truediv__, __rtruediv__ = operators_of(operator.truediv)
    __floordiv__, __rfloordiv__ = operators_of(operator.floordiv)
    __mod__, __rmod__ = operators_of(operator.mod)
    __pow__, __rpow__ = operators_of(operator.pow)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self


class WeakNumber(Arithmetic):
    """A Python number behind a 0-d tensor.

    Args:
        value: Its value, a NumPy scalar of the captured program.
    """

    __slots__ = ("_recorder", "value")

    def __init__(self, value: Tensor) -> None:
        self.value = value
        self._recorder: Recorder = value._recorder

    def tensor(self, dtype: np.dtype[Any] | None = None) -> Tensor:
        """Return the number as a 0-d captured scalar."""
        return self.value if dtype is None else self.value.astype(dtype)

    def _arithmetic(self, other: Any, function: Callable[[Any, Any], Any], swap: bool) -> Any:
        raise NotImplementedError

    def _compare(self, other: Any, function: Callable[[Any, Any], Any]) -> Any:
        if not _is_number(other):
            return NotImplemented
        return function(self.value, _strong(other))

    def __eq__(self, other: object) -> Any:
        return self._compare(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, operator.ne)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, operator.ge)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __neg__(self) -> Any:
        return type(self)(-self.value)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return type(self)(abs(self.value))

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else repr(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.value.__array__(dtype, copy)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        from capture.ufuncs import array_ufunc

        return array_ufunc(self._recorder, ufunc, method, inputs, kwargs)

    def __array_function__(
        self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        from capture.functions.registry import call_handler

        return call_handler(function, args, kwargs)

    def __capture_record__(self, op: Op, operands: tuple[Any, ...]) -> Any:
        """Record an IR op called on captured operands."""
        return self.value.__capture_record__(op, operands)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.value._type}>"


_WHOLE = (
    "\n  ways out: round(value) or math.floor(value), which stay captured\n"
    "            whole numbers all the way, as n * 4 // 5"
)


class SymbolicFloat(WeakNumber):
    """A Python float that is known only when the graph runs: f64[] behind it."""

    __slots__ = ()

    def _arithmetic(self, other: Any, function: Callable[[Any, Any], Any], swap: bool) -> Any:
        if not _is_number(other):
            return NotImplemented
        other = _strong(other, _FLOAT64)
        return SymbolicFloat(
            function(other, self.value) if swap else function(self.value, other)
        )

    def __int__(self) -> int:
        from capture.concrete import concrete_array

        return int(concrete_array(self.value, "int()", _WHOLE)[()])

    def __round__(self, ndigits: int | None = None) -> Any:
        if ndigits is None:
            nearest: Any = np.rint(self.value)
            return WeakInt(nearest.astype(INT64))
        return round(float(self), ndigits)  # of decimal digits, which NumPy only approximates


class WeakInt(WeakNumber):
    """A Python int that is known only when the graph runs: i64[] behind it, which wraps around."""

    __slots__ = ()

    def _arithmetic(self, other: Any, function: Callable[[Any, Any], Any], swap: bool) -> Any:
        if not _is_number(other):
            return NotImplemented
        if type(other) in (float, SymbolicFloat):
            return SymbolicFloat(self.tensor(_FLOAT64))._arithmetic(other, function, swap)
        if function is operator.pow and (swap or type(other) not in (int, bool) or other < 0):
            raise UnsupportedError(
                "power: whether an int to the power of a captured int is an int or a float "
                f"depends on its sign{here(3)}\n  ways out: a float base, 2.0 ** i; 1 << i for "
                "powers of two"
            )
        strong = _strong(other)
        result = function(strong, self.value) if swap else function(self.value, strong)
        return weak(result)

    __and__, __rand__ = operators_of(operator.and_)
    __or__, __ror__ = operators_of(operator.or_)
    __xor__, __rxor__ = operators_of(operator.xor)
    __lshift__, __rlshift__ = operators_of(operator.lshift)
    __rshift__, __rrshift__ = operators_of(operator.rshift)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __invert__(self) -> WeakInt:
        return WeakInt(~self.value)

    def __round__(self, ndigits: int | None = None) -> WeakInt:
        return self

    def __trunc__(self) -> WeakInt:
        return self


WEAK_NUMBERS = (SymbolicFloat, WeakInt)


def weak(value: Any) -> Any:
    """Return a captured scalar as the Python number it stands for; a bool stays as it is."""
    if value._type.dtype == BOOL:
        return value
    return WeakInt(value) if value._type.dtype == INT64 else SymbolicFloat(value)


def _is_number(value: Any) -> bool:
    from capture.symbolic import SymbolicInt

    kind = type(value)
    return kind in (int, float, bool, SymbolicInt) or kind in WEAK_NUMBERS


def _strong(value: Any, dtype: np.dtype[Any] | None = None) -> Any:
    """Return a number as an operand of a captured scalar."""
    if type(value) in (int, bool):
        return int(value)
    return value if type(value) is float else value.tensor(dtype)
