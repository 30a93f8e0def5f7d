"""Unique names for the values of the ONNX graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ir.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNSUITED = re.compile(r"[^A-Za-z0-9_.\[\]-]+")


class Namer:
    """Hands out names that clash neither with declared names nor with each other.

    Args:
        declared: Names of inputs and outputs, kept as they are.

    Attributes:
        taken: Every name in use.
        number: The last number given to a value without a hint.
    """

    def __init__(self, declared: Iterable[str]) -> None:
        self.taken = set(declared)
        self.number = 0
        self._counts: dict[str, int] = {}
        self._suited: dict[str, str] = {}

    def fresh(self, hint: str) -> str:
        """Return ``hint`` if it is free, else with a number: ``hint_2``."""
        taken = self.taken
        name = hint
        if name in taken:
            count = self._counts.get(hint, 1)
            while name in taken:
                count += 1
                name = f"{hint}_{count}"
            self._counts[hint] = count
        taken.add(name)
        return name

    def hinted(self, hint: str, prefix: str = "") -> str:
        """Return a free name from the user's own, without characters that tools dislike."""
        suited = self._suited.get(hint)
        if suited is None:
            suited = self._suited[hint] = _UNSUITED.sub("_", hint) or "value"
        return self.fresh(prefix + suited)


class Prefixes(dict[str, str]):
    """What names in a scope begin with: ``encoder/attn`` gives ``encoder/attn/``.

    Args:
        base: What stands before all of them.
    """

    def __init__(self, base: str) -> None:
        super().__init__({"": base})
        self._base = base

    def __missing__(self, scope: str) -> str:
        parts = [_UNSUITED.sub("_", part) for part in scope.split("/") if part]
        prefix = self[scope] = "".join([self._base, *(f"{part}/" for part in parts)])
        return prefix


def declared_names(graph: Graph) -> set[str]:
    """Return the names of a graph's inputs and outputs."""
    return {str(value.name) for value in graph.inputs} | set(graph.output_names)
