"""Nodes that were written already, so that none is written twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from exporters.onnx.term import Term

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from exporters.onnx.primitives import Attribute

Key: TypeAlias = "tuple[Hashable, ...]"

_DRAWING = (
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Bernoulli",
)
_APART = frozenset((*_DRAWING, "Identity"))
"""Operators that give other values each time, and the one that is written to have a second name."""


class Written:
    """Results by operator, operands and attributes.

    Args:
        known: What was written around this graph, whose values it can read.
    """

    def __init__(self, known: Written | None = None) -> None:
        self._terms: dict[Key, tuple[Term, ...]] = dict(known._terms) if known else {}
        self._names: dict[str, str] = known._names if known is not None else {}

    def find(self, key: Key | None) -> tuple[Term, ...] | None:
        """Return the results of an equal node, under the names that they have now."""
        found = self._terms.get(key) if key is not None else None
        for term in found or ():
            term.name = self._names.get(term.name, term.name)
        return found

    def add(self, key: Key | None, *terms: Term) -> None:
        """Remember a node."""
        if key is not None:
            self._terms[key] = terms

    def rename(self, old: str, new: str) -> None:
        """Take note that a value has another name."""
        self._names[old] = new


def key_of(
    op_type: str, operands: Sequence[Term], result: object, attributes: Mapping[str, Attribute]
) -> Key | None:
    """Return what tells equal nodes; ``None`` for those that have to be written each time."""
    parts: list[Hashable] = [op_type, result, *(term.name for term in operands)]
    for name, value in attributes.items():
        if isinstance(value, int | float | str):
            parts.append((name, type(value), repr(value)))
        elif isinstance(value, list | tuple):
            parts.append((name, tuple(value)))
        else:
            return None  # a tensor or a graph
    return None if op_type in _APART else tuple(parts)
