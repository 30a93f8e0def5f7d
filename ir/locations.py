"""Source files by names that mean the same on every machine."""

from __future__ import annotations

import os
import sys


def portable_path(file: str) -> str:
    """Return a source file relative to the folder that Python imports it from, else its name.

    Exported files then do not depend on where a program was checked out or started, and
    ``linecache`` still finds the text: it looks relative names up in ``sys.path``.

    Args:
        file: A code object's file name; something like ``<stdin>`` stays as it is, a notebook's
            cell is ``In[3]``.
    """
    cell = notebook_cell(file)
    if cell is not None or not os.path.isabs(file):
        return cell or file
    folders = [os.path.join(os.path.abspath(folder), "") for folder in sys.path]
    names = [
        file[len(folder) :].replace(os.sep, "/")
        for folder in folders
        if file.startswith(folder)
    ]
    # Folders on the path may lie inside each other; the one it was imported from decides.
    imported = [name for name in names if _is_module(name, file)]
    return min(imported or names, key=len, default=os.path.basename(file))


def notebook_cell(file: str) -> str | None:
    """Return ``In[3]`` for the file name that IPython made up for a cell.

    The made-up name lies in a temporary folder of the kernel, another one each time.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    named = shell.compile.format_code_name(file) if shell is not None else None
    return None if named is None else str(named[1])


def _is_module(name: str, file: str) -> bool:
    dotted = os.path.splitext(name)[0].removesuffix("/__init__").replace("/", ".")
    return getattr(sys.modules.get(dotted), "__file__", None) == file
