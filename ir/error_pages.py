"""Where an error is explained: the last line of every message we raise on purpose."""

from __future__ import annotations

from typing import Any, Self

PAGE = "docs/errors.md"
_OURS = ("capture", "ir", "exporters")


class DocumentedError(Exception):
    """An error with a section in ``docs/errors.md``, which its last note names.

    A note, so that ``str(error)`` stays the message; tracebacks and the command line show both.
    """

    __notes__: list[str]

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        """Note the page."""
        error = super().__new__(cls, *args, **parameters)
        error.__notes__ = [f"  see {page_of(cls)}"]
        return error

    def add_note(self, note: str, /) -> None:
        """Add a note before the one that names the page."""
        self.__notes__.insert(-1, note)


def page_of(error: type[BaseException]) -> str:
    """Return page and anchor of an error class; another package's class has its base's."""
    ours = next(
        (base for base in error.__mro__ if base.__module__.partition(".")[0] in _OURS), error
    )
    return f"{PAGE}#{ours.__name__.lower()}"
