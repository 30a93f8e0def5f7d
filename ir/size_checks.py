"""Which constraints a graph has, and whether the sizes of a run meet them.

Constraints are read off the graph rather than kept beside it, so no pass or format can lose one:
from its inputs (bounds, a symbol on two axes), from :class:`ir.ops.requirements.RequireShape`
nodes, and from windows that must lie inside an axis.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ir.constraints import AtLeast, AtMost, Divisible, Equal, Shared
from ir.dims import Dim, as_symbol, prove_eq, prove_le, symbols_of
from ir.errors import DimError, EvaluationError
from ir.ops.requirements import RequireShape
from ir.ops.shaping import Slice, UpdateSlice
from ir.shapes import window_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ir.constraints import Constraint
    from ir.dims import DimLike, Symbol
    from ir.graph import Graph, Location, Node


def constraints_of(graph: Graph) -> tuple[Constraint, ...]:
    """Return every constraint of a graph once, those of its inputs first."""
    found: dict[Constraint, None] = {}
    for constraint in _declared(graph):
        found.setdefault(constraint)
    for node in graph.nodes:
        if isinstance(node.op, RequireShape):
            for constraint in _required(node, node.op):
                found.setdefault(constraint)
        elif isinstance(node.op, Slice | UpdateSlice):
            for constraint in _inside(node, node.op):
                found.setdefault(constraint)
    return tuple(found)


def _declared(graph: Graph) -> Iterator[Constraint]:
    axes: dict[Symbol, list[tuple[str, int]]] = {}
    dims: dict[Symbol, Dim] = {}
    for value in graph.inputs:
        for axis, dim in enumerate(value.type.shape):
            symbol = as_symbol(dim)
            if symbol is not None and isinstance(dim, Dim):
                axes.setdefault(symbol, []).append((str(value.name), axis))
                dims[symbol] = dim
    for symbol, sites in axes.items():
        if len(sites) > 1:
            yield Shared(dims[symbol], tuple(sites))
        if symbol.min > 0:
            yield AtLeast(dims[symbol], symbol.min)
        if symbol.max is not None:
            yield AtMost(dims[symbol], symbol.max)


def _required(node: Node, op: RequireShape) -> Iterator[Constraint]:
    for given, wanted in zip(node.inputs[0].type.shape, op.shape, strict=True):
        if given == wanted or prove_eq(given, wanted):
            continue
        yield (
            _divisible(given, wanted, node.location)
            or _divisible(wanted, given, node.location)
            or Equal(given, wanted, node.location)
        )


def _divisible(given: DimLike, wanted: DimLike, location: Location | None) -> Divisible | None:
    """Read ``n == 4*(n//4)`` as ``n % 4 == 0``."""
    if not isinstance(wanted, Dim):
        return None
    divisor = math.gcd(*(coefficient for _, coefficient in wanted._poly.terms))
    if divisor > 1 and prove_eq(given - wanted, given % divisor):
        return Divisible(given, divisor, location)
    return None


def _inside(node: Node, op: Slice | UpdateSlice) -> Iterator[Constraint]:
    """A window of a known size lies inside its axis: ``x[5]`` needs ``n >= 6``."""
    sizes = op.sizes if isinstance(op, Slice) else node.inputs[1].type.shape
    rows = zip(op.starts, sizes, op.steps, node.inputs[0].type.shape, strict=True)
    for start, size, step, dim in rows:
        if not (isinstance(size, int) and size > 0 and isinstance(dim, Dim)):
            continue
        low, high = window_ends(start, size, step)
        if not prove_le(0, low):
            yield AtLeast(*_apart(low, 0), node.location)
        if not prove_le(high + 1, dim):
            yield AtLeast(*_apart(dim, high + 1), node.location)


def _apart(dim: DimLike, least: DimLike) -> tuple[DimLike, DimLike]:
    """Bring the number to the right: ``n - 3 >= 0`` is ``n >= 3``."""
    gap = dim - least
    if not isinstance(gap, Dim):
        return dim, least
    number = sum(coefficient for monomial, coefficient in gap._poly.terms if not monomial)
    return gap - number, -number


def check_constraints(graph: Graph, numbers: Mapping[str, int]) -> None:
    """Raise unless the sizes of the inputs meet what the graph asks of them.

    Those on sizes that only the run finds out are checked by their node.

    Raises:
        EvaluationError: Names the constraint, the sizes and the user's line.
    """
    for constraint in graph.constraints:
        names = [symbol.name for symbol in symbols_of(constraint.dims)]
        if not all(name in numbers for name in names):
            continue
        try:
            if constraint.holds(numbers):
                continue
        except (DimError, ZeroDivisionError):
            continue  # the node that computes with such sizes raises
        values = ", ".join(f"{name} is {numbers[name]}" for name in names)
        at = f"\n  needed at {constraint.location}" if constraint.location else ""
        raise EvaluationError(f"{graph.name}: needs {constraint}, but {values}{at}")


def describe_symbols(graph: Graph) -> str:
    """Return which axes stayed open, a line each, and what else the graph asks of them."""
    lines = []
    for symbol, site in graph.symbols.items():
        name = site.value.name or "a computed value"
        where = f"{name}.shape[{site.axis}]"
        forced = [
            c
            for c in graph.constraints
            if isinstance(c, Equal)
            and (as_symbol(c.left), isinstance(c.right, int)) == (symbol, True)
        ]
        if forced:
            at = f", forced at {forced[0].location}" if forced[0].location else ""
            lines.append(f"{symbol.name}: {where}, not open: {forced[0]}{at}")
        else:
            lines.append(f"{symbol.name}: {where}, open")
    for constraint in graph.constraints:
        at = f"  # {constraint.location}" if constraint.location else ""
        lines.append(f"needs {constraint}{at}")
    return "\n".join(lines)
