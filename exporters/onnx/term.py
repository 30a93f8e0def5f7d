"""A value of the ONNX graph under construction, with the operators that lowering rules use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ir.types import INT64

if TYPE_CHECKING:
    import numpy as np

    from exporters.onnx.emitter import Emitter

Operand: TypeAlias = "Term | bool | int | float"
"""A term, or a Python number that becomes a constant of the other operand's dtype."""


class Term:
    """A name and a dtype; arithmetic on it emits nodes.

    ``a / b`` is ONNX ``Div`` (for integers it truncates), ``&``, ``|``, ``^`` and ``~`` are
    logical on bools and bitwise on integers. Equality is :meth:`equals`, never ``==``.
    """

    __slots__ = ("dtype", "emitter", "name")

    def __init__(self, emitter: Emitter, name: str, dtype: np.dtype[Any]) -> None:
        self.emitter = emitter
        self.name = name
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"<Term {self.name}: {self.dtype}>"

    def like(self, value: Operand) -> Term:
        """Return a Python number as a 0-d constant of this dtype; a term as it is."""
        return value if isinstance(value, Term) else self.emitter.constant(value, self.dtype)

    def to(self, dtype: np.dtype[Any]) -> Term:
        """Return this term cast to another dtype (itself when it has it already)."""
        return self.emitter.cast(self, dtype)

    def _apply(self, key: str, *others: Operand) -> Term:
        return self.emitter.apply(key, self, *map(self.like, others))

    def __add__(self, other: Operand) -> Term:
        return self._apply("Add", other)

    def __radd__(self, other: Operand) -> Term:
        return self.like(other) + self

    def __sub__(self, other: Operand) -> Term:
        return self._apply("Sub", other)

    def __rsub__(self, other: Operand) -> Term:
        return self.like(other) - self

    def __mul__(self, other: Operand) -> Term:
        return self._apply("Mul", other)

    def __rmul__(self, other: Operand) -> Term:
        return self.like(other) * self

    def __truediv__(self, other: Operand) -> Term:
        return self._apply("Div", other)

    def __rtruediv__(self, other: Operand) -> Term:
        return self.like(other) / self

    def __neg__(self) -> Term:
        return self._apply("Neg")

    def __abs__(self) -> Term:
        return self._apply("Abs")

    def __lt__(self, other: Operand) -> Term:
        return self._apply("Less", other)

    def __le__(self, other: Operand) -> Term:
        return self._apply("LessOrEqual", other)

    def __gt__(self, other: Operand) -> Term:
        return self._apply("Greater", other)

    def __ge__(self, other: Operand) -> Term:
        return self._apply("GreaterOrEqual", other)

    def equals(self, other: Operand) -> Term:
        """Whether elements are equal, as bool."""
        return self._apply("Equal", other)

    def __and__(self, other: Operand) -> Term:
        return self._apply("And" if self.dtype.kind == "b" else "BitwiseAnd", other)

    def __or__(self, other: Operand) -> Term:
        return self._apply("Or" if self.dtype.kind == "b" else "BitwiseOr", other)

    def __xor__(self, other: Operand) -> Term:
        return self._apply("Xor" if self.dtype.kind == "b" else "BitwiseXor", other)

    def __invert__(self) -> Term:
        return self._apply("Not" if self.dtype.kind == "b" else "BitwiseNot")

    def where(self, chosen: Operand, other: Operand) -> Term:
        """Choose between two operands, of which one at least is a term; this is the condition.

        ONNX Runtime merges the two by ``chosen != 0 ? chosen : other``, with 0 for what is
        not chosen: a -0.0 from ``chosen`` becomes 0.0, one from ``other`` stays. See
        :meth:`select`.
        """
        model = chosen if isinstance(chosen, Term) else other
        if not isinstance(model, Term):
            raise TypeError("where: one of the two operands must be a term")
        return self.emitter.apply("Where", self, model.like(chosen), model.like(other))

    def select(self, chosen: Term, other: Term) -> Term:
        """Choose as :meth:`where` does, but keep every -0.0."""
        one = chosen.like(1)
        return self.flipped().where(one, chosen) * self.where(one, other)

    def flipped(self) -> Term:
        """Return the opposite of a bool, for :meth:`where`.

        A ``Not`` the runtime would take away there and swap the operands, with their zeros.
        """
        return self ^ True

    def maximum(self, other: Operand) -> Term:
        """The larger of each pair, NaN winning."""
        if self._compares_wrong("Max"):
            other = self.like(other)
            return (self > other).where(self, other)
        return self._apply("Max", other)

    def minimum(self, other: Operand) -> Term:
        """The smaller of each pair, NaN winning."""
        if self._compares_wrong("Min"):
            other = self.like(other)
            return (self < other).where(self, other)
        return self._apply("Min", other)

    def _compares_wrong(self, key: str) -> bool:
        """Whether a release has a fault in int64 that its comparisons have not."""
        return self.dtype == INT64 and self.emitter.legality.faulty(key, self.dtype)

    def function(self, op_type: str) -> Term:
        """Apply a unary operator by its ONNX name."""
        return self._apply(op_type)

    def power(self, other: Operand) -> Term:
        """ONNX ``Pow``."""
        return self._apply("Pow", other)

    def is_nan(self) -> Term:
        """Whether elements are NaN, as bool."""
        return self._apply("IsNaN")

    def is_inf(self) -> Term:
        """Whether elements are infinite, as bool."""
        return self._apply("IsInf")
