"""The user's line on errors that NumPy would have raised without one.

A refusal of ours quotes the line in its message. What NumPy raises, or we in its words, keeps
its type and its message to the letter, because programs compare them; the line is a note, which
Python prints right below the message.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

from capture.location import INTERNAL, source_line, user_location

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = "  at "
Class = TypeVar("Class", bound=type)


def add_users_line(error: Exception) -> None:
    """Note the user's current line, unless the error names one or the user's code raised it."""
    notes = getattr(error, "__notes__", ())
    if f"\n{_MARK}" in str(error) or any(note.startswith(_MARK) for note in notes):
        return
    if _raised_inside(error):
        at = source_line(user_location())
        if at:
            error.add_note(at)


def _raised_inside(error: Exception) -> bool:
    traceback = error.__traceback__
    if traceback is None:
        return True
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return INTERNAL[traceback.tb_frame.f_code.co_filename]


def rename_call(error: Exception, handler: Callable[..., Any], name: str) -> None:
    """Let a call with wrong arguments be told of the function that the user called."""
    ours = f"{handler.__name__}() "
    if type(error) is TypeError and str(error).startswith(ours):
        error.args = (f"{name}() {str(error).removeprefix(ours)}", *error.args[1:])


def told(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method whose errors have the user's line."""

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except Exception as error:
            add_users_line(error)
            raise

    return call


def telling(cls: Class) -> Class:
    """Let the public methods and properties of a class note the user's line on their errors."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            assert member.fget is not None
            setattr(cls, name, member.getter(told(member.fget)))
        elif callable(member):
            setattr(cls, name, told(member))
    return cls
