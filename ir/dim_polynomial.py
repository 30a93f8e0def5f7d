"""Integer polynomials over size symbols and floor, modulo, max, min calls.

The normal form under :class:`ir.dims.Dim`. Constants are polynomials too, so the rules in
``dim_bounds``, ``dim_division`` and ``dim_text`` never distinguish them from the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from ir.dim_work import spend
from ir.errors import DimError

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")

# A dim larger than this is a mistake of the program (or hostile input), and without a limit
# products grow exponentially and nested calls exhaust Python's stack.
MAX_SIZE = 1000
MAX_DEPTH = 48
MAX_INTEGER = 1 << 4096  # Python refuses to print ints of more than 4300 digits

_BASE_WORK = 16  # what making any polynomial costs, in characters of its key

Monomial: TypeAlias = "tuple[tuple[Atom, int], ...]"
Bound: TypeAlias = int | float  # float only for the two infinities


class Interval(NamedTuple):
    """All integers from ``lo`` to ``hi``, both included."""

    lo: Bound
    hi: Bound


class _SymbolFields(NamedTuple):
    name: str
    min: int
    max: int | None


class Symbol(_SymbolFields):
    """A named unknown size and the values it may take."""

    __slots__ = ()

    def __new__(cls, name: str, min: int = 0, max: int | None = None) -> Symbol:
        """Check the name and the bounds; every symbol there is passed this."""
        if not isinstance(name, str) or NAME.fullmatch(name) is None:
            raise DimError(f"dim: {name!r} is not a symbol name (letters, digits, '_', '.')")
        for bound in (min, 0 if max is None else max):
            if not isinstance(bound, int):
                raise DimError(f"dim: bounds of {name} must be ints, got {bound!r}")
            if abs(bound) > MAX_INTEGER:
                raise DimError(f"dim: a bound of {name} has more than 4096 bits")
        if max is not None and max < min:
            raise DimError(f"dim: {name} has no values: min {min} is above max {max}")
        return super().__new__(cls, name, int(min), None if max is None else int(max))

    @property
    def key(self) -> str:
        """Text that orders atoms; a space sorts below every character of a name."""
        return f"{self.name} {self.min} {self.max}"

    @property
    def described(self) -> str:
        """The symbol and its bounds, for messages: ``n in [0, 8]``."""
        return f"{self.name} in [{self.min}, {'inf' if self.max is None else self.max}]"


class Call:
    """``//``, ``%``, ``max`` or ``min`` of polynomials that no rule could reduce further."""

    __slots__ = ("args", "depth", "key", "kind", "range", "size")

    def __init__(self, kind: str, args: tuple[Polynomial, ...]) -> None:
        self.kind = kind
        self.args = args
        self.size = sum(arg.size for arg in args)
        self.depth = 1 + max(arg.depth for arg in args)
        if self.depth > MAX_DEPTH or self.size > MAX_SIZE:
            raise DimError(
                f"dim: {kind}: expression is deeper than {MAX_DEPTH} calls "
                f"or larger than {MAX_SIZE} terms"
            )
        # '~' sorts calls after symbols
        self.key = f"~{kind}({';'.join(arg.key for arg in args)})"
        spend(len(self.key))
        self.range: Interval | None = None  # filled by dim_bounds

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Call and self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[type[Call], tuple[str, tuple[Polynomial, ...]]]:
        return Call, (self.kind, self.args)


Atom: TypeAlias = Symbol | Call


