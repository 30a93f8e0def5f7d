"""Sound interval bounds of dim polynomials.

Three methods, each only narrowing the one before: interval arithmetic on the monomials; the
same after moving every atom's origin to an end of its range (decides ``n*m - n >= 0`` for
``m >= 1``); and replacing a call by what bounds it (decides ``n - n//2 >= 0``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress

from ir.dim_polynomial import (
    Atom,
    Bound,
    Call,
    Interval,
    Monomial,
    Polynomial,
    Symbol,
    atom_polynomial,
    atom_symbols,
    constant,
    divide_monomials,
)
from ir.errors import DimError

INFINITY = math.inf
ANYTHING = Interval(-INFINITY, INFINITY)

# Relaxation is a search; this many polynomials are looked at per bound, then it gives up.
_FUEL = 60
_MAX_RELAXED_SIZE = 64


def interval(poly: Polynomial) -> Interval:
    """The narrowest interval known to hold every value of ``poly`` (cached on it)."""
    if poly.interval is None:
        poly.interval = _interval(poly)
    return poly.interval


def atom_interval(atom: Atom) -> Interval:
    """The interval of one symbol or call."""
    if isinstance(atom, Symbol):
        return Interval(atom.min, INFINITY if atom.max is None else atom.max)
    if atom.range is None:
        atom.range = _call_interval(atom)
    return atom.range


def is_nonzero(poly: Polynomial) -> bool:
    """Whether ``poly`` provably never is 0."""
    lo, hi = interval(poly)
    return lo > 0 or hi < 0


def quotient_interval(a: Interval, b: Interval) -> Interval:
    """Values of ``a // b``; a divisor of 0 has no value and is left out."""
    corners = [
        _floor_divide(x, y) for part in _without_zero(b) for x in (a.lo, a.hi) for y in part
    ]
    return Interval(min(corners), max(corners)) if corners else ANYTHING


def _interval(poly: Polynomial) -> Interval:
    box = _box(poly)
    # One call alone is as exact as its own range; only several terms can be correlated.
    if poly.depth == 0 or len(poly.terms) < 2 or poly.size > _MAX_RELAXED_SIZE:
        return box
    lo, hi = box
    with suppress(DimError):  # a relaxation may outgrow the size limit
        hi = min(hi, _upper(poly, [_FUEL]))
        lo = max(lo, -_upper(-poly, [_FUEL]))
    return Interval(lo, hi)


def _box(poly: Polynomial) -> Interval:
    ranges = {atom: atom_interval(atom) for atom in poly.atoms()}
    lo, hi = _evaluate(poly, ranges)
    degree = max((sum(e for _, e in monomial) for monomial, _ in poly.terms), default=0)
    if 1 < degree <= 4 and 1 < len(poly.terms) <= 16:
        for at_top in (False, True):
            moved_lo, moved_hi = _evaluate(*_move_origin(poly, ranges, at_top))
            lo, hi = max(lo, moved_lo), min(hi, moved_hi)
    return Interval(lo, hi)


def _move_origin(
    poly: Polynomial, ranges: Mapping[Atom, Interval], at_top: bool
) -> tuple[Polynomial, dict[Atom, Interval]]:
    """Write each atom as its bound plus or minus the same atom, now read as a distance."""
    replacements: dict[Atom, Polynomial] = {}
    distances = dict(ranges)
    for atom, (lo, hi) in ranges.items():
        if isinstance(hi, int) and (at_top or not isinstance(lo, int)):
            replacements[atom] = constant(hi) - atom_polynomial(atom)
            distances[atom] = Interval(0, _plus(hi, -lo))
        elif isinstance(lo, int):
            replacements[atom] = constant(lo) + atom_polynomial(atom)
            distances[atom] = Interval(0, _plus(hi, -lo))
    return poly.map_atoms(replacements), distances


def _evaluate(poly: Polynomial, ranges: Mapping[Atom, Interval]) -> Interval:
    lo: Bound = 0
    hi: Bound = 0
    for monomial, c in poly.terms:
        product = Interval(c, c)
        for atom, exponent in monomial:
            product = _product(product, _power(ranges[atom], exponent))
        lo, hi = _plus(lo, product.lo), _plus(hi, product.hi)
    return Interval(lo, hi)


def _call_interval(call: Call) -> Interval:
    args = [interval(arg) for arg in call.args]
    if call.kind == "max":
        return Interval(max(arg.lo for arg in args), max(arg.hi for arg in args))
    if call.kind == "min":
        return Interval(min(arg.lo for arg in args), min(arg.hi for arg in args))
    if call.kind == "//":
        return quotient_interval(args[0], args[1])
    return _modulo_interval(args[0], args[1])


