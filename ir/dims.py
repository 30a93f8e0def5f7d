"""Symbolic dimensions: integer sizes that are known only when the graph runs.

A shape is a tuple of dims; a dim is an ``int`` or a :class:`Dim`. Arithmetic keeps a normal
form, so equal polynomials are equal objects whatever the order they were built in::

    n = Dim("n", min=1)
    (4 * n + 6) // 4 == n + 1            # True
    prove_le(n // 2, n)                  # True
    str(2 * n - n // 2)                  # '2*n - n//2'

A dim can never be wrong about its value, only undecided: see :func:`prove_le`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import NoReturn, TypeAlias

from ir.dim_bounds import interval
from ir.dim_division import exact_quotient, extremum, floor_divide, modulo
from ir.dim_polynomial import ZERO, Call, Polynomial, Symbol, atom_polynomial, constant
from ir.dim_text import DimSyntaxError, format_polynomial, parse_polynomial
from ir.dim_values import UnboundSymbolError, evaluate_polynomial, substitute_symbols
from ir.errors import DimError

__all__ = [
    "Dim",
    "DimLike",
    "DimSyntaxError",
    "Shape",
    "Symbol",
    "UnboundSymbolError",
    "as_symbol",
    "bounds",
    "ceil_div",
    "dim_max",
    "dim_min",
    "evaluate",
    "exact_div",
    "parse_dim",
    "prove_eq",
    "prove_le",
    "prove_lt",
    "substitute",
    "symbols_of",
]


class Dim:
    """A size that depends on symbols; immutable, hashable, never constant.

    Arithmetic with ints and dims gives a dim, or an ``int`` where no symbol remains.
    Comparison is structural: ``==`` tells whether two dims are the same expression in normal
    form, and a dim never equals an ``int``. Ordering is left to :func:`prove_le` and its kin.

    Args:
        name: The symbol's name: letters, digits, ``_`` and ``.``.
        min: The least value the symbol takes.
        max: The greatest value it takes, or None.

    Raises:
        DimError: The name is no symbol name, or no value lies within the bounds.
    """

    __slots__ = ("_hash", "_poly")
    __array_ufunc__ = None  # NumPy leaves the operator to us instead of making object arrays

    _hash: int
    _poly: Polynomial

    def __init__(self, name: str, *, min: int = 0, max: int | None = None) -> None:
        self._poly = atom_polynomial(Symbol(name, min, max))
        self._hash = hash(self._poly.key)

    def __add__(self, other: DimLike) -> DimLike:
        right = _operand(other)
        return NotImplemented if right is None else _lowered(self._poly + right)

    __radd__ = __add__

    def __sub__(self, other: DimLike) -> DimLike:
        right = _operand(other)
        return NotImplemented if right is None else _lowered(self._poly - right)

    def __rsub__(self, other: DimLike) -> DimLike:
        left = _operand(other)
        return NotImplemented if left is None else _lowered(left - self._poly)

    def __mul__(self, other: DimLike) -> DimLike:
        right = _operand(other)
        return NotImplemented if right is None else _lowered(self._poly * right)

    __rmul__ = __mul__

    def __floordiv__(self, other: DimLike) -> DimLike:
        right = _operand(other)
        return NotImplemented if right is None else _lowered(floor_divide(self._poly, right))

    def __rfloordiv__(self, other: DimLike) -> DimLike:
        left = _operand(other)
        return NotImplemented if left is None else _lowered(floor_divide(left, self._poly))

    def __mod__(self, other: DimLike) -> DimLike:
        right = _operand(other)
        return NotImplemented if right is None else _lowered(modulo(self._poly, right))

    def __rmod__(self, other: DimLike) -> DimLike:
        left = _operand(other)
        return NotImplemented if left is None else _lowered(modulo(left, self._poly))

    def __neg__(self) -> Dim:
        return _wrapped(-self._poly)

    def __pos__(self) -> Dim:
        return self

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not Dim:
            return NotImplemented
        return self._hash == other._hash and self._poly.key == other._poly.key

    def __hash__(self) -> int:
        return self._hash

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"dim: the truth value of {self} is unknown until its symbols are bound; "
            "use prove_eq, prove_le or prove_lt"
        )

    def __str__(self) -> str:
        return format_polynomial(self._poly)

    def __repr__(self) -> str:
        return f"Dim({str(self)!r})"

    def __reduce__(self) -> tuple[Callable[[Polynomial], Dim], tuple[Polynomial]]:
        # through the polynomial, because a str's hash differs in the next process
        return _wrapped, (self._poly,)

    def __copy__(self) -> Dim:
        return self

    def __deepcopy__(self, memo: object) -> Dim:
        return self


DimLike: TypeAlias = int | Dim
Shape: TypeAlias = tuple[DimLike, ...]


# --- arithmetic ---------------------------------------------------------------------------


def ceil_div(a: DimLike, b: DimLike) -> DimLike:
    """``a / b`` rounded up.

    Raises:
        ZeroDivisionError: ``b`` is the constant 0.
    """
    return -(-a // b)


def dim_max(first: DimLike, *more: DimLike) -> DimLike:
    """The largest of the dims."""
    return _lowered(extremum("max", map(_polynomial, (first, *more))))


def dim_min(first: DimLike, *more: DimLike) -> DimLike:
    """The smallest of the dims."""
    return _lowered(extremum("min", map(_polynomial, (first, *more))))


def exact_div(a: DimLike, b: DimLike) -> DimLike | None:
    """The quotient if ``b`` divides ``a`` whatever the symbols are, else None.

    ``b`` is taken to be nonzero, as the other dims of a reshape to ``-1`` are.

    Raises:
        ZeroDivisionError: ``b`` is the constant 0.
    """
    divisor = _polynomial(b)
    if divisor == ZERO:
        raise ZeroDivisionError("dim: exact division by zero")
    quotient = exact_quotient(_polynomial(a), divisor)
    return None if quotient is None else _lowered(quotient)


# --- questions ----------------------------------------------------------------------------


def bounds(d: DimLike) -> tuple[int | None, int | None]:
    """The least and greatest value the dim can have, None where no limit is known."""
    lo, hi = interval(_polynomial(d))
    return (lo if isinstance(lo, int) else None), (hi if isinstance(hi, int) else None)


def prove_le(a: DimLike, b: DimLike) -> bool | None:
    """Whether ``a <= b``: True or False for all symbol values, None if it is not decided."""
    return _decide(_polynomial(b) - _polynomial(a), least=0)


def prove_lt(a: DimLike, b: DimLike) -> bool | None:
    """Whether ``a < b``: True or False for all symbol values, None if it is not decided."""
    return _decide(_polynomial(b) - _polynomial(a), least=1)


def prove_eq(a: DimLike, b: DimLike) -> bool | None:
    """Whether ``a == b``: True or False for all symbol values, None if it is not decided."""
    gap = _polynomial(a) - _polynomial(b)
    lo, hi = interval(gap)
    if lo == hi == 0 or _without_modulo(gap) == ZERO:
        return True
    if lo > 0 or hi < 0 or modulo(gap, constant(_content(gap))) != ZERO:
        return False
    return None


def _without_modulo(polynomial: Polynomial) -> Polynomial:
    """Write every ``x % d`` as ``x - d*(x // d)``: two spellings of one number then meet."""
    total = ZERO
    for monomial, coefficient in polynomial.terms:
        product = constant(coefficient)
        for atom, exponent in monomial:
            factor = atom_polynomial(atom)
            if isinstance(atom, Call) and atom.kind == "%":
                dividend, divisor = atom.args
                factor = dividend - divisor * floor_divide(dividend, divisor)
            for _ in range(exponent):
                product = product * factor
        total = total + product
    return total


def as_symbol(d: DimLike) -> Symbol | None:
    """The symbol if the dim is nothing but one symbol, else None."""
    atom = d._poly.lone_atom if isinstance(d, Dim) else None
    return atom if isinstance(atom, Symbol) else None


def symbols_of(d: DimLike | Iterable[DimLike]) -> tuple[Symbol, ...]:
    """The symbols that a dim or a shape mentions, sorted by name.

    Raises:
        DimError: Two symbols have one name but different bounds.
    """
    dims = (d,) if isinstance(d, int | Dim) else d
    found: dict[str, Symbol] = {}
    for dim in dims:
        for symbol in dim._poly.symbols if isinstance(dim, Dim) else ():
            known = found.setdefault(symbol.name, symbol)
            if known != symbol:
                first, second = sorted((known, symbol), key=lambda s: s.key)
                raise DimError(
                    f"dim: two symbols have one name: {first.described} and {second.described}"
                )
    return tuple(found[name] for name in sorted(found))


# --- values for symbols -------------------------------------------------------------------


def evaluate(d: DimLike, bindings: Mapping[str, int]) -> int:
    """The dim's value when its symbols have the given ones; other bindings are ignored.

    Raises:
        UnboundSymbolError: A symbol has no value (also a :class:`KeyError`).
        DimError: A value lies outside its symbol's bounds.
        ZeroDivisionError: A divisor is 0 for these values.
    """
    return evaluate_polynomial(d._poly, bindings) if isinstance(d, Dim) else operator.index(d)


def substitute(d: DimLike, mapping: Mapping[str, DimLike]) -> DimLike:
    """Replace symbols by name, all at once; symbols that are not named stay.

    Simplifications made so far relied on the bounds of the old symbols: the caller answers
    for a replacement that can leave them.

    Raises:
        DimError: A replacement lies wholly outside its symbol's bounds.
    """
    if not isinstance(d, Dim):
        return d
    by_name = {name: _polynomial(value) for name, value in mapping.items()}
    return _lowered(substitute_symbols(d._poly, by_name))


def parse_dim(text: str, symbols: Mapping[str, Symbol] | None = None) -> DimLike:
    """Read the text that ``str`` gives for a dim.

    Args:
        text: The dim, for example ``"2*batch + max(n, 3)//2"``.
        symbols: The symbols by name; without it every name is a symbol of default bounds.

    Raises:
        DimSyntaxError: The text is no dim, or names a symbol that is not in ``symbols``.
    """
    return _lowered(parse_polynomial(text, symbols))


# --- between the public face and the polynomials ------------------------------------------


def _operand(value: object) -> Polynomial | None:
    if type(value) is Dim:
        return value._poly
    if type(value) is int:
        return constant(value)
    return constant(int(value)) if isinstance(value, Integral) else None


def _polynomial(value: DimLike) -> Polynomial:
    poly = _operand(value)
    if poly is None:
        raise TypeError(f"dim: expected an int or a Dim, got {type(value).__name__}")
    return poly


def _wrapped(poly: Polynomial) -> Dim:
    dim = Dim.__new__(Dim)
    dim._poly = poly
    dim._hash = hash(poly.key)
    return dim


def _lowered(poly: Polynomial) -> DimLike:
    value = poly.constant
    return _wrapped(poly) if value is None else value


def _decide(gap: Polynomial, least: int) -> bool | None:
    lo, hi = interval(gap)
    if lo >= least:
        return True
    return False if hi < least else None


def _content(poly: Polynomial) -> int:
    """The int that divides every value of ``poly`` except for its constant term."""
    return math.gcd(*(c for monomial, c in poly.terms if monomial)) or 1
