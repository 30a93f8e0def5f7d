"""Files that the command line reads and writes: graphs, and arrays by name."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.cli_errors import CommandError, UsageError
from exporters import JsonFormatError, load_json
from exporters.files import atomic_files
from ir.types import BFLOAT16

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ir.graph import Graph

    Array = np.ndarray[Any, Any]

_MADE = (1980, 1, 1, 0, 0, 0)
"""One date for every member, so that equal arrays give equal files."""


def existing(path: str, *suffixes: str) -> Path:
    """Return the path of a file that is there and has one of the suffixes.

    Raises:
        UsageError: It is not or has not.
    """
    if not path.endswith(suffixes):
        raise UsageError(f"{path}: expected a file that ends in {' or '.join(suffixes)}")
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}")
    return Path(path)


def writable(path: str, suffix: str) -> Path:
    """Return a path to write to, so that a missing folder is found before the work is done.

    Raises:
        UsageError: The folder is not there, or the name does not end in ``suffix``.
    """
    if not path.endswith(suffix):
        raise UsageError(f"{path}: expected a name that ends in {suffix}")
    if not Path(path).parent.is_dir():
        raise UsageError(f"{path}: there is no folder {Path(path).parent}")
    return Path(path)


def read_graph(path: str) -> Graph:
    """Return the graph in a JSON file.

    Raises:
        CommandError: The file is malformed; the message names it.
    """
    try:
        return load_json(existing(path, ".json"))
    except JsonFormatError as error:
        raise CommandError(f"{path}: {error}") from error


def read_arrays(path: str) -> dict[str, Array]:
    """Return the arrays of an ``.npz`` file by name; pickled objects are never loaded.

    Raises:
        CommandError: The file is no such archive, or holds other things.
    """
    try:
        with np.load(existing(path, ".npz"), allow_pickle=False) as archive:
            return {name: _with_bfloat16(archive[name]) for name in archive.files}
    except (
        ValueError,
        EOFError,
        KeyError,
        TypeError,
        AttributeError,
        zipfile.BadZipFile,
    ) as e:
        raise CommandError(f"{path}: no .npz file of plain arrays: {e}") from None


def _with_bfloat16(array: Array) -> Array:
    """NumPy's file format stores bfloat16 as two bytes without a meaning."""
    return array.view(BFLOAT16) if array.dtype == np.dtype("V2") else array


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write an ``.npz`` file, whole or not at all; ``np.savez`` refuses the name ``file``."""
    with atomic_files(path) as (file,), zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(
                zipfile.ZipInfo(f"{name}.npy", _MADE), "w", force_zip64=True
            ) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
