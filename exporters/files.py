"""Writing files so that a reader sees the old content or the new, never a part."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def atomic_files(*paths: Path) -> Iterator[tuple[BinaryIO, ...]]:
    """Open a temporary file beside each path; on success they take the paths' places.

    The files are synced and renamed in the given order, so name first what later ones refer to
    (external data before its model). On any exception every temporary file is removed and the
    old files stay whole. Leftovers of a killed earlier run are removed on entry.

    Args:
        *paths: Where the files go; the folders must exist.

    Yields:
        One open binary file per path.

    Raises:
        ValueError: A path is given twice.
    """
    if len({path.absolute() for path in paths}) != len(paths):
        raise ValueError(f"atomic_files: a path is given twice: {', '.join(map(str, paths))}")
    for path in paths:
        _remove_leftovers(path)
    temporary = [path.with_name(f".{path.name}.tmp-{os.getpid()}") for path in paths]
    try:
        with ExitStack() as stack:
            files = tuple(stack.enter_context(temp.open("wb")) for temp in temporary)
            yield files
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for temp, path in zip(temporary, paths, strict=True):
            os.replace(temp, path)
    except BaseException:
        for temp in temporary:
            temp.unlink(missing_ok=True)
        raise
    for folder in {path.parent for path in paths}:
        _sync_folder(folder)


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files for ``path`` whose process is no more."""
    pattern = re.compile(re.escape(f".{path.name}.tmp-") + r"(\d+)")
    for entry in path.parent.iterdir():
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
