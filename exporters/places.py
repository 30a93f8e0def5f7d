"""Where files go: links followed, paths that cannot take a file refused before anything is done."""

from __future__ import annotations

import os
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from exporters.errors import TargetPathError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_LONGEST = 255
"""What a name may take where the file system does not say."""


class TargetFile:
    """The file that an exporter writes, pinned to the folder in which the exporter was made.

    Args:
        path: As the user gave it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = Path() if path.is_absolute() else Path.cwd()

    def place(self) -> Path:
        """Return the file itself, symbolic links followed.

        Raises:
            TargetPathError: No file can be written there.
        """
        place = Path(os.path.realpath(self._folder / self._path))
        problem = _problem(place, place.parent if self._is_link() else self._path.parent)
        if problem is not None:
            raise TargetPathError(f"cannot write {self._path}: {problem}")
        return place

    def _is_link(self) -> bool:
        return os.path.islink(self._folder / self._path)

    def beside(self, other: Path) -> Path:
        """Return a file beside the place as the user would name it."""
        return other if self._is_link() else self._path.with_name(other.name)


def _problem(place: Path, shown: Path) -> str | None:
    """Return what is wrong with a place and a way out; ``shown`` is how its folder is called."""
    folder = place.parent
    if not folder.is_dir():
        return f"there is no folder {shown}\n  way out: make it first"
    if len(os.fsencode(place.name)) > longest_name(folder):
        return "its name is too long for the file system\n  way out: a shorter name"
    if place.is_symlink():  # what following links has left over
        return "its symbolic links lead back to themselves\n  way out: remove the link"
    if place.is_dir():
        return "it is a folder\n  way out: name a file in it"
    if place.exists() and not place.is_file():
        return "it is no regular file, and would be replaced by one\n  way out: name a file"
    for path, what in ((folder, f"the folder {shown}"), (place, "the file there")):
        if path.exists() and not os.access(path, os.W_OK):
            return (
                f"{what} must not be written to\n  way out: another path, or its permissions"
            )
    return None


def longest_name(folder: Path) -> int:
    """Return how many bytes the name of a file in a folder may take."""
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):
        return _LONGEST


def stem_beside(path: Path, added: int) -> str:
    """Return the name of a path, shortened where ``added`` more bytes would be too long."""
    raw = os.fsencode(path.name)
    room = longest_name(path.parent) - added
    if len(raw) <= room:
        return path.name
    return f"{raw[: room - 9].decode(errors='ignore')}~{zlib.crc32(raw):08x}"


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Keep other exports, of this process or another, out of a folder; killed, let them in."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems lock no folders
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def claim(file: BinaryIO) -> bool:
    """Mark an open file as being written, until it is closed; false where somebody else did."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # no locks on this file system: processes are told apart by their names
        return True
    return True


def remove_abandoned(path: Path) -> None:
    """Remove a file that whoever wrote it left behind; one that is being written stays."""
    with suppress(OSError), path.open("rb") as file:
        if claim(file):
            path.unlink(missing_ok=True)
