"""Sizes for made-up inputs that meet what a graph asks of them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from ir.constraints import AtLeast, Divisible
from ir.dims import Dim, symbols_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ir.constraints import Constraint
    from ir.dims import Symbol
    from ir.graph import Graph

_NEARBY = 600
_AROUND = 8
_MULTIPLES = 4


def fitting_sizes(
    sizes: Mapping[str, int],
    symbols: Mapping[str, Symbol],
    constraints: Sequence[Constraint],
    wishes: Sequence[Constraint] = (),
) -> dict[str, int]:
    """Change sizes until the constraints hold; give up where one change at a time does not do.

    Args:
        sizes: A size for each symbol of the inputs, within its bounds.
        symbols: The symbols by name.
        constraints: What the graph asks; those that also speak of other symbols are left alone.
        wishes: What is met after these, where it can be.
    """
    result = dict(sizes)
    asked = [constraint for constraint in constraints if _speaks_of(constraint, sizes)]
    for at, constraint in enumerate(asked):
        if not constraint.holds(result):
            result |= _repaired(result, symbols, constraint, asked[: at + 1])
    for wish in wishes:
        if _speaks_of(wish, sizes):
            result |= _repaired(result, symbols, wish, [*asked, wish])
            asked += [wish] if wish.holds(result) else []
    return result


def not_empty(graph: Graph) -> list[Constraint]:
    """Return that no output is empty: arrays without elements agree whatever computed them."""
    dims = (dim for value in graph.outputs for dim in value.type.shape)
    return [AtLeast(dim, 1) for dim in dict.fromkeys(dims) if isinstance(dim, Dim)]


def _speaks_of(constraint: Constraint, sizes: Mapping[str, int]) -> bool:
    return {symbol.name for symbol in symbols_of(constraint.dims)} <= sizes.keys()


def _repaired(
    sizes: dict[str, int],
    symbols: Mapping[str, Symbol],
    broken: Constraint,
    together: Sequence[Constraint],
) -> dict[str, int]:
    """Return one new size with which all of ``together`` hold, or nothing."""
    for symbol in symbols_of(broken.dims):
        least = symbols[symbol.name].min if symbol.name in symbols else 0
        most = symbols[symbol.name].max if symbol.name in symbols else None
        for size in _candidates(broken, sizes[symbol.name]):
            changed = sizes | {symbol.name: size}
            inside = size >= least and (most is None or size <= most)
            if inside and all(constraint.holds(changed) for constraint in together):
                return {symbol.name: size}
    return {}


def _candidates(broken: Constraint, size: int) -> Iterator[int]:
    """Yield sizes to try: larger ones first, around multiples of a divisor, then smaller."""
    divisor = broken.divisor if isinstance(broken, Divisible) else 0
    multiples = (k * divisor + d for k in range(1, _MULTIPLES) for d in range(_AROUND))
    below = (k * divisor - d for k in range(1, _MULTIPLES) for d in range(1, _AROUND))
    larger = (1 << k for k in range(10, 17))
    return chain(range(size, size + _NEARBY), multiples, below, larger, reversed(range(size)))
