"""``np.random`` inside a scope: drawing and seeding are refused.

While any scope is open, the drawing and seeding functions of ``np.random`` are replaced by guards.
A guard acts only in the thread or task that is inside a scope and only for user code; NumPy's,
SciPy's and other libraries' own calls reach the original. The last scope to close restores the
originals, and guards that were imported meanwhile pass through for ever after.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.active import current_recorder
from capture.errors import RandomnessError
from capture.interception.libraries import LIBRARIES
from capture.location import INTERNAL, here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CLASSES = ("Generator", "RandomState")
_DRAWS = tuple(
    name
    for name in np.random.__all__
    if callable(getattr(np.random, name)) and name[0].islower() and name != "get_state"
)

_LOCK = threading.Lock()
_installed = 0
_originals: dict[str, Any] = {}


def _user_calls() -> bool:
    """Whether the call two frames up comes from user code inside a scope."""
    if current_recorder() is None:
        return False
    frame = sys._getframe(2)
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package not in LIBRARIES and not INTERNAL[frame.f_code.co_filename]


def _refuse(name: str) -> None:
    """Raise, or note the refusal while a program is explained."""
    what = "seeding" if name == "seed" else "drawing random numbers"
    error = RandomnessError(
        f"np.random.{name}: {what} inside a capture scope is refused, the numbers would be baked "
        f"into the graph silently{here(3)}\n  ways out: seed before the scope; pass drawn arrays "
        "in (they become constants; a Generator made before the scope may draw them); or record a "
        "random op with capture.random.uniform, normal or bernoulli"
    )
    recorder = current_recorder()
    if recorder is None or recorder.examples is None:
        raise error
    recorder.examples.note(error)


def _guard(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if _user_calls():
            _refuse(name)
        return original(*args, **kwargs)

    guarded.__name__ = name
    guarded.__doc__ = original.__doc__
    guarded.__wrapped__ = original  # type: ignore[attr-defined]
    return guarded


def _guard_class(name: str, original: Any) -> Any:
    class Guard(type):
        """Stands for the class in ``isinstance`` and ``issubclass``; refuses only to construct."""

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if _user_calls():
                _refuse(name)
            return original(*args, **kwargs)

        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, original)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, original)

        def __getattr__(cls, attribute: str) -> Any:
            return getattr(original, attribute)

    return Guard(name, (), {"__doc__": original.__doc__, "__wrapped__": original})


def _install() -> None:
    for name in (*_DRAWS, "RandomState"):
        original = getattr(np.random, name)
        _originals[name] = original
        make = _guard_class if name in _CLASSES else _guard
        setattr(np.random, name, make(name, original))


def _uninstall() -> None:
    for name, original in _originals.items():
        setattr(np.random, name, original)
    _originals.clear()


@contextmanager
def guarding_random() -> Iterator[None]:
    """Guard ``np.random`` for the calling thread or task until the block ends."""
    global _installed
    with _LOCK:
        if not _installed:
            _install()
        _installed += 1
    try:
        yield
    finally:
        with _LOCK:
            _installed -= 1
            if not _installed:
                _uninstall()
