"""Source files by names that mean the same on every machine."""

from __future__ import annotations

import os
import sys


def portable_path(file: str) -> str:
    """Return a source file relative to the folder that Python imports it from, else its name.

    Exported files then do not depend on where a program was checked out or started, and
    ``linecache`` still finds the text: it looks relative names up in ``sys.path``.

    Args:
        file: A code object's file name; something like ``<stdin>`` stays as it is.
    """
    if not os.path.isabs(file):
        return file
    folders = [os.path.join(os.path.abspath(folder), "") for folder in sys.path]
    names = [
        file[len(folder) :].replace(os.sep, "/")
        for folder in folders
        if file.startswith(folder)
    ]
    # Folders on the path may lie inside each other; the one it was imported from decides.
    imported = [name for name in names if _is_module(name, file)]
    return min(imported or names, key=len, default=os.path.basename(file))


def _is_module(name: str, file: str) -> bool:
    dotted = os.path.splitext(name)[0].removesuffix("/__init__").replace("/", ".")
    return getattr(sys.modules.get(dotted), "__file__", None) == file
