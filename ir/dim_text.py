"""Dims as text: ``2*batch + n//2 - 1``, printed and read back.

Grammar, with Python's precedence::

    sum     = product (("+" | "-") product)*
    product = factor (("*" | "//" | "%") factor)*
    factor  = "-"* (int | name | ("max" | "min") "(" sum ("," sum)* ")" | "(" sum ")")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn

from ir.dim_division import extremum, floor_divide, modulo
from ir.dim_polynomial import (
    MAX_DEPTH,
    NAME,
    Atom,
    Call,
    Monomial,
    Polynomial,
    Symbol,
    atom_polynomial,
    constant,
)
from ir.errors import DimError

MAX_LENGTH = 50_000
# A call prints at most two nested parentheses, so every dim that can exist reads back.
MAX_NESTING = 2 * MAX_DEPTH + 4

_TOKEN = re.compile(rf"\s*(?:([0-9]+)|({NAME.pattern})|(//|[-+*%(),]))", re.ASCII)


class DimSyntaxError(DimError):
    """The text is no dim; ``position`` is the offset of the first wrong character."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        super().__init__(f"dim: {problem} at position {position} of {shown!r}")
        self.text = text
        self.position = position
        self.problem = problem

    def __reduce__(self) -> tuple[type[DimSyntaxError], tuple[str, int, str]]:
        return DimSyntaxError, (self.text, self.position, self.problem)


def format_polynomial(poly: Polynomial) -> str:
    """The text of ``poly``; a positive term comes first if there is one."""
    terms = list(poly.terms)
    if not terms:
        return "0"
    first = next((i for i, (_, c) in enumerate(terms) if c > 0), 0)
    terms.insert(0, terms.pop(first))
    head, head_c = terms[0]
    parts = [_format_term(head, head_c, leads=True)]
    for monomial, c in terms[1:]:
        parts.append(" - " if c < 0 else " + ")
        parts.append(_format_term(monomial, abs(c), leads=False))
    return "".join(parts)


def _format_term(monomial: Monomial, c: int, *, leads: bool) -> str:
    if not monomial:
        return str(c)
    lone = len(monomial) == 1 and monomial[0][1] == 1
    if lone and c == 1:
        return _format_atom(monomial[0][0])
    # '//' and '%' bind like '*', and unary minus tighter: as a factor they need parentheses
    factors = [_format_operand(atom) for atom, exponent in monomial for _ in range(exponent)]
    if leads and c == -1:
        return "-" + "*".join(factors)
    return "*".join(factors if c == 1 else [str(c), *factors])


def _format_operand(atom: Atom) -> str:
    text = _format_atom(atom)
    return f"({text})" if isinstance(atom, Call) and atom.kind in ("//", "%") else text


def _format_atom(atom: Atom) -> str:
    if isinstance(atom, Symbol):
        return atom.name
    if atom.kind in ("max", "min"):
        return f"{atom.kind}({', '.join(map(format_polynomial, atom.args))})"
    left, right = map(_format_argument, atom.args)
    return f"{left}//{right}" if atom.kind == "//" else f"{left} % {right}"


def _format_argument(poly: Polynomial) -> str:
    text = format_polynomial(poly)
    atom = poly.lone_atom
    if atom is None:
        bare = poly.constant is not None and poly.constant >= 0
    else:
        bare = isinstance(atom, Symbol) or atom.kind in ("max", "min")
    return text if bare else f"({text})"


def parse_polynomial(text: str, symbols: Mapping[str, Symbol] | None) -> Polynomial:
    """Read what :func:`format_polynomial` wrote; see :func:`ir.dims.parse_dim`."""
    if len(text) > MAX_LENGTH:
        raise DimSyntaxError(text, MAX_LENGTH, f"text longer than {MAX_LENGTH} characters")
    parser = _Parser(text, symbols)
    result = parser.sum()
    if parser.token:
        parser.fail("expected an operator")
    return result


class _Parser:
    """Recursive descent over a token and its position."""

    def __init__(self, text: str, symbols: Mapping[str, Symbol] | None) -> None:
        self.text = text
        self.symbols = symbols
        self.nesting = 0
        self.token = ""
        self.kind = 0  # group of _TOKEN: 1 integer, 2 name, 3 operator, 0 end of text
        self.start = self.end = 0
        self.advance()

    def advance(self) -> str:
        """Step to the next token ('' at the end) and return the one left behind."""
        left = self.token
        match = _TOKEN.match(self.text, self.end)
        if match is None:
            tail = self.text[self.end :]
            self.token, self.kind = "", 0
            self.start = len(self.text) - len(tail.lstrip())
            if tail.strip():
                self.fail(f"unexpected character {self.text[self.start]!r}")
        else:
            self.kind = match.lastindex or 0
            self.token = match[self.kind]
            self.start, self.end = match.start(self.kind), match.end()
        return left

    def fail(self, problem: str) -> NoReturn:
        raise DimSyntaxError(self.text, self.start, problem)

    def expect(self, token: str) -> None:
        if self.token != token:
            self.fail(f"expected {token!r}")
        self.advance()

    def sum(self) -> Polynomial:
        total = self.product()
        while self.token in ("+", "-"):
            sign = 1 if self.advance() == "+" else -1
            total += self.product().scaled(sign)
        return total

    def product(self) -> Polynomial:
        result = self.factor()
        while self.token in ("*", "//", "%"):
            position = self.start
            operator = self.advance()
            right = self.factor()
            if operator == "*":
                result *= right
                continue
            if right.constant == 0:
                raise DimSyntaxError(self.text, position, "division by zero")
            result = (floor_divide if operator == "//" else modulo)(result, right)
        return result

    def factor(self) -> Polynomial:
        sign = 1
        while self.token == "-":
            self.advance()
            sign = -sign
        if self.kind == 1:
            return constant(sign * self.integer())
        if self.kind == 2:
            name, position = self.token, self.start
            self.advance()
            if self.token == "(" and name in ("max", "min"):
                return extremum(name, self.arguments()).scaled(sign)
            return atom_polynomial(self.symbol(name, position)).scaled(sign)
        if self.token != "(":
            self.fail("expected a number, a name or '('")
        arguments = self.arguments()
        if len(arguments) > 1:
            self.fail("unexpected tuple")
        return arguments[0].scaled(sign)

    def arguments(self) -> list[Polynomial]:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            self.fail(f"more than {MAX_NESTING} nested parentheses")
        self.expect("(")
        found = [self.sum()]
        while self.token == ",":
            self.advance()
            found.append(self.sum())
        self.expect(")")
        self.nesting -= 1
        return found

    def integer(self) -> int:
        try:
            value = int(self.token)
        except ValueError:  # Python refuses to convert more than some thousand digits
            self.fail("number too long")
        self.advance()
        return value

    def symbol(self, name: str, position: int) -> Symbol:
        if self.symbols is None:
            return Symbol(name)
        if name not in self.symbols:
            raise DimSyntaxError(self.text, position, f"unknown symbol {name!r}")
        return self.symbols[name]