class Polynomial:
    """Sum of ``coefficient * monomial``, sorted by falling degree, then by key.

    A monomial is a tuple of ``(atom, exponent)`` sorted by the atom's key; the empty one is
    the constant. Two polynomials are equal exactly when their keys are.
    """

    __slots__ = ("_symbols", "depth", "interval", "key", "size", "terms")

    def __init__(self, coefficients: Mapping[Monomial, int]) -> None:
        rows = [
            (-sum(exponent for _, exponent in monomial), _monomial_key(monomial), monomial, c)
            for monomial, c in coefficients.items()
            if c
        ]
        rows.sort(key=lambda row: row[:2])
        self.terms = tuple((monomial, c) for _, _, monomial, c in rows)
        self.size, self.depth = _measure(self.terms)
        if self.size > MAX_SIZE:
            raise DimError(f"dim: expression is larger than {MAX_SIZE} terms")
        self.key = "+".join([f"{c}*{text}" for _, text, _, c in rows])
        spend(_BASE_WORK + len(self.key))
        self.interval: Interval | None = None  # filled by dim_bounds
        self._symbols: frozenset[Symbol] | None = None

    def __reduce__(self) -> tuple[type[Polynomial], tuple[dict[Monomial, int]]]:
        return Polynomial, (dict(self.terms),)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Polynomial and self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    def __add__(self, other: Polynomial) -> Polynomial:
        total = dict(self.terms)
        for monomial, c in other.terms:
            total[monomial] = total.get(monomial, 0) + c
        return Polynomial(total)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __neg__(self) -> Polynomial:
        return self.scaled(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        if other.constant is not None:
            return self.scaled(other.constant)
        if len(self.terms) * len(other.terms) > 20 * MAX_SIZE:
            raise DimError(f"dim: *: expression is larger than {MAX_SIZE} terms")
        spend(len(self.terms) * len(other.terms))
        total: dict[Monomial, int] = {}
        for left, c in self.terms:
            for right, d in other.terms:
                product = multiply_monomials(left, right)
                total[product] = total.get(product, 0) + c * d
        return Polynomial(total)

    def scaled(self, factor: int) -> Polynomial:
        """The polynomial times an int."""
        return Polynomial({monomial: c * factor for monomial, c in self.terms})

    @property
    def constant(self) -> int | None:
        """The value if it is one number, else None."""
        if not self.terms:
            return 0
        monomial, c = self.terms[0]
        return None if monomial else c

    @property
    def offset(self) -> int:
        """The constant term."""
        if not self.terms or self.terms[-1][0]:
            return 0
        return self.terms[-1][1]

    @property
    def lone_atom(self) -> Atom | None:
        """The atom if the polynomial is nothing but one atom, else None."""
        if len(self.terms) != 1:
            return None
        monomial, c = self.terms[0]
        if c != 1 or len(monomial) != 1 or monomial[0][1] != 1:
            return None
        return monomial[0][0]

    @property
    def symbols(self) -> frozenset[Symbol]:
        """Every symbol mentioned, also inside calls."""
        if self._symbols is None:
            self._symbols = frozenset().union(*(atom_symbols(atom) for atom in self.atoms()))
        return self._symbols

    def atoms(self) -> dict[Atom, None]:
        """The atoms of the monomials (not those inside calls), in first-met order."""
        return {atom: None for monomial, _ in self.terms for atom, _ in monomial}

    def map_atoms(self, replacements: Mapping[Atom, Polynomial]) -> Polynomial:
        """Replace outermost atoms; those absent from ``replacements`` stay."""
        total = ZERO
        for monomial, c in self.terms:
            product = constant(c)
            for atom, exponent in monomial:
                factor = replacements.get(atom) or atom_polynomial(atom)
                for _ in range(exponent):
                    product *= factor
            total += product
        return total


def constant(value: int) -> Polynomial:
    """The polynomial that is one number."""
    return Polynomial({(): value})


def atom_polynomial(atom: Atom) -> Polynomial:
    """The polynomial that is one atom."""
    return Polynomial({((atom, 1),): 1})


def atom_symbols(atom: Atom) -> Iterable[Symbol]:
    """The symbols an atom mentions."""
    if isinstance(atom, Symbol):
        return (atom,)
    return frozenset().union(*(arg.symbols for arg in atom.args))


def multiply_monomials(left: Monomial, right: Monomial) -> Monomial:
    """Add exponents atom by atom."""
    if not left or not right:
        return left or right
    exponents = dict(left)
    for atom, exponent in right:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return tuple(sorted(exponents.items(), key=lambda item: item[0].key))


def divide_monomials(left: Monomial, right: Monomial) -> Monomial | None:
    """Subtract exponents, or None if ``right`` does not divide ``left``."""
    exponents = dict(left)
    for atom, exponent in right:
        remaining = exponents.get(atom, 0) - exponent
        if remaining < 0:
            return None
        exponents[atom] = remaining
    return tuple((atom, exponent) for atom, exponent in exponents.items() if exponent)


def _monomial_key(monomial: Monomial) -> str:
    return "*".join([f"{atom.key}^{exponent}" for atom, exponent in monomial])


def _measure(terms: tuple[tuple[Monomial, int], ...]) -> tuple[int, int]:
    size = len(terms)
    depth = 0
    for monomial, c in terms:
        if abs(c) > MAX_INTEGER:
            raise DimError("dim: a coefficient has more than 4096 bits")
        for atom, exponent in monomial:
            if isinstance(atom, Call):
                size += exponent * atom.size
                depth = max(depth, atom.depth)
            else:
                size += exponent
    return size, depth


ZERO = constant(0)
ONE = constant(1)
