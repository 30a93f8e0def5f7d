"""Run-time sizes: symbolic dims as int64 nodes, each written once and only where needed."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from exporters.errors import ExportError
from exporters.onnx.term import Term
from ir.dim_polynomial import Symbol
from ir.dims import Dim, bounds
from ir.types import INT64

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exporters.onnx.emitter import Emitter
    from ir.dim_polynomial import Atom, Monomial, Polynomial
    from ir.dims import DimLike, Shape
    from ir.graph import Definition, Value


def at_least(dim: DimLike, minimum: int) -> bool:
    """Whether a dim is known to be ``minimum`` or more."""
    least = bounds(dim)[0]
    return least is not None and least >= minimum


class Sizes:
    """Sizes of one graph as terms: int64 vectors of one element, ready to be joined.

    Args:
        emitter: Where nodes go.
        definitions: The definition site of every symbol.
        term: Gives the term of an IR value.
        given: Sizes that come from around a nested graph.
    """

    def __init__(
        self,
        emitter: Emitter,
        definitions: Mapping[Symbol, Definition],
        term: Callable[[Value], Term],
        given: Mapping[Atom, Term] | None = None,
    ) -> None:
        self.emitter = emitter
        self._definitions = definitions
        self._term = term
        self._polynomials: dict[Polynomial, Term] = {}
        self._products: dict[tuple[Monomial, int], Term] = {}
        self._scalars: dict[Dim, Term] = {}
        self._vectors: dict[Shape, Term] = {}
        self._flags: dict[tuple[str, DimLike], Term] = {}
        self._atoms: dict[Atom, Term] = dict(given or {})

    def dim(self, dim: DimLike) -> Term:
        """Return a size as an int64 vector of one element."""
        if not isinstance(dim, Dim):
            return self.emitter.integers([dim])
        return self._polynomial(dim._poly)

    def scalar(self, dim: DimLike) -> Term:
        """Return a size as a 0-d int64."""
        if not isinstance(dim, Dim):
            return self.emitter.constant(dim, INT64)
        found = self._scalars.get(dim)
        if found is None:
            found = self.emitter.node("Squeeze", self.dim(dim), self.emitter.integers([0]))
            self._scalars[dim] = found
        return found

    def vector(self, dims: Shape) -> Term:
        """Return sizes as one int64 vector: a constant where all are numbers."""
        found = self._vectors.get(dims)
        if found is None:
            found = self._vectors[dims] = self._joined(dims)
        return found

    def _joined(self, dims: Shape) -> Term:
        runs: list[list[int] | Dim] = []
        for dim in dims:
            if isinstance(dim, Dim):
                runs.append(dim)
            elif runs and isinstance(runs[-1], list):
                runs[-1].append(dim)
            else:
                runs.append([dim])
        parts = [
            self.emitter.integers(run) if isinstance(run, list) else self.dim(run)
            for run in runs
        ]
        if not parts:
            return self.emitter.integers([])
        return parts[0] if len(parts) == 1 else self.emitter.node("Concat", *parts, axis=0)

    def reshape(self, x: Term, old: Shape, new: Shape) -> Term:
        """Return ``x`` of shape ``old`` in shape ``new``; run-time sizes only where needed."""
        if old == new:
            return x
        emitter = self.emitter
        target = _reshape_constant(old, new)
        if target is not None:
            return emitter.apply("Reshape", x, emitter.integers(target))
        return emitter.apply("Reshape", x, self.vector(new), allowzero=1)

    def expand(self, x: Term, old: Shape, new: Shape) -> Term:
        """Return ``x`` broadcast from shape ``old`` to ``new``."""
        if old == new:
            return x
        offset = len(new) - len(old)
        # the runtime drops an Expand that only makes axes empty, so they are emptied before
        emptied = [a for a, dim in enumerate(old) if dim == 1 and new[a + offset] == 0]
        if emptied:
            nothing = self.emitter.integers([0] * len(emptied))
            x = self.emitter.apply(
                "Slice", x, nothing, nothing, self.emitter.integers(emptied)
            )
            old = tuple(0 if axis in emptied else dim for axis, dim in enumerate(old))
            if old == new:
                return x
        # a 1 in the target keeps the operand's own size, so sizes that stay need no computing
        target = tuple(
            1 if axis >= offset and old[axis - offset] == dim else dim
            for axis, dim in enumerate(new)
        )
        return self.emitter.apply("Expand", x, self.vector(target))

    def flag_if_empty(self, dim: DimLike) -> Term:
        """Return an int64 vector of a single 0, from a node that fails where ``dim`` is 0.

        Added to something on the data path it turns a reduction over nothing, which the
        runtime would answer with -inf, into the error NumPy raises.
        """
        found = self._flags.get(("not empty", dim))
        if found is None:
            found = self._flag(self.dim(dim))
            self._flags["not empty", dim] = found
        return found

    def _flag(self, step: Term) -> Term:
        """Return an int64 vector of a single 0, from a node that fails where ``step`` is 0.

        A range from 0 to 1 has one element at any other step, which is never negative.
        """
        scalar = self.emitter.node("Squeeze", step, self.emitter.integers([0]))
        zero, one = self.emitter.constant(0, INT64), self.emitter.constant(1, INT64)
        return self.emitter.node("Range", zero, one, scalar)

    def proved(self, x: Term, gap: DimLike, shape: Term) -> Term:
        """Return ``x`` reshaped to ``shape``, by nodes that fail unless ``gap`` >= 0 is 0."""
        flag = self._flags.get(("met", gap))
        if flag is None:
            vector = self._flag(self.dim(gap).equals(0).to(INT64))
            # 0-d, because the runtime does not know that the vector has one element
            flag = self.emitter.node("Squeeze", vector, self.emitter.integers([0]))
            self._flags["met", gap] = flag
        return self.emitter.apply("Reshape", x, shape + flag, allowzero=1)

    # --- polynomials ----------------------------------------------------------------------

    def _polynomial(self, polynomial: Polynomial) -> Term:
        found = self._polynomials.get(polynomial)
        if found is None:
            for monomial, coefficient in polynomial.terms:
                product = self._product(monomial, coefficient)
                found = product if found is None else found + product
            found = self.emitter.integers([0]) if found is None else found
            self._polynomials[polynomial] = found
        return found

    def _product(self, monomial: Monomial, coefficient: int) -> Term:
        if not monomial:
            return self.emitter.integers([coefficient])
        found = self._products.get((monomial, coefficient))
        if found is not None:
            return found
        if coefficient != 1:
            found = self._product(monomial, 1) * self.emitter.integers([coefficient])
        else:
            for atom, exponent in monomial:
                for _ in range(exponent):
                    factor = self._atom(atom)
                    found = factor if found is None else found * factor
        assert found is not None
        self._products[monomial, coefficient] = found
        return found

    def _atom(self, atom: Atom) -> Term:
        found = self._atoms.get(atom)
        if found is None:
            found = self._symbol(atom) if isinstance(atom, Symbol) else self._call(atom)
            self._atoms[atom] = found
        return found

    def _symbol(self, symbol: Symbol) -> Term:
        site = self._definitions.get(symbol)
        if site is None:
            raise ExportError(f"symbol {symbol.name!r} has no axis to take its number from")
        return self.emitter.node(
            "Shape", self._term(site.value), result=INT64, start=site.axis, end=site.axis + 1
        )

    def _call(self, atom: Atom) -> Term:
        assert not isinstance(atom, Symbol)
        arguments = [self._polynomial(argument) for argument in atom.args]
        return _CALLS[atom.kind](self.emitter, *arguments)


def _floor_divide(emitter: Emitter, a: Term, b: Term) -> Term:
    return (a - _modulo(emitter, a, b)) / b


def _modulo(emitter: Emitter, a: Term, b: Term) -> Term:
    return emitter.node("Mod", a, b)  # integer Mod takes the divisor's sign, as Python's


def _max(emitter: Emitter, *arguments: Term) -> Term:
    return reduce(Term.maximum, arguments)


def _min(emitter: Emitter, *arguments: Term) -> Term:
    return reduce(Term.minimum, arguments)


_CALLS: dict[str, Callable[..., Term]] = {
    "//": _floor_divide,
    "%": _modulo,
    "max": _max,
    "min": _min,
}


def _reshape_constant(old: Shape, new: Shape) -> list[int] | None:
    """Return a constant Reshape target (0 copies an axis, -1 is inferred), if one exists.

    With a number 0 in the shape this needs ``allowzero`` and so real sizes; a -1 beside copied
    axes that may be 0 could not be inferred.
    """
    if any(dim == 0 for dim in new):
        return None
    target = [
        dim if not isinstance(dim, Dim) else 0 if axis < len(old) and old[axis] == dim else -1
        for axis, dim in enumerate(new)
    ]
    inferred = target.count(-1)
    if inferred > 1:
        return None
    if inferred == 1:
        copied = [new[axis] for axis, number in enumerate(target) if number == 0]
        if not all(at_least(dim, 1) for dim in copied):
            return None
    return target


def static_shape(shape: Shape) -> tuple[int, ...] | None:
    """Return the shape where all its dims are numbers."""
    numbers = tuple(dim for dim in shape if not isinstance(dim, Dim))
    return numbers if len(numbers) == len(shape) else None


def element_count(shape: tuple[int, ...]) -> int:
    """Return the number of elements of a static shape."""
    return int(np.prod(shape, dtype=np.int64))
