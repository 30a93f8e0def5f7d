"""Places where a value is kept and can be exchanged: entries, items, attributes, cells."""

from __future__ import annotations

import functools
from typing import Any, Protocol

MISSING: Any = object()
"""What a place without a value holds."""


class Place(Protocol):
    """Somewhere a value is kept."""

    def get(self) -> Any:
        """Return what is there now, or :data:`MISSING`."""
        ...

    def set(self, value: Any) -> None:
        """Put a value there; :data:`MISSING` removes the place itself."""
        ...


def place_name(place: Place) -> str:
    """Return what a program calls a place: a name or an attribute."""
    if isinstance(place, Attribute):
        return place.name
    if isinstance(place, Entry) and isinstance(place.key, str):
        return place.key
    return "a variable of an outer function" if isinstance(place, Cell) else "an item"


class Entry:
    """An entry of a dictionary, for example a name in a namespace."""

    __slots__ = ("key", "mapping")

    def __init__(self, mapping: dict[Any, Any], key: Any) -> None:
        self.mapping = mapping
        self.key = key

    def get(self) -> Any:
        """Return the entry."""
        return dict.get(self.mapping, self.key, MISSING)

    def set(self, value: Any) -> None:
        """Set or delete the entry, whatever a subclass would do."""
        if value is MISSING:
            dict.__delitem__(self.mapping, self.key)
        else:
            dict.__setitem__(self.mapping, self.key, value)


class Item:
    """An item of a list, found again wherever it has moved."""

    __slots__ = ("items", "position", "value")

    def __init__(self, items: list[Any], position: int) -> None:
        self.items = items
        self.position = position
        self.value = items[position]

    def get(self) -> Any:
        """Return the item put here last, if the list still has it."""
        items = self.items
        if self.position < len(items) and items[self.position] is self.value:
            return self.value
        for position, item in enumerate(items):
            if item is self.value:
                self.position = position
                return item
        return MISSING

    def set(self, value: Any) -> None:
        """Replace the item where it is now."""
        if self.get() is not MISSING:
            list.__setitem__(self.items, self.position, value)
            self.value = value


class Attribute:
    """An attribute of a class, of an object with slots, or of a function (its defaults)."""

    __slots__ = ("holder", "name")

    def __init__(self, holder: Any, name: str) -> None:
        self.holder = holder
        self.name = name

    def get(self) -> Any:
        """Return the attribute, for a class its own and unbound."""
        if isinstance(self.holder, type):
            return vars(self.holder).get(self.name, MISSING)
        return getattr(self.holder, self.name, MISSING)

    def set(self, value: Any) -> None:
        """Set it, even on a frozen object."""
        if isinstance(self.holder, type):
            type.__setattr__(self.holder, self.name, value)
        else:
            object.__setattr__(self.holder, self.name, value)


class Cell:
    """A variable that a function closes over."""

    __slots__ = ("cell",)

    def __init__(self, cell: Any) -> None:
        self.cell = cell

    def get(self) -> Any:
        """Return the variable."""
        try:
            return self.cell.cell_contents
        except ValueError:  # not bound yet, or deleted
            return MISSING

    def set(self, value: Any) -> None:
        """Bind the variable."""
        self.cell.cell_contents = value


class BoundArguments:
    """The positional arguments of a :class:`functools.partial`."""

    __slots__ = ("partial",)

    def __init__(self, partial: functools.partial[Any]) -> None:
        self.partial = partial

    def get(self) -> Any:
        """Return the tuple."""
        return self.partial.args

    def set(self, value: Any) -> None:
        """Exchange the tuple."""
        partial: Any = self.partial
        function, _, keywords, namespace = partial.__reduce__()[2]
        partial.__setstate__((function, value, keywords, namespace))
