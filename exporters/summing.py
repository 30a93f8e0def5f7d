"""Data files that are named by their content, so that no other file can take their name.

A document and its data are two files, and no system call replaces two names at once. With the
checksum in its name, new data stands beside the old pair until the document that refers to it
takes its place, which is the one instant at which everything changes.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, BinaryIO, Self

import numpy as np

from exporters.places import stem_beside
from ir.progress import tell

if TYPE_CHECKING:
    from pathlib import Path

_CACHED = 1 << 18
_DIGITS = 16
_AHEAD = 2
"""Blocks that writing may be ahead of summing: few, since they may be copies."""


def data_files(path: Path, suffix: str) -> set[Path]:
    """Return the data files of documents that were at ``path``, or were about to be."""
    stem = re.escape(stem_beside(path, len(suffix) + _DIGITS + 1))
    name = re.compile(rf"{stem}\.[0-9a-f]{{{_DIGITS}}}{re.escape(suffix)}")
    return {other for other in path.parent.iterdir() if name.fullmatch(other.name)}


def data_file(path: Path, checksum: str, suffix: str) -> Path:
    """Return where data of this content goes beside the document at ``path``."""
    stem = stem_beside(path, len(suffix) + _DIGITS + 1)
    return path.with_name(f"{stem}.{checksum}{suffix}")


class SummedFile:
    """Sums what it writes, in a thread beside the writing: both leave the interpreter free.

    A CRC-32 and the sum of the 64-bit words run at the speed of memory, where a cryptographic
    hash would take longer than the writing. They tell apart what one user exports to one path.

    Args:
        file: The open file.
        total: How many bytes are to come, for those who watch.
    """

    def __init__(self, file: BinaryIO, total: int) -> None:
        self._file = file
        self._bytes, self._all = 0, total
        self._pool = ThreadPoolExecutor(1)
        self._summing: deque[Future[None]] = deque()
        self._crc = self._total = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._pool.shutdown()

    def write(self, block: memoryview) -> None:
        """Write bytes and count them in."""
        self._summing.append(self._pool.submit(self._add, block))
        self._file.write(block)
        if len(self._summing) > _AHEAD:
            self._summing.popleft().result()
        self._bytes += len(block)
        tell("writing weights", self._bytes, self._all)

    def _add(self, block: memoryview) -> None:
        for start in range(0, len(block), _CACHED):
            part = block[start : start + _CACHED]
            self._crc = zlib.crc32(part, self._crc)
            words = np.frombuffer(part[: len(part) & ~7], "<u8")
            self._total += int(words.sum(dtype=np.uint64))

    @property
    def checksum(self) -> str:
        """16 hexadecimal digits."""
        while self._summing:
            self._summing.popleft().result()
        total = self._total & 0xFFFF_FFFF_FFFF_FFFF
        return f"{self._crc:08x}{total >> 32 ^ total & 0xFFFF_FFFF:08x}"
