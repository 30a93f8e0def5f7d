"""The rules that bring ``//``, ``%``, ``max`` and ``min`` of polynomials to normal form.

Every rule keeps the value for all symbol values in bounds. A call is only built from
arguments that pass through all rules unchanged, so rebuilding a normal form (from text, or
after a substitution that changes nothing) gives it back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ir.dim_bounds import interval, is_nonzero, quotient_interval
from ir.dim_polynomial import (
    MAX_SIZE,
    ONE,
    ZERO,
    Atom,
    Call,
    Monomial,
    Polynomial,
    atom_polynomial,
    constant,
    divide_monomials,
    multiply_monomials,
)

# Comparing all pairs of arguments is quadratic; beyond this only equal shapes are merged.
_MAX_COMPARED = 16


def floor_divide(a: Polynomial, b: Polynomial) -> Polynomial:
    """Normal form of ``a // b``, rounding down as Python does."""
    if b == ZERO:
        raise ZeroDivisionError("dim: floor division by zero")
    if _leads_negative(b):
        return floor_divide(-a, -b)
    divisor = b.constant
    if divisor is not None:
        return _divide_by_int(a, divisor)
    if a == ZERO:
        return ZERO
    common = _common_factor(a, b)
    if common != ONE:
        return floor_divide(_reduced(a, common), _reduced(b, common))
    if is_nonzero(b):
        quotient, rest = _split(a, b)
        if quotient != ZERO:
            return quotient + floor_divide(rest, b)
    lo, hi = quotient_interval(interval(a), interval(b))
    if lo == hi and isinstance(lo, int):
        return constant(lo)
    if _within(a, b):
        return ZERO
    return atom_polynomial(Call("//", (a, b)))


def modulo(a: Polynomial, b: Polynomial) -> Polynomial:
    """Normal form of ``a % b``; the result has the sign of ``b`` as in Python."""
    if b == ZERO:
        raise ZeroDivisionError("dim: modulo by zero")
    if _leads_negative(b):
        return -modulo(-a, -b)
    divisor = b.constant
    if divisor is not None:
        return _modulo_int(a, divisor)
    if a == ZERO:
        return ZERO
    common = _common_factor(a, b)
    if common != ONE:
        return common * modulo(_reduced(a, common), _reduced(b, common))
    if is_nonzero(b):
        quotient, rest = _split(a, b)
        if quotient != ZERO:
            return modulo(rest, b)
    if _within(a, b):
        return a
    return atom_polynomial(Call("%", (a, b)))


def extremum(kind: str, args: Iterable[Polynomial]) -> Polynomial:
    """Normal form of ``max(*args)`` or ``min(*args)``."""
    sign = 1 if kind == "max" else -1
    by_shape: dict[Polynomial, int] = {}  # args that differ by a number: only the best stays
    for arg in _flattened(kind, args):
        shape = arg - constant(arg.offset)
        best = by_shape.get(shape, arg.offset)
        by_shape[shape] = max(best, arg.offset) if sign > 0 else min(best, arg.offset)
    candidates = [shape + constant(offset) for shape, offset in by_shape.items()]
    candidates.sort(key=lambda arg: (arg.constant is not None, arg.key))
    if len(candidates) <= _MAX_COMPARED:
        candidates = _undominated(candidates, sign)
    if len(candidates) == 1:
        return candidates[0]
    return atom_polynomial(Call(kind, tuple(candidates)))


