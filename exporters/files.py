"""Writing files so that a reader sees the old content or the new, never a part."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class AtomicFiles:
    """Files written under temporary names that take their places together at the end.

    They are synced and renamed in the order they were opened, so open first what later ones
    refer to (external data before its model). On any exception every temporary file is removed
    and the old files stay whole. Leftovers of a killed earlier run are removed on opening.
    """

    def __init__(self) -> None:
        self._files: list[BinaryIO] = []
        self._temporary: list[Path] = []
        self._places: list[Path] = []

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
        temporary = path.with_name(f".{path.name}.tmp-{os.getpid()}")
        file = temporary.open("wb")
        self._files.append(file)
        self._temporary.append(temporary)
        self._places.append(path)
        return file

    def rename(self, file: BinaryIO, path: Path) -> None:
        """Choose another place in the same folder, such as a name known only when written."""
        self._places[self._files.index(file)] = path

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        added: list[Path] = []
        try:
            if kind is None:
                self._sync()
                self._take_places(added)
        except BaseException:
            kind = kind or True
            raise
        finally:
            if kind is not None:
                self._discard(added)

    def _sync(self) -> None:
        for file in self._files:
            file.flush()
            os.fsync(file.fileno())
            file.close()

    def _take_places(self, added: list[Path]) -> None:
        for temporary, path in zip(self._temporary, self._places, strict=True):
            is_new = not path.exists()
            os.replace(temporary, path)
            if is_new:
                added.append(path)
            _sync_folder(path.parent)  # the next file may rely on this one being there

    def _discard(self, added: list[Path]) -> None:
        """Remove what was written; files that were not there before go too.

        Unless the last file has its place: then all have, and it may refer to the others.
        """
        for file in self._files:
            try:
                file.close()
            except OSError:  # what is still buffered may have no room, and is not wanted
                continue
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


def remove_unused(paths: Iterable[Path]) -> None:
    """Remove files that nothing needs any more; one that is in use is left for the next time."""
    for path in paths:
        with suppress(OSError):
            path.unlink()


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files for ``path`` whose process is no more."""
    pattern = re.compile(re.escape(f".{path.name}.tmp-") + r"(\d+)")
    for entry in list(path.parent.iterdir()):
        match = pattern.fullmatch(entry.name)
        if match and not _is_running(int(match[1])):
            entry.unlink(missing_ok=True)


def _is_running(pid: int) -> bool:
    if pid == os.getpid():
        return False  # ours from an earlier export: this process writes one file at a time
    if os.name == "nt":
        return True  # signal 0 would end the process there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Make the renames themselves durable, where the platform can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
