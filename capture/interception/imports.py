"""Imports that run while a scope is open: ``import numpy as np`` inside a function body.

No rewriting of namespaces sees them, so ``builtins.__import__`` is wrapped for as long as any
scope is open. The wrapper acts only for user code in the thread or task inside a scope.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from capture.active import innermost

if TYPE_CHECKING:
    from collections.abc import Callable


class ImportHook:
    """The wrapper around the import statement.

    Args:
        stand_in: Gives what user code is to see of a module; ``None`` for the module itself.
        covered: Whether a module is user code.
    """

    def __init__(self, stand_in: Callable[[Any], Any], covered: Callable[[str], bool]) -> None:
        self._stand_in = stand_in
        self._covered = covered
        self._original: Any = None
        self._wrapper: Any = None

    def install(self) -> None:
        """Start answering imports."""
        original = builtins.__import__

        def import_module(
            name: str,
            globals: Any = None,
            locals: Any = None,
            fromlist: Any = (),
            level: int = 0,
        ) -> Any:
            module = original(name, globals, locals, fromlist, level)
            active = innermost()
            if active is None or active.rules is None or not globals:
                return module
            importer = str(globals.get("__name__", ""))
            if not (active.rules.covers(importer) and self._covered(importer)):
                return module
            made = self._stand_in(module)
            return module if made is None else made

        self._original, self._wrapper = original, import_module
        builtins.__import__ = import_module

    def uninstall(self) -> None:
        """Stop; a wrapper that somebody wrapped meanwhile stays and passes through."""
        if builtins.__import__ is self._wrapper:
            builtins.__import__ = self._original
