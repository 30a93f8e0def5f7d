"""JSON text to plain data, refusing what the standard library would let through.

Duplicate keys, ``NaN``, ``Infinity``, endless digits and endless nesting are refused. The
decoder does not know where in the document it is, so it leaves a :class:`_Refused` mark in
place of what is wrong, and the mark is looked for only when there is one.
"""

from __future__ import annotations

import json
from typing import Any

from exporters.json.errors import JsonFormatError, Token

_LONGEST_NUMBER = 400
"""Digits; more than any 64-bit integer and any float written by ``repr`` has."""


class _Refused:
    """Stands in the decoded tree for a part that JSON or this format forbids."""

    def __init__(self, reason: str, *tokens: Token) -> None:
        self.reason = reason
        self.tokens = tokens


def decode(document: str | bytes | bytearray) -> Any:
    """Return the document as dicts, lists, strings, numbers, bools and ``None``.

    Raises:
        JsonFormatError: It is no UTF-8 or no JSON, or has duplicate keys, ``NaN``,
            ``Infinity``, endless digits or endless nesting.
    """
    if not isinstance(document, str):
        try:
            document = document.decode("utf-8")
        except UnicodeDecodeError as error:
            raise JsonFormatError(f"not UTF-8 at byte {error.start}") from None
    try:
        plain, refused = _parse(document)
    except json.JSONDecodeError as error:
        raise JsonFormatError(
            f"no JSON at line {error.lineno}, column {error.colno}: {error.msg.lower()}"
        ) from None
    except RecursionError:
        raise JsonFormatError("nested too deeply") from None
    if refused:
        raise _first_refused(plain)
    return plain


def _parse(text: str) -> tuple[Any, bool]:
    try:
        return _decode_text(text, limit_digits=False)
    except json.JSONDecodeError:
        raise
    except ValueError:  # digits beyond Python's own limit: find them, at a third of the speed
        return _decode_text(text, limit_digits=True)


def _decode_text(text: str, *, limit_digits: bool) -> tuple[Any, bool]:
    marks: list[_Refused] = []

    def refuse(reason: str, *tokens: Token) -> _Refused:
        marks.append(_Refused(reason, *tokens))
        return marks[-1]

    def to_object(pairs: list[tuple[str, Any]]) -> Any:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        last = {key: index for index, (key, _) in enumerate(pairs)}
        twice = next(key for index, (key, _) in enumerate(pairs) if last[key] != index)
        return refuse("the key occurs twice", twice)

    def to_integer(digits: str) -> Any:
        if len(digits) > _LONGEST_NUMBER:
            return refuse(f"a number of {len(digits)} digits")
        return int(digits)

    decoder = json.JSONDecoder(
        object_pairs_hook=to_object,
        parse_constant=lambda text: refuse(f"{text} is no JSON number"),
        parse_int=to_integer if limit_digits else None,
    )
    return decoder.decode(text), bool(marks)


def _first_refused(plain: Any) -> JsonFormatError:
    """Return the error for the mark that is reached first from the top."""
    stack: list[tuple[tuple[Token, ...], Any]] = [((), plain)]
    while stack:
        tokens, part = stack.pop()
        if isinstance(part, _Refused):
            return JsonFormatError(part.reason, (*tokens, *part.tokens))
        if isinstance(part, dict):
            children: list[tuple[Token, Any]] = list(part.items())
        elif isinstance(part, list):
            children = list(enumerate(part))
        else:
            continue
        stack.extend(((*tokens, token), child) for token, child in reversed(children))
    raise AssertionError("a mark is always in the tree: an object that loses one is one")
