"""The one error of reading: what is wrong and where, as a JSON pointer."""

from __future__ import annotations

from exporters.errors import ExportError

Token = str | int
_LONGEST_SHOWN = 300


class JsonFormatError(ExportError, ValueError):
    """A file is no graph; the message begins with the JSON pointer of the wrong part.

    The place is kept as tokens, so that a reader deep inside need not know its own path: each
    level adds its token on the way out, and correct files never pay for it.

    Args:
        reason: What is wrong there.
        tokens: Keys and indices from the top of the document to the wrong part.
    """

    def __init__(self, reason: str, tokens: tuple[Token, ...] = ()) -> None:
        super().__init__(reason, tokens)
        self.reason = _shortened(reason)
        self.tokens = tokens

    def within(self, *outer: Token) -> JsonFormatError:
        """Return the error as seen from further out in the document."""
        return JsonFormatError(self.reason, (*outer, *self.tokens))

    @property
    def pointer(self) -> str:
        """The RFC 6901 pointer; empty for the whole document."""
        return "".join(
            f"/{str(token).replace('~', '~0').replace('/', '~1')}" for token in self.tokens
        )

    def __str__(self) -> str:
        where = f"{_shortened(self.pointer)}: " if self.tokens else ""
        return _printable(f"json: {where}{self.reason}")


def _shortened(text: str) -> str:
    """A hostile file chooses how long its keys and names are."""
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _printable(text: str) -> str:
    """Lone surrogates from hostile escapes would break whoever prints the message."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
