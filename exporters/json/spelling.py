"""Pieces of JSON text: strings, small values, and tables of one row a line."""

from __future__ import annotations

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from exporters.errors import ExportError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROWS_AT_ONCE = 512


def table(key: str, rows: Iterable[str]) -> Iterator[str]:
    """Yield an array with one row a line, many short rows in a piece."""
    yield f',\n"{key}": ['
    separator = "\n"
    batch: list[str] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _ROWS_AT_ONCE:
            yield separator + ",\n".join(batch)
            separator = ",\n"
            batch.clear()
    if batch:
        yield separator + ",\n".join(batch)
    yield "]" if separator == "\n" and not batch else "\n]"


def long_table(key: str, rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield an array with one row a line, each row in pieces of its own."""
    yield f',\n"{key}": ['
    separator = "\n"
    for row in rows:
        yield separator
        yield from row
        separator = ",\n"
    yield "]" if separator == "\n" else "\n]"


def spelled(plain: Any) -> str:
    """Return the JSON text of plain data."""
    if type(plain) is str:
        return quoted(plain)
    if type(plain) is list:
        return f"[{', '.join(map(spelled, plain))}]"
    if type(plain) is dict:
        inner = ", ".join([f"{quoted(key)}: {spelled(item)}" for key, item in plain.items()])
        return f"{{{inner}}}"
    return json.dumps(plain, allow_nan=False)


def quoted(text: str) -> str:
    """Return a JSON string: readable letters of any script, lone surrogates escaped."""
    try:
        quoted: str = encode_basestring(text)
        if not quoted.isascii():
            quoted.encode()
    except (
        UnicodeEncodeError
    ):  # undecodable bytes of a file name: valid in JSON only as \udcXX
        return encode_basestring_ascii(text)
    except TypeError:
        raise ExportError(f"json: expected text, found {text!r}") from None
    return quoted
