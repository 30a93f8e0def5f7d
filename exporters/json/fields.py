"""Taking typed fields out of decoded JSON objects, with errors that say where."""

from __future__ import annotations

from typing import Any

from exporters.json.errors import JsonFormatError
from exporters.json.schema import EXTENSION_PREFIX, MAX_INTEGER, MIN_INTEGER

Row = dict[str, Any]

_NAMES = {dict: "an object", list: "an array", type(None): "null"}
_LONGEST_SHOWN = 40
_NOTHING: list[Any] = []


def described(plain: Any) -> str:
    """Return what a message says was found; short, however large the part is."""
    named = _NAMES.get(type(plain))
    if named is not None:
        return named
    if type(plain) is bool:
        return "true" if plain else "false"
    if type(plain) is not str:
        return f"number {plain!r}"[:_LONGEST_SHOWN]
    shown = plain if len(plain) <= _LONGEST_SHOWN else f"{plain[:_LONGEST_SHOWN]}…"
    return f"string {shown!r}"


class Layout:
    """The keys that one kind of object has.

    Args:
        required: Keys that must be there.
        optional: Keys that may be there.
    """

    def __init__(self, required: str, optional: str = "") -> None:
        self.required = tuple(required.split())
        self._required = frozenset(self.required)
        self._known = self._required | frozenset(optional.split())

    def read(self, plain: Any) -> Row:
        """Return ``plain`` as an object of this layout; extension keys are let through.

        Raises:
            JsonFormatError: It is no object, lacks a key or has an unknown one.
        """
        row = as_object(plain)
        keys = row.keys()
        if not keys <= self._known:
            for key in row:
                if key not in self._known and not key.startswith(EXTENSION_PREFIX):
                    raise JsonFormatError("the key is unknown", (key,))
        if not keys >= self._required:
            missing = next(key for key in self.required if key not in keys)
            raise JsonFormatError(f"the key {missing!r} is missing")
        return row


def as_text(plain: Any) -> str:
    """Return ``plain`` as a string."""
    if type(plain) is not str:
        raise JsonFormatError(f"expected a string, found {described(plain)}")
    return plain


def as_items(plain: Any) -> list[Any]:
    """Return ``plain`` as an array."""
    if type(plain) is not list:
        raise JsonFormatError(f"expected an array, found {described(plain)}")
    return plain


def as_object(plain: Any) -> Row:
    """Return ``plain`` as an object with any keys."""
    if type(plain) is not dict:
        raise JsonFormatError(f"expected an object, found {described(plain)}")
    return plain


def text(row: Row, key: str, default: str | None = None) -> str:
    """Return the string under ``key``."""
    value = row.get(key, default)
    if type(value) is str:
        return value
    raise JsonFormatError(f"expected a string, found {described(value)}", (key,))


def items(row: Row, key: str) -> list[Any]:
    """Return the array under ``key``, empty where there is none."""
    value = row.get(key, _NOTHING)
    if type(value) is list:
        return value
    raise JsonFormatError(f"expected an array, found {described(value)}", (key,))


def integer(plain: Any, low: int = MIN_INTEGER, high: int = MAX_INTEGER) -> int:
    """Return ``plain`` as an integer from ``low`` to ``high``."""
    if type(plain) is not int:
        raise JsonFormatError(f"expected an integer, found {described(plain)}")
    if not low <= plain <= high:
        raise JsonFormatError(f"{described(plain)} is not from {low} to {high}")
    return plain


def number(row: Row, key: str, low: int, high: int, default: int | None = None) -> int:
    """Return the integer under ``key``, from ``low`` to ``high``."""
    value = row.get(key, default)
    if type(value) is int and low <= value <= high:
        return value
    try:
        return integer(value, low, high)
    except JsonFormatError as error:
        raise error.within(key) from None
