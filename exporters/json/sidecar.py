"""Large constants in a safetensors file beside the JSON.

The safetensors format is a little-endian header length, a JSON header of dtypes, shapes and
offsets, and the bytes. It is written here, not by its library, because that wants every tensor
as one ``bytes``: here an array goes to the file without a second copy. Any safetensors reader
opens the result.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import stat
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

import numpy as np

from exporters.json.arrays import byte_count, from_buffer, words_of
from exporters.json.decode import decode
from exporters.json.errors import JsonFormatError
from exporters.json.fields import Layout, described, integer, items, text
from exporters.json.schema import MAX_SIZE
from exporters.summing import SummedFile
from ir.types import DTYPE_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import BufferedReader
    from pathlib import Path

    from ir.ops.base import Array
    from ir.types import TensorType

_CHUNK = 2**23
_LONGEST_HEADER = 100_000_000
"""The safetensors library's own limit."""

_PLAIN_NAME = re.compile(r"[^/\\:\0]+")
_ENTRY = Layout("dtype shape data_offsets")


def is_plain_name(name: str) -> bool:
    """Whether a name can only mean a file of the folder it is looked up in."""
    return _PLAIN_NAME.fullmatch(name) is not None and name not in (".", "..")


class Written(NamedTuple):
    """What a document must know of its sidecar.

    Attributes:
        checksum: Of the whole file, for its name.
        tensors: The CRC-32 of each tensor's bytes.
    """

    checksum: str
    tensors: dict[str, int]


def write_sidecar(file: BinaryIO, tensors: Mapping[str, Array]) -> Written:
    """Write a safetensors file.

    Args:
        file: An empty file, open for writing.
        tensors: Arrays by name.
    """
    # Wide elements first: then every offset is a multiple of its element's size.
    ordered = sorted(tensors.items(), key=lambda item: -item[1].itemsize)
    header: dict[str, Any] = {"__metadata__": {"format": "np"}}
    end = 0
    for name, array in ordered:
        start, end = end, end + array.nbytes
        header[name] = {
            "dtype": DTYPE_NAMES[array.dtype].upper(),
            "shape": list(array.shape),
            "data_offsets": [start, end],
        }
    encoded = json.dumps(header).encode("ascii")
    encoded += b" " * (-len(encoded) % 8)
    checksums = {}
    with SummedFile(file, end) as summed:
        summed.write(memoryview(len(encoded).to_bytes(8, "little") + encoded))
        for name, array in ordered:
            data = words_of(array).data.cast("B")
            checksum = 0
            for start in range(0, len(data), _CHUNK):
                chunk = data[start : start + _CHUNK]
                checksum = zlib.crc32(chunk, checksum)
                summed.write(chunk)
            checksums[name] = checksum
        return Written(summed.checksum, checksums)


class Sidecar:
    """A safetensors file open for reading; every size is checked before memory is taken.

    Args:
        folder: Where the file must be.
        name: Its plain name.
        memory_map: Let arrays read from the file when they are used, instead of copying now.

    Raises:
        JsonFormatError: The file is missing, outside the folder, truncated or malformed.
    """

    def __init__(self, folder: Path, name: str, *, memory_map: bool = False) -> None:
        self.name = name
        self._arrays: dict[str, Array] = {}
        self._taken = 0
        self._file = _open_regular(folder, name)
        try:
            self._size = os.fstat(self._file.fileno()).st_size
            self._entries, self._start = self._read_header()
            self._map = (
                mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
                if memory_map
                else None
            )
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()  # a mapping stays until its last array is gone

    def array(self, name: str, type: TensorType, checksum: int) -> Array:
        """Return one tensor; asking again gives the same array.

        Args:
            name: Its name in the file.
            type: What it must be.
            checksum: CRC-32 of its bytes; not looked at under ``memory_map``, which would
                read the whole file for it.

        Raises:
            JsonFormatError: There is no such tensor, or it is another one.
        """
        start, size = self._locate(name, type)
        if name not in self._arrays:
            self._taken += size  # tensors that overlap could ask for memory without end
            if self._taken > self._size:
                raise JsonFormatError(f"sidecar {self.name!r} has tensors that overlap")
            self._arrays[name] = from_buffer(self._data(start, size, checksum), type)
        return self._arrays[name]

    def _data(self, start: int, size: int, checksum: int) -> memoryview | np.ndarray[Any, Any]:
        if self._map is not None:
            return memoryview(self._map)[start : start + size]
        data = np.empty(size, np.uint8)
        self._file.seek(start)
        if self._file.readinto(data.data) != size:
            raise JsonFormatError(f"sidecar {self.name!r} is truncated")
        if zlib.crc32(data.data) != checksum:
            raise JsonFormatError("the sidecar's data is not what was written with this file")
        return data

    def _locate(self, name: str, type: TensorType) -> tuple[int, int]:
        size = byte_count(type)
        if name not in self._entries:
            raise JsonFormatError(f"sidecar {self.name!r} has no tensor {name!r}")
        try:
            entry = _ENTRY.read(self._entries[name])
            dtype, shape = text(entry, "dtype"), tuple(items(entry, "shape"))
            start, end = (integer(at, 0, MAX_SIZE) for at in items(entry, "data_offsets"))
        except ValueError as error:  # also two offsets that are not two
            raise JsonFormatError(f"sidecar {self.name!r}, tensor {name!r}: {error}") from None
        if dtype != DTYPE_NAMES[type.dtype].upper() or shape != type.shape:
            raise JsonFormatError(
                f"sidecar {self.name!r} has {dtype} {list(shape)}, not {type}"
            )
        if end - start != size:
            raise JsonFormatError(
                f"sidecar {self.name!r} has {end - start} bytes for {type}, which takes {size}"
            )
        if self._start + end > self._size:
            raise JsonFormatError(f"sidecar {self.name!r} is truncated")
        return self._start + start, size

    def _read_header(self) -> tuple[dict[str, Any], int]:
        length = int.from_bytes(self._file.read(8), "little")
        if not 2 <= length <= min(_LONGEST_HEADER, self._size - 8):
            raise JsonFormatError(f"sidecar {self.name!r} is truncated or no safetensors file")
        try:
            entries = decode(self._file.read(length))
        except JsonFormatError as error:
            raise JsonFormatError(f"sidecar {self.name!r}: header: {error.reason}") from None
        if type(entries) is not dict:
            raise JsonFormatError(
                f"sidecar {self.name!r}: header: expected an object, "
                f"found {described(entries)}"
            )
        return entries, 8 + length


def _open_regular(folder: Path, name: str) -> BufferedReader:
    """Open a file of the folder without following a link out of it or waiting on a pipe."""
    if not is_plain_name(name):
        raise JsonFormatError(f"{described(name)} is no plain file name")
    flags = os.O_RDONLY
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC"):
        flags |= getattr(os, flag, 0)  # each exists on some platforms only
    path = folder / name
    try:
        if path.is_symlink():  # for platforms without O_NOFOLLOW
            raise JsonFormatError(f"sidecar {name!r} is a link")
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        if isinstance(error, JsonFormatError):
            raise
        raise JsonFormatError(f"sidecar {described(name)} cannot be opened: {error}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise JsonFormatError(f"sidecar {name!r} is no regular file")
    return os.fdopen(descriptor, "rb")
