"""Expressions that decide: answered by Python where it can, recorded where it cannot."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.branches import branch
from capture.errors import ConcreteValueError
from capture.flow import as_condition, is_open
from capture.lifting import cannot_fail
from capture.symbolic import SymbolicInt
from capture.tensor import Tensor
from capture.weak import WeakInt

if TYPE_CHECKING:
    from collections.abc import Callable

    Body = Callable[..., Any]

_COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class Truths:
    """The part of the runtime that answers expressions."""

    def choose(self, test: Any, then: Body, orelse: Body) -> Any:
        """``then if test else orelse``."""
        if not is_open(test):
            return then() if test else orelse()
        return branch(
            as_condition("if", test), then, orelse, "if … else …", lambda leaf: "the value"
        )

    def and_(self, first: Any, *rest: Body) -> Any:
        """``first and …``."""
        return self._joined("and", first, rest, np.logical_and)

    def or_(self, first: Any, *rest: Body) -> Any:
        """``first or …``."""
        return self._joined("or", first, rest, np.logical_or)

    def _joined(self, word: str, first: Any, rest: tuple[Body, ...], ufunc: Any) -> Any:
        if not rest:
            return first
        if not is_open(first):
            proceeds = bool(first) if word == "and" else not first
            return self._joined(word, rest[0](), rest[1:], ufunc) if proceeds else first

        def others() -> Any:
            return self._joined(word, rest[0](), rest[1:], ufunc)

        condition = as_condition(word, first)
        recorder = condition._recorder
        start = len(recorder.builder.ops)
        second = others()
        is_truth = type(second) in (bool, np.bool_) or (
            type(second) is Tensor and second.is_scalar and second.dtype == bool
        )
        truth = condition if type(first) is Tensor and first.dtype == bool else None
        if truth is not None and second is (word == "and"):
            return condition
        if is_truth and truth is not None and cannot_fail(recorder, start):
            return ufunc(condition, second)
        value = condition if truth is not None else first

        def keep() -> Any:
            return value

        bodies = (others, keep) if word == "and" else (keep, others)
        return branch(condition, *bodies, word, lambda leaf: "the value")

    def not_(self, value: Any) -> Any:
        """``not value``."""
        return np.logical_not(as_condition("not", value)) if is_open(value) else not value

    # --- comparisons ----------------------------------------------------------------------

    def compare(self, sign: str, a: Any, b: Any) -> Any:
        """``a < b`` and the like; open where a symbolic size decides it."""
        if type(a) is SymbolicInt or type(b) is SymbolicInt:
            try:
                return _COMPARISONS[sign](a, b)
            except ConcreteValueError:
                a, b = (WeakInt(v.tensor()) if type(v) is SymbolicInt else v for v in (a, b))
        return _COMPARISONS[sign](a, b)

    def chain(self, signs: tuple[str, ...], a: Any, b: Any, *rest: Body) -> Any:
        """``a < b <= …``: every operand is computed once, the later ones only where needed."""
        first = self.compare(signs[0], a, b)
        if not rest:
            return first
        return self.and_(first, lambda: self.chain(signs[1:], b, rest[0](), *rest[1:]))