def exact_quotient(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """The polynomial ``q`` with ``q * b == a``, or None; treats ``b`` as nonzero."""
    quotient = _polynomial_quotient(a, b)
    if quotient is not None:
        return quotient
    # x % d = x - d * (x // d) shows that n - n % 4 is a multiple of 4
    expansions: dict[Atom, Polynomial] = {}
    for atom in a.atoms():
        if isinstance(atom, Call) and atom.kind == "%":
            x, d = atom.args
            expansions[atom] = x - d * floor_divide(x, d)
    return _polynomial_quotient(a.map_atoms(expansions), b) if expansions else None


# --- by an int ----------------------------------------------------------------------------


def _divide_by_int(a: Polynomial, divisor: int) -> Polynomial:
    if divisor == 1:
        return a
    # Coefficients are cut towards zero, which keeps each term's sign and so the bounds.
    whole = {monomial: _truncated(c, divisor) for monomial, c in a.terms if monomial}
    whole[()] = a.offset // divisor
    quotient = Polynomial(whole)
    if quotient != ZERO:
        return quotient + _divide_by_int(a - quotient.scaled(divisor), divisor)
    lo, hi = interval(a)
    low, high = _floor(lo, divisor), _floor(hi, divisor)
    if low is not None and low == high:
        return constant(low)
    shared = _shared_divisor(a, divisor)
    if shared > 1:
        return _divide_by_int(_floored(a, shared), divisor // shared)
    inner = _only_inner_division(a)
    if inner is not None:
        numerator, inner_divisor = inner
        return _divide_by_int(numerator, inner_divisor * divisor)
    if _leads_negative(a):
        return -_divide_by_int(constant(divisor - 1) - a, divisor)
    return atom_polynomial(Call("//", (a, constant(divisor))))


def _only_inner_division(a: Polynomial) -> tuple[Polynomial, int] | None:
    """Write ``x//d + r`` or ``r - x//d`` as one division ``(numerator, d)``, if ``a`` is such.

    With it ``(x//d + r) // e`` is ``(x + r*d) // (d*e)``.
    """
    found = None
    for monomial, c in a.terms:
        for atom, exponent in monomial:
            if not isinstance(atom, Call) or atom.kind != "//":
                continue
            divisor = atom.args[1].constant
            if divisor is None:
                continue
            if found is not None or len(monomial) > 1 or exponent > 1 or abs(c) != 1:
                return None
            found = atom, c, divisor
    if found is None:
        return None
    atom, c, divisor = found
    rest = (a - atom_polynomial(atom).scaled(c)).scaled(divisor)
    x = atom.args[0]
    return (rest + x if c > 0 else rest + constant(divisor - 1) - x), divisor


def _modulo_int(a: Polynomial, divisor: int) -> Polynomial:
    if divisor == 1:
        return ZERO
    lo, hi = interval(a)
    low, high = _floor(lo, divisor), _floor(hi, divisor)
    if low is not None and low == high:
        return a - constant(low * divisor)
    reduced = Polynomial({monomial: c % divisor for monomial, c in a.terms})
    transparent: dict[Atom, Polynomial] = {}  # x % (k*d) is x when only its rest by d counts
    for atom in reduced.atoms():
        if isinstance(atom, Call) and atom.kind == "%":
            modulus = atom.args[1].constant
            if modulus is not None and modulus % divisor == 0:
                transparent[atom] = atom.args[0]
    if transparent:
        reduced = reduced.map_atoms(transparent)
    if reduced != a:
        return _modulo_int(reduced, divisor)
    shared = _shared_divisor(a, divisor)
    if shared > 1:
        inner = _modulo_int(_floored(a, shared), divisor // shared)
        return inner.scaled(shared) + constant(a.offset % shared)
    return atom_polynomial(Call("%", (a, constant(divisor))))


def _truncated(c: int, divisor: int) -> int:
    return c // divisor if c >= 0 else -(-c // divisor)


def _floor(bound: int | float, divisor: int) -> int | None:
    return bound // divisor if isinstance(bound, int) else None


def _shared_divisor(a: Polynomial, divisor: int) -> int:
    return math.gcd(divisor, *(c for monomial, c in a.terms if monomial))


def _floored(a: Polynomial, divisor: int) -> Polynomial:
    return Polynomial({monomial: c // divisor for monomial, c in a.terms})


# --- by a polynomial ----------------------------------------------------------------------


def _leads_negative(a: Polynomial) -> bool:
    return bool(a.terms) and a.terms[0][1] < 0


def _within(a: Polynomial, b: Polynomial) -> bool:
    """Whether ``0 <= a < b`` always."""
    return interval(a).lo >= 0 and interval(b - a).lo > 0


def _common_factor(a: Polynomial, b: Polynomial) -> Polynomial:
    """The largest monomial with an int factor that divides both and is never 0."""
    terms = a.terms + b.terms
    exponents = dict(b.terms[0][0])
    for monomial, _ in terms:
        present = dict(monomial)
        exponents = {atom: min(e, present.get(atom, 0)) for atom, e in exponents.items()}
    shared = tuple(
        (atom, e) for atom, e in exponents.items() if e and is_nonzero(atom_polynomial(atom))
    )
    return Polynomial({shared: math.gcd(*(c for _, c in terms))})


def _reduced(a: Polynomial, factor: Polynomial) -> Polynomial:
    quotient = _polynomial_quotient(a, factor)
    assert quotient is not None
    return quotient


def _split(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """``(q, r)`` with ``a == q*b + r``; q takes what divides by a one-term ``b``, or all."""
    if len(b.terms) > 1:
        exact = _polynomial_quotient(a, b)
        return (ZERO, a) if exact is None else (exact, ZERO)
    divisor, d = b.terms[0]
    whole: dict[Monomial, int] = {}
    for monomial, c in a.terms:
        quotient = divide_monomials(monomial, divisor)
        if quotient is not None:
            whole[quotient] = _truncated(c, d)
    taken = Polynomial(whole)
    return taken, a - taken * b


def _polynomial_quotient(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """Long division by leading terms in lexicographic order; None if a rest remains."""
    order = sorted({**a.atoms(), **b.atoms()}, key=lambda atom: atom.key)

    def rank(monomial: Monomial) -> tuple[int, ...]:
        exponents = dict(monomial)
        return tuple(exponents.get(atom, 0) for atom in order)

    lead, lead_c = max(b.terms, key=lambda term: rank(term[0]))
    rest = dict(a.terms)
    quotient: dict[Monomial, int] = {}
    while rest:
        top = max(rest, key=rank)
        factor = divide_monomials(top, lead)
        if factor is None or rest[top] % lead_c or len(quotient) > MAX_SIZE:
            return None
        c = quotient[factor] = rest[top] // lead_c
        for monomial, d in b.terms:
            product = multiply_monomials(factor, monomial)
            rest[product] = rest.get(product, 0) - c * d
            if not rest[product]:
                del rest[product]
    return Polynomial(quotient)


# --- max and min --------------------------------------------------------------------------


def _flattened(kind: str, args: Iterable[Polynomial]) -> Iterable[Polynomial]:
    for arg in args:
        atom = arg.lone_atom
        if isinstance(atom, Call) and atom.kind == kind:
            yield from atom.args
        else:
            yield arg


def _undominated(args: list[Polynomial], sign: int) -> list[Polynomial]:
    kept: list[Polynomial] = []
    for arg in args:
        gaps = [interval((other - arg).scaled(sign)) for other in kept]
        if any(gap.lo >= 0 for gap in gaps):
            continue
        kept = [other for other, gap in zip(kept, gaps, strict=True) if gap.hi > 0]
        kept.append(arg)
    return kept
