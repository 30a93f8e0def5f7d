"""Rewriting user modules while a scope is open, and restoring them."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.interception.lifted import LiftedArray
from capture.interception.libraries import Interception
from capture.interception.proxies import replacements
from capture.interception.python_functions import BUILTINS
from capture.location import INTERNAL
from ir.types import DTYPE_NAMES

if TYPE_CHECKING:
    from types import FrameType

_MISSING: Any = object()

Namespace = dict[str, Any]


class Rewriting:
    """Names replaced in user namespaces, with what stood there before.

    Open scopes share one rewriting; the last to close restores it. Entering again only adds what
    is new, so nested scopes stay cheap.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._saved: list[tuple[Any, Any, Any, Any]] = []  # namespace, name, before, after
        self._scanned: dict[int, int] = {}

    def enter(self, rules: Interception, frame: FrameType | None) -> None:
        """Rewrite every user module, and the namespaces of the calling frames."""
        with self._lock:
            self._depth += 1
            for name, module in list(sys.modules.items()):
                if rules.covers(name):
                    self.rewrite(getattr(module, "__dict__", None))
            while frame is not None:
                if not INTERNAL[frame.f_code.co_filename]:
                    module_name = str(frame.f_globals.get("__name__", ""))
                    if rules.covers(module_name):
                        self.rewrite(frame.f_globals)
                frame = frame.f_back

    def rewrite(self, namespace: Namespace | None) -> None:
        """Replace NumPy, math and array constants among a module's global names."""
        if not isinstance(namespace, dict) or self._scanned.get(id(namespace)) == len(namespace):
            return
        table = replacements()
        uses_numpy = False
        for name, value in list(namespace.items()):
            entry = table.get(id(value))
            if entry is not None and entry[0] is value:
                self._set(namespace, name, value, entry[1])
                uses_numpy = True
            elif type(value) is np.ndarray and value.ndim and value.dtype in DTYPE_NAMES:
                self._set(namespace, name, value, value.view(LiftedArray))
        if uses_numpy:
            for name, wrapper in BUILTINS.items():
                if name not in namespace:
                    self._set(namespace, name, _MISSING, wrapper)
        self._scanned[id(namespace)] = len(namespace)

    def rewrite_function(self, function: Any) -> None:
        """Replace NumPy and array constants in a function's globals, closure and defaults."""
        with self._lock:
            self.rewrite(getattr(function, "__globals__", None))
            table = replacements()
            for cell in getattr(function, "__closure__", None) or ():
                try:
                    value = cell.cell_contents
                except ValueError:  # not filled yet
                    continue
                made = self._stand_in(value, table)
                if made is not None:
                    self._saved.append((cell, None, value, made))
                    cell.cell_contents = made

    @staticmethod
    def _stand_in(value: Any, table: dict[int, tuple[Any, Any]]) -> Any:
        entry = table.get(id(value))
        if entry is not None and entry[0] is value:
            return entry[1]
        if type(value) is np.ndarray and value.ndim and value.dtype in DTYPE_NAMES:
            return value.view(LiftedArray)
        return None

    def _set(self, namespace: Namespace, name: str, before: Any, after: Any) -> None:
        self._saved.append((namespace, name, before, after))
        namespace[name] = after

    def leave(self) -> None:
        """Undo one entry; the last one restores every name that still holds our replacement."""
        with self._lock:
            self._depth -= 1
            if self._depth:
                return
            for holder, name, before, after in reversed(self._saved):
                if name is None:
                    if holder.cell_contents is after:
                        holder.cell_contents = before
                elif holder.get(name, _MISSING) is after:
                    if before is _MISSING:
                        del holder[name]
                    else:
                        holder[name] = before
            self._saved.clear()
            self._scanned.clear()


REWRITING = Rewriting()