def _modulo_interval(a: Interval, b: Interval) -> Interval:
    results = []
    for part in _without_zero(b):
        if part.lo > 0:  # result in [0, b), and not above a nonnegative a
            hi = min(_plus(part.hi, -1), a.hi if a.lo >= 0 else INFINITY)
            results.append(Interval(a.lo if a.lo >= 0 and a.hi < part.lo else 0, hi))
        else:
            lo = max(_plus(part.lo, 1), a.lo if a.hi <= 0 else -INFINITY)
            results.append(Interval(lo, a.hi if part.hi < a.lo and a.hi <= 0 else 0))
    if not results:
        return ANYTHING
    return Interval(min(r.lo for r in results), max(r.hi for r in results))


# --- relaxation ---------------------------------------------------------------------------


def _upper(poly: Polynomial, fuel: list[int]) -> Bound:
    """An upper bound that replaces one call at a time by a polynomial that bounds it."""
    best = _box(poly).hi
    fuel[0] -= 1
    choice = _choose(poly) if fuel[0] > 0 and poly.depth else None
    if choice is None:
        return best
    cofactor, rest, estimates, all_needed = choice
    uppers = []
    for numerator, denominator in estimates:
        relaxed = cofactor * numerator + rest.scaled(denominator)
        uppers.append(_floor_divide(_upper(relaxed, fuel), denominator))
    return min(best, max(uppers) if all_needed else min(uppers))


_Estimates = list[tuple[Polynomial, int]]


def _choose(poly: Polynomial) -> tuple[Polynomial, Polynomial, _Estimates, bool] | None:
    """Split ``poly`` into ``cofactor * call + rest``, with estimates of the call.

    Case distinctions come first, since a one-sided estimate made before them is weaker.
    """
    found = None
    calls = [atom for atom in poly.atoms() if isinstance(atom, Call)]
    for call in sorted(calls, key=lambda call: -call.depth):
        parts = _collect(poly, call)
        if parts is None:
            continue
        cofactor, rest = parts
        if (cofactor.symbols | rest.symbols).isdisjoint(atom_symbols(call)):
            continue
        lo, hi = _box(cofactor)
        if lo < 0 < hi:
            continue
        estimates, all_needed = _estimates(call, above=lo >= 0)
        if all_needed:
            return cofactor, rest, estimates, True
        if estimates and found is None:
            found = cofactor, rest, estimates, False
    return found


def _collect(poly: Polynomial, call: Call) -> tuple[Polynomial, Polynomial] | None:
    cofactor: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, c in poly.terms:
        quotient = divide_monomials(monomial, ((call, 1),))
        if quotient is None:
            rest[monomial] = c
        elif any(atom == call for atom, _ in quotient):
            return None
        else:
            cofactor[quotient] = c
    return Polynomial(cofactor), Polynomial(rest)


def _estimates(call: Call, *, above: bool) -> tuple[_Estimates, bool]:
    """Fractions that bound the call from one side, and whether only all together do."""
    if call.kind in ("max", "min"):
        return [(arg, 1) for arg in call.args], above is (call.kind == "max")
    found: _Estimates = []
    own = atom_interval(call)
    limit = own.hi if above else own.lo
    if isinstance(limit, int):
        found.append((constant(limit), 1))
    a, b = call.args
    divisor = b.constant
    positive = interval(b).lo > 0
    if call.kind == "//" and divisor is not None:
        found.append((a if above else a - constant(divisor - 1), divisor))
    elif above and positive and interval(a).lo >= 0:
        found.append((a, 1))
    if call.kind == "%" and above and positive and divisor is None:
        found.append((b - constant(1), 1))
    return found, False


# --- arithmetic with infinities (a float would overflow on large ints) ---------------------


def _without_zero(b: Interval) -> Iterable[Interval]:
    if b.lo < 0:
        yield Interval(b.lo, min(b.hi, -1))
    if b.hi > 0:
        yield Interval(max(b.lo, 1), b.hi)


def _plus(x: Bound, y: Bound) -> Bound:
    if isinstance(x, int) and isinstance(y, int):
        return x + y
    return y if isinstance(x, int) else x


def _times(x: Bound, y: Bound) -> Bound:
    if x == 0 or y == 0:
        return 0
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    return INFINITY if (x > 0) == (y > 0) else -INFINITY


def _floor_divide(x: Bound, y: Bound) -> Bound:
    if isinstance(x, int) and isinstance(y, int):
        return x // y
    negative = (x > 0) != (y > 0) and x != 0
    if isinstance(y, int):
        return -INFINITY if negative else INFINITY
    return -1 if negative else 0


def _product(a: Interval, b: Interval) -> Interval:
    corners = [_times(x, y) for x in a for y in b]
    return Interval(min(corners), max(corners))


def _power(base: Interval, exponent: int) -> Interval:
    ends = (base.lo**exponent, base.hi**exponent)
    if exponent % 2 == 0 and base.lo < 0 < base.hi:
        return Interval(0, max(ends))
    return Interval(min(ends), max(ends))
