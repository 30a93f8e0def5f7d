"""Writing files so that a reader sees the old content or the new, never a part."""

from __future__ import annotations

import itertools
import os
import re
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from exporters.places import claim, exclusive, remove_abandoned, stem_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_numbers = itertools.count()
_MARK = ".tmp-"
_MARKED = 48
"""What temporary names add to a name, at most."""


class AtomicFiles:
    """Files written under temporary names that take their places together at the end.

    They are synced and renamed in the order they were opened, so open first what later ones
    refer to (external data before its model). On any exception every temporary file is removed
    and the old files stay whole. Leftovers of a killed earlier run are removed on opening.

    Exports to one folder take their places one after the other, whichever thread or process
    they are in: each finds the files of another all there or not at all.
    """

    def __init__(self) -> None:
        self._files: list[BinaryIO] = []
        self._temporary: list[Path] = []
        self._places: list[Path] = []
        self._find_unused: Callable[[], Iterable[Path]] = tuple

    def __enter__(self) -> Self:
        return self

    def open(self, path: Path) -> BinaryIO:
        """Return a new file beside ``path``, whose folder must exist.

        Raises:
            ValueError: The path was opened before.
        """
        if path.absolute() in [place.absolute() for place in self._places]:
            raise ValueError(f"a path is given twice: {path}")
        _remove_leftovers(path)
        temporary, file = _new_file(path)
        self._files.append(file)
        self._temporary.append(temporary)
        self._places.append(path)
        return file

    def rename(self, file: BinaryIO, path: Path) -> None:
        """Choose another place in the same folder, such as a name known only when written."""
        self._places[self._files.index(file)] = path

    def replaces(self, find: Callable[[], Iterable[Path]]) -> None:
        """Remove what ``find`` finds, except the new files, once these have their places."""
        self._find_unused = find

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if kind is not None or not self._files:
            self._discard([])
            return
        added: list[Path] = []
        try:
            self._sync()
            with exclusive(self._places[-1].parent):
                try:
                    self._take_places(added)
                except BaseException:
                    self._discard(added)
                    raise
                self._remove_unused()
        except BaseException:
            self._discard([])
            raise
        for file in self._files:
            file.close()

    def _sync(self) -> None:
        with suppress(OSError):  # a new file keeps the permissions of the one it replaces
            mode = os.stat(self._places[-1]).st_mode & 0o777
            for temporary in self._temporary:
                temporary.chmod(mode)
        for file in self._files:
            file.flush()
            os.fsync(file.fileno())
            if os.name == "nt":  # which renames no open file; elsewhere it stays claimed
                file.close()

    def _take_places(self, added: list[Path]) -> None:
        for temporary, path in zip(self._temporary, self._places, strict=True):
            is_new = not path.exists()
            os.replace(temporary, path)
            if is_new:
                added.append(path)
            _sync_folder(path.parent)  # the next file may rely on this one being there

    def _remove_unused(self) -> None:
        with suppress(OSError):  # what is in use is left for the next time
            for path in self._find_unused():
                if path not in self._places:
                    path.unlink()

    def _discard(self, added: list[Path]) -> None:
        """Remove what was written; files that were not there before go too.

        Unless the last file has its place: then all have, and it may refer to the others.
        """
        for file in self._files:
            with suppress(OSError):  # what is still buffered may have no room
                file.close()
        if added and not self._temporary[-1].exists():
            added.clear()
        for path in (*self._temporary, *added):
            path.unlink(missing_ok=True)


@contextmanager
def atomic_files(*paths: Path) -> Iterator[tuple[BinaryIO, ...]]:
    """Open a temporary file beside each path; on success they take the paths' places.

    Args:
        *paths: Where the files go, in the order of :class:`AtomicFiles`.

    Yields:
        One open binary file per path.

    Raises:
        ValueError: A path is given twice.
    """
    with AtomicFiles() as files:
        yield tuple([files.open(path) for path in paths])


def _new_file(path: Path) -> tuple[Path, BinaryIO]:
    """Make a file of a name that nobody else has, neither a thread nor a process."""
    while True:
        name = f".{stem_beside(path, _MARKED)}{_MARK}{os.getpid()}-{next(_numbers)}"
        temporary = path.with_name(name)
        try:
            file = temporary.open("xb")
        except FileExistsError:  # of a killed process of our number that another looks at
            continue
        with suppress(OSError):
            if claim(file) and os.path.samestat(os.fstat(file.fileno()), os.stat(temporary)):
                return temporary, file
        file.close()  # taken for abandoned between the making and the claim


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files for ``path`` that nobody writes any more."""
    pattern = re.compile(re.escape(f".{stem_beside(path, _MARKED)}{_MARK}") + r"\d+(-\d+)?")
    for entry in list(path.parent.iterdir()):
        if pattern.fullmatch(entry.name):
            remove_abandoned(entry)


def _sync_folder(folder: Path) -> None:
    """Make the renames themselves durable, where the platform can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
