"""Symbolic sizes as Python numbers: what ``x.shape`` gives for an axis that stays open."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from capture.errors import ConcreteValueError
from capture.location import here
from capture.weak import WEAK_NUMBERS, Arithmetic, SymbolicFloat, WeakInt
from ir.dims import Dim, dim_max, prove_eq, prove_le, prove_lt
from ir.ops.shaping import DimValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder
    from capture.tensor import Tensor
    from ir.dims import DimLike

_WAYS_OUT = (
    "\n  ways out: write it without the number (x.mean(0), np.zeros_like(x), x.reshape(n, -1) all "
    "work); or give the axis a fixed size in the input's shape"
)


def as_dim(value: Any) -> Dim | None:
    """Return the dimension behind a symbolic size, or ``None`` for anything else."""
    if type(value) is SymbolicInt:
        return value.dim
    return value if isinstance(value, Dim) else None


def dim_of(value: Any) -> DimLike:
    """Return a user's size (int, NumPy int, SymbolicInt, Dim) as a dimension."""
    dim = as_dim(value)
    return operator.index(value) if dim is None else dim


def as_size(recorder: Recorder, dim: DimLike) -> Any:
    """Return a dimension as the user sees it in ``x.shape``."""
    return SymbolicInt(dim, recorder) if isinstance(dim, Dim) else dim


class SymbolicInt(Arithmetic):
    """A size that is known only when the graph runs; a weak Python integer to NumPy.

    Arithmetic with integers stays symbolic; with anything else it becomes a captured number.
    Comparisons are proved, disproved, or raise.
    """

    __slots__ = ("_recorder", "dim")

    def __init__(self, dim: Dim, recorder: Recorder) -> None:
        self.dim = dim
        self._recorder = recorder

    def tensor(self, dtype: np.dtype[Any] | None = None) -> Tensor:
        """Return the number as a 0-d captured scalar (int64 unless a dtype is given)."""
        value: Tensor = self._recorder.apply(DimValue(dim=self.dim))
        return value if dtype is None else value.astype(dtype)

    def __index__(self) -> int:
        raise ConcreteValueError(
            f"index(): the size {self.dim} is known only when the graph runs{here()}{_WAYS_OUT}"
        )

    __int__ = __index__

    def __float__(self) -> float:
        raise ConcreteValueError(
            f"float(): the size {self.dim} is known only when the graph runs{here()}{_WAYS_OUT}"
        )

    def __bool__(self) -> bool:
        return self._decide("!=", prove_eq(self.dim, 0), 0, negate=True)

    def _decide(self, sign: str, proof: bool | None, other: Any, negate: bool = False) -> bool:
        if proof is None:
            raise ConcreteValueError(
                f"comparison: whether {self.dim} {sign} {other} is known only when the graph "
                f'runs{here(2)}\n  ways out: give the symbol bounds, as in Dim("n", min=2); or '
                "use np.where on captured values"
            )
        return proof != negate

    def __eq__(self, other: object) -> Any:
        if _is_float(other) and other.is_integer():
            other = int(other)
        if not _is_size(other):
            return NotImplemented
        return self._decide("==", prove_eq(self.dim, dim_of(other)), other)

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __lt__(self, other: Any) -> Any:
        if not _is_size(other):
            return NotImplemented
        return self._decide("<", prove_lt(self.dim, dim_of(other)), other)

    def __le__(self, other: Any) -> Any:
        if not _is_size(other):
            return NotImplemented
        return self._decide("<=", prove_le(self.dim, dim_of(other)), other)

    def __gt__(self, other: Any) -> Any:
        if not _is_size(other):
            return NotImplemented
        return self._decide(">", prove_lt(dim_of(other), self.dim), other)

    def __ge__(self, other: Any) -> Any:
        if not _is_size(other):
            return NotImplemented
        return self._decide(">=", prove_le(dim_of(other), self.dim), other)

    def __hash__(self) -> int:
        return hash(self.dim)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec.rstrip("dn,_"))

    def __repr__(self) -> str:
        return str(self.dim)

    def _wrap(self, dim: DimLike) -> int | SymbolicInt:
        size: int | SymbolicInt = as_size(self._recorder, dim)
        return size

    def _arithmetic(self, other: Any, function: Callable[[Any, Any], Any], swap: bool) -> Any:
        if _is_size(other):
            left, right = (dim_of(other), self.dim) if swap else (self.dim, dim_of(other))
            if function is not operator.truediv and function is not operator.pow:
                return self._wrap(function(left, right))
        if _is_float(other) or _is_size(other):
            return SymbolicFloat(self.tensor(np.dtype(np.float64)))._arithmetic(
                other, function, swap
            )
        if type(other) in WEAK_NUMBERS:
            return WeakInt(self.tensor())._arithmetic(other, function, swap)
        return NotImplemented

    def __neg__(self) -> int | SymbolicInt:
        return self._wrap(-self.dim)

    def __pos__(self) -> SymbolicInt:
        return self

    def __abs__(self) -> int | SymbolicInt:
        return self._wrap(dim_max(self.dim, -self.dim))

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        from capture.ufuncs import array_ufunc

        return array_ufunc(self._recorder, ufunc, method, inputs, kwargs)


# The class itself is asked, for captured scalars say that they are instances of NumPy's.
def _is_float(value: object) -> TypeGuard[float]:
    return issubclass(type(value), float)


def _is_size(value: Any) -> bool:
    return issubclass(type(value), int | np.integer) or as_dim(value) is not None


SYMBOLIC_NUMBERS = frozenset((SymbolicInt, *WEAK_NUMBERS))
"""The types of Python numbers that are known only when the graph runs."""
