"""Rewriting what user code sees while a scope is open, and restoring it."""

from __future__ import annotations

import inspect
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.interception.imports import ImportHook
from capture.interception.libraries import UserModules
from capture.interception.lifted import LiftedArray
from capture.interception.places import MISSING, Entry, Place, place_name
from capture.interception.proxies import refresh, replacements
from capture.interception.python_functions import BUILTINS
from capture.interception.reaching import Walk
from capture.location import INTERNAL
from capture.tensor import Tensor
from ir.types import DTYPE_NAMES

if TYPE_CHECKING:
    from types import FrameType

    from capture.interception.libraries import Interception
    from capture.recorder import Recorder

Namespace = dict[str, Any]


class _Saved:
    """A place that was rewritten: what stood there, and what stands there now."""

    __slots__ = ("after", "before", "place")

    def __init__(self, place: Place, before: Any, after: Any) -> None:
        self.place = place
        self.before = before
        self.after = after


class Rewriting:
    """Values replaced in user namespaces and objects, with what stood there before.

    Open scopes share one rewriting; the last to close restores it. Entering again only adds
    what is new, so nested scopes stay cheap.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._rules: list[Interception] = []
        self._saved: list[_Saved] = []
        self._scanned: dict[int, tuple[Namespace, int]] = {}
        self._user_modules = UserModules()
        self._names: dict[int, tuple[Namespace, int, list[str]]] = {}
        self._lifted: dict[int, tuple[Any, LiftedArray]] = {}
        self._imports = ImportHook(self._stand_in, self._covered)

    def enter(self, rules: Interception, frame: FrameType | None) -> None:
        """Rewrite every user module, and what the calling frames can reach."""
        with self._lock:
            if not self._depth:
                refresh()
                self._imports.install()
            self._depth += 1
            self._rules.append(rules)
            for module in self._user_modules(rules):
                self._rewrite(getattr(module, "__dict__", None))
            walk = self._walk(rules)
            while frame is not None:
                if not INTERNAL[frame.f_code.co_filename]:
                    module_name = str(frame.f_globals.get("__name__", ""))
                    if rules.covers(module_name):
                        self._rewrite(frame.f_globals)
                        walk.from_names(frame.f_globals, frame.f_code)
                        walk.from_values(_local_values(frame))
                frame = frame.f_back

    def reach(self, *values: Any) -> None:
        """Rewrite what functions and objects hold, while a scope is open."""
        with self._lock:
            function = values[0]
            namespace = getattr(function, "__globals__", None)
            self._rewrite(namespace)
            self._walk(self._rules[-1]).from_values(values)

    def rebound(self, recorder: Recorder, own: dict[str, Any] | None) -> list[str]:
        """Return names, but for those of ``own``, that went from an array to a captured value."""
        with self._lock:
            return sorted(
                {
                    place_name(saved.place)
                    for saved in self._saved
                    if type(saved.before) is np.ndarray
                    and _is_of(saved, recorder)
                    and not (isinstance(saved.place, Entry) and saved.place.mapping is own)
                }
            )

    def leave(self, recorder: Recorder) -> None:
        """Undo one entry; the last one restores all places that still hold our replacement."""
        with self._lock:
            self._depth -= 1
            if self._depth:
                self._withdraw(recorder)
                return
            for saved in reversed(self._saved):
                if saved.place.get() is saved.after:
                    saved.place.set(saved.before)
            self._imports.uninstall()
            self._restore_later_names()
            self._names = {k: v for k, v in self._names.items() if k in self._scanned}
            for kept in (self._saved, self._scanned, self._lifted, self._rules):
                kept.clear()

    def _withdraw(self, recorder: Recorder) -> None:
        """Put stand-ins of arrays back where a scope that closes left its tensors."""
        for saved in self._saved:
            if type(saved.after) is Tensor and saved.after._recorder is recorder:
                made = self._stand_in(saved.before)
                if saved.place.get() is saved.after:
                    saved.place.set(made)
                saved.after = made

    def places_of(self, value: LiftedArray, recorder: Recorder) -> list[Place]:
        """Return where an array's stand-in is kept now, if that is everywhere it is kept.

        Returns:
            The places; none when the array has other owners that would not see a change.
        """
        with self._lock:
            entry = next((e for e in self._lifted.values() if e[1] is value), None)
            if entry is None or entry[0].base is not None:
                return []
            saved = [s for s in self._saved if s.after is value]
            original = entry[0]
            # the memo, the stand-in's base, the names here, and one per rewritten place
            kept = len(saved) + recorder.references_to(original)
            mine = sys.getrefcount(original) - kept == _OWN_REFERENCES
            return [s.place for s in saved if s.place.get() is value] if mine else []

    def exchange(self, value: LiftedArray, tensor: Any) -> None:
        """Put a tensor wherever an array's stand-in is kept, until everything is restored."""
        with self._lock:
            for saved in self._saved:
                if saved.after is value and saved.place.get() is value:
                    saved.place.set(tensor)
                    saved.after = tensor

    def references_to(self, value: LiftedArray) -> int:
        """Return how many references to a stand-in are our own book-keeping."""
        return 1 + sum(saved.after is value for saved in self._saved)

    def _walk(self, rules: Interception) -> Walk:
        return Walk(rules, self._stand_in, self._replace)

    def _covered(self, module: str) -> bool:
        return any(rules.covers(module) for rules in self._rules)

    def _rewrite(self, namespace: Namespace | None) -> None:
        """Replace NumPy, math and array constants among a module's global names.

        Which names those are is remembered for as long as the module has as many names; a name
        that is bound to something else meanwhile is still found where a function uses it.
        """
        if not isinstance(namespace, dict):
            return
        scanned = self._scanned.get(id(namespace))
        if scanned is not None and scanned[1] == len(namespace):
            return
        names = self._names.get(id(namespace))
        if names is None or names[0] is not namespace or names[1] != len(namespace):
            candidates = [
                name for name, value in namespace.items() if self._is_seen_otherwise(value)
            ]
            names = self._names[id(namespace)] = (namespace, len(namespace), candidates)
        uses_numpy = False
        for name in names[2]:
            value = namespace.get(name)
            made = self._stand_in(value)
            if made is not None:
                self._replace(Entry(namespace, name), value, made)
                uses_numpy = uses_numpy or type(value) is not np.ndarray
        if uses_numpy:
            for name, wrapper in BUILTINS.items():
                if name not in namespace:
                    self._replace(Entry(namespace, name), MISSING, wrapper)
        self._scanned[id(namespace)] = (namespace, len(namespace))

    @staticmethod
    def _is_seen_otherwise(value: Any) -> bool:
        return id(value) in replacements() or type(value) is np.ndarray

    def _stand_in(self, value: Any) -> Any:
        """Return what user code is to see of a value; ``None`` for the value itself."""
        entry = replacements().get(id(value))
        if entry is not None and entry[0] is value:
            return entry[1]
        if type(value) is not np.ndarray or not value.ndim or value.dtype not in DTYPE_NAMES:
            return None
        found = self._lifted.get(id(value))
        if found is None:
            found = self._lifted[id(value)] = (value, value.view(LiftedArray))
        return found[1]

    def _replace(self, place: Place, before: Any, after: Any) -> None:
        place.set(after)
        self._saved.append(_Saved(place, before, after))

    def _restore_later_names(self) -> None:
        """Restore names bound while a scope was open, by imports or by functions run then."""
        changed = []
        for module in {m for rules in set(self._rules) for m in self._user_modules(rules)}:
            namespace = getattr(module, "__dict__", None)
            if type(namespace) is dict and self._changed(namespace):
                changed.append(namespace)
        if not changed:
            return
        originals = {id(after): (after, before) for before, after in replacements().values()}
        originals |= {id(lifted): (lifted, before) for before, lifted in self._lifted.values()}
        for namespace in changed:
            for key, value in list(namespace.items()):
                entry = originals.get(id(value))
                if entry is not None and entry[0] is value:
                    namespace[key] = entry[1]

    def _changed(self, namespace: Namespace) -> bool:
        names = self._names.get(id(namespace))
        return names is None or names[0] is not namespace or names[1] != len(namespace)


def _is_of(saved: _Saved, recorder: Recorder) -> bool:
    value = saved.place.get()
    if type(value) is not Tensor or value is saved.after:
        return False
    return value._recorder is recorder


def _local_values(frame: FrameType) -> list[Any]:
    """Return the values of a function's local variables, leaving no references to them behind.

    Up to Python 3.12 a frame keeps the dictionary it makes for ``f_locals``.
    """
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return []  # a module or class body: its names are places themselves
    namespace = frame.f_locals
    values = list(namespace.values())
    if type(namespace) is dict and sys.getrefcount(namespace) == _UNSHARED:
        namespace.clear()
    return values


_UNSHARED = 3  # the frame's reference, a variable and an argument


def _own_references() -> int:
    """Return the count that :meth:`Rewriting.places_of` sees of an array nobody else holds."""
    probe = Rewriting()
    original = np.zeros(1)
    lifted = probe._stand_in(original)
    del original
    entry = next(iter(probe._lifted.values()))
    original = entry[0]
    assert lifted.base is original
    return sys.getrefcount(original)


_OWN_REFERENCES = _own_references()
REWRITING = Rewriting()
