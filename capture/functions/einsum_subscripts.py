"""Einsum's subscripts: both spellings as labels per operand and of the result."""

from __future__ import annotations

import operator
import string
from typing import TYPE_CHECKING, Any, NamedTuple

from ir.dims import Dim, prove_eq
from ir.errors import ShapeError
from ir.shapes import broadcast_dims

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ir.dims import DimLike, Shape

_SYMBOLS = string.ascii_uppercase + string.ascii_lowercase
"""The letter that each integer of the sublist form stands for."""

Label = str | int
"""A letter, or for an axis under the ellipsis its distance from the last one (negative)."""


class Subscripts(NamedTuple):
    """What is multiplied with what.

    Attributes:
        terms: One label per axis of each operand.
        output: One label per axis of the result.
    """

    terms: tuple[tuple[Label, ...], ...]
    output: tuple[Label, ...]


def split_arguments(arguments: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Return the subscripts as one string, and the operands.

    Raises:
        ValueError: There is no operand, or a sublist names no axis that exists.
    """
    if not arguments or (isinstance(arguments[0], str) and len(arguments) < 2):
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand"
        )
    if isinstance(arguments[0], str):
        return arguments[0].replace(" ", ""), list(arguments[1:])
    pairs = list(arguments)
    text = ""
    if len(pairs) % 2:
        text = "->" + _letters(pairs.pop())
    return ",".join(map(_letters, pairs[1::2])) + text, pairs[0::2]


def _letters(sublist: Sequence[Any]) -> str:
    text = ""
    for item in sublist:
        if item is Ellipsis:
            text += "..."
            continue
        number = operator.index(item)
        if not 0 <= number < len(_SYMBOLS):
            raise ValueError("subscript is not within the valid range [0, 52)")
        text += _SYMBOLS[number]
    return text


def parse(text: str, shapes: Sequence[Shape]) -> Subscripts:
    """Return the labels of subscripts that NumPy accepts for these ranks."""
    inputs, arrow, output = text.partition("->")
    named = inputs.split(",")
    widths = [
        len(shape) - len(term.replace("...", "")) if "..." in term else 0
        for term, shape in zip(named, shapes, strict=True)
    ]
    terms = tuple(_expand(term, width) for term, width in zip(named, widths, strict=True))
    if arrow:
        return Subscripts(terms, _expand(output, max(widths)))
    letters = inputs.replace(",", "").replace(".", "")
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    return Subscripts(terms, _expand("..." + "".join(once), max(widths)))


def _expand(term: str, width: int) -> tuple[Label, ...]:
    before, dots, after = term.partition("...")
    middle = range(-width, 0) if dots else ()
    return (*before, *middle, *after)


def label_sizes(subscripts: Subscripts, shapes: Sequence[Shape]) -> dict[Label, DimLike]:
    """Return the size of every label; sizes of 1 broadcast between operands.

    Raises:
        ShapeError: Sizes of one label differ, or nothing proves that they agree.
    """
    sizes: dict[Label, DimLike] = {}
    for position, (term, shape) in enumerate(zip(subscripts.terms, shapes, strict=True)):
        own: dict[Label, DimLike] = {}
        for label, size in zip(term, shape, strict=True):
            first = own.setdefault(label, size)
            if first != size and not prove_eq(first, size):
                problem = f"don't match ({first} != {size})"
                if isinstance(first, Dim) or isinstance(size, Dim):
                    problem = f"{first} and {size} are not known to agree"
                raise ShapeError(
                    f"dimensions in single operand for collapsing index '{label}' {problem}"
                )
        for label, size in own.items():
            try:
                sizes[label] = broadcast_dims(sizes.get(label, 1), size)
            except ShapeError as error:
                raise ShapeError(
                    f"operands could not be broadcast together: label {label!r} of operand "
                    f"{position}: {error}"
                ) from None
    return sizes
