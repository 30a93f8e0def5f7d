"""Dim polynomials with numbers, or other polynomials, put in for their symbols."""

from __future__ import annotations

from collections.abc import Mapping

from ir.dim_bounds import atom_interval, interval
from ir.dim_division import extremum, floor_divide, modulo
from ir.dim_polynomial import Atom, Call, Polynomial, Symbol
from ir.dim_text import format_polynomial
from ir.errors import DimError


class UnboundSymbolError(DimError, KeyError):
    """A dim was evaluated without a value for one of its symbols."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


def evaluate_polynomial(poly: Polynomial, bindings: Mapping[str, int]) -> int:
    """See :func:`ir.dims.evaluate`."""
    total = 0
    for monomial, c in poly.terms:
        for atom, exponent in monomial:
            c *= _atom_value(atom, bindings) ** exponent
        total += c
    return total


def _atom_value(atom: Atom, bindings: Mapping[str, int]) -> int:
    if isinstance(atom, Symbol):
        if atom.name not in bindings:
            known = ", ".join(sorted(bindings)) or "no symbol"
            raise UnboundSymbolError(f"dim: no value for {atom.name} (given: {known})")
        value = int(bindings[atom.name])
        lo, hi = atom_interval(atom)
        if not lo <= value <= hi:
            raise DimError(f"dim: {atom.name} = {value} contradicts {atom.described}")
        return value
    args = [evaluate_polynomial(arg, bindings) for arg in atom.args]
    if atom.kind == "//":
        return args[0] // args[1]
    if atom.kind == "%":
        return args[0] % args[1]
    return max(args) if atom.kind == "max" else min(args)


def substitute_symbols(poly: Polynomial, by_name: Mapping[str, Polynomial]) -> Polynomial:
    """See :func:`ir.dims.substitute`."""
    replacements: dict[Atom, Polynomial] = {}
    for atom in poly.atoms():
        if isinstance(atom, Call):
            replacements[atom] = _rebuilt(atom, by_name)
        elif atom.name in by_name:
            lo, hi = interval(by_name[atom.name])
            own = atom_interval(atom)
            if hi < own.lo or lo > own.hi:
                value = format_polynomial(by_name[atom.name])
                raise DimError(f"dim: {atom.name} = {value} contradicts {atom.described}")
            replacements[atom] = by_name[atom.name]
    return poly.map_atoms(replacements)


def _rebuilt(call: Call, by_name: Mapping[str, Polynomial]) -> Polynomial:
    args = [substitute_symbols(arg, by_name) for arg in call.args]
    if call.kind == "//":
        return floor_divide(args[0], args[1])
    if call.kind == "%":
        return modulo(args[0], args[1])
    return extremum(call.kind, args)
