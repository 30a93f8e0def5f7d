"""Short texts for drawings: cut to a width, measured in a monospaced font, and said of data."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ir.ops.base import Array

ADVANCE = 0.61
"""Width of a character by its font size: the widest of the usual monospaced fonts."""

_FEW = 8
_MOST_ELEMENTS_READ = 1 << 24


def cells(text: str) -> int:
    """Return how many columns a monospaced font takes: two for wide, none for combining."""
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )


def clipped(text: str, width: int) -> str:
    """Return the text on one line, cut in the middle where it takes more columns."""
    text = " ".join(printable(text).split())
    if cells(text) <= width:
        return text
    head, tail = text, text
    while cells(head) > width - 1 - width // 4:
        head = head[:-1]
    while cells(tail) > width // 4:
        tail = tail[1:]
    return f"{head}…{tail}"


def printable(text: str) -> str:
    """Return the text without what XML cannot hold: control characters and lone surrogates."""
    return "".join(
        character
        if character.isprintable() or character in "\n\t"
        else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def short_data(data: Array) -> str | None:
    """Return a constant's values if it has one, or up to four in a row; else ``None``."""
    if data.size != 1 and (data.ndim != 1 or data.size > 4):
        return None
    with np.printoptions(precision=6, suppress=False):
        return str(data.reshape(-1)[0]) if data.size == 1 else " ".join(str(data).split())


def data_summary(data: Array) -> str:
    """Return size and range of a constant, with its first values."""
    flat = data.reshape(-1)
    first = ", ".join(str(item) for item in flat[:_FEW])
    if data.size <= _FEW:
        return first or "no elements"
    parts = [f"{data.nbytes:,} bytes"]
    if data.dtype.kind in "iufb" and data.size <= _MOST_ELEMENTS_READ:
        parts.append(f"min {flat.min():.6g}, max {flat.max():.6g}")
        with np.errstate(all="ignore"):
            parts.append(f"mean {flat.mean(dtype=np.float64):.4g}")
            parts.append(f"std {flat.std(dtype=np.float64):.4g}")
    return f"{', '.join(parts)}; starts {first}"
