"""Nested containers of captured values: taken apart and put together again.

Trees are lists, tuples, named tuples, dicts and dataclasses; everything else is a leaf.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from capture.coerce import find_recorder
from capture.inputs import TensorSpec
from capture.symbolic import SYMBOLIC_NUMBERS
from capture.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def children(tree: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """Return a container's items and how to rebuild it, or ``None`` for a leaf."""
    kind = type(tree)
    if kind is TensorSpec:
        return None
    if kind in (list, tuple):
        return list(tree), kind
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return list(tree), lambda items: kind(*items)
    if kind is dict:
        keys = list(tree)
        return list(tree.values()), lambda items: dict(zip(keys, items, strict=True))
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [field.name for field in dataclasses.fields(tree) if field.init]
        values = [getattr(tree, name) for name in names]
        return values, lambda items: dataclasses.replace(
            tree, **dict(zip(names, items, strict=True))
        )
    return None


def child_names(tree: Any) -> list[str]:
    """Return a name for each item of a container."""
    if type(tree) is dict:
        return [str(key) for key in tree]
    if hasattr(tree, "_fields"):
        return list(tree._fields)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [field.name for field in dataclasses.fields(tree) if field.init]
    return [str(position) for position in range(len(tree))]


def flatten(tree: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """Return the leaves of a tree, and a function that rebuilds it around other leaves."""
    split = children(tree)
    if split is None:
        return [tree], lambda leaves: leaves[0]
    items, rebuild = split
    parts = [flatten(item) for item in items]
    leaves = [leaf for part, _ in parts for leaf in part]

    def restore(given: Sequence[Any]) -> Any:
        made, at = [], 0
        for part, make in parts:
            made.append(make(given[at : at + len(part)]))
            at += len(part)
        return rebuild(made)

    return leaves, restore


def is_captured(leaf: Any) -> bool:
    """Whether a leaf is, or holds, something captured."""
    kind = type(leaf)
    return kind is Tensor or kind in SYMBOLIC_NUMBERS or find_recorder(leaf) is not None
