"""Free text that goes with a graph into every file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_writable(text: object) -> bool:
    """Whether something is text that UTF-8 can hold, as every file format asks."""
    if not isinstance(text, str):
        return False
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, as "\\ud800"
        return False
    return True


def unwritable(metadata: Mapping[str, str]) -> str | None:
    """Return what no file can hold of metadata, as text for a message."""
    for key, value in metadata.items():
        for found in (key, value):
            if not is_writable(found):
                return f"{key!r}: {value!r}: keys and values are text"
    return None
