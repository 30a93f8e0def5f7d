"""What turned code calls: each decides at run time whether Python or the graph does the work."""

from __future__ import annotations

import contextlib
import functools
import warnings
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

from capture.active import innermost
from capture.errors import ControlFlowError
from capture.flow import as_condition, is_open
from capture.interception.libraries import EVERYBODY
from capture.location import INTERNAL, here, user_frame
from capture.syntax.functions import REPLACED, item, scalar_type
from capture.syntax.loops import Loops
from capture.syntax.merging import Merge
from capture.syntax.variables import Variables
from capture.tensor import Tensor

MANAGED = frozenset(
    constant
    for manager in (contextlib.ContextDecorator, np.errstate)
    for constant in manager.__call__.__code__.co_consts
    if isinstance(constant, CodeType)
)
"""The code of every function that a context manager decorates: it calls ``func``."""


def may_be_turned(function: FunctionType) -> bool:
    """Whether a function is the user's own, as far as its module and its file tell."""
    own = function.__code__ in MANAGED or not INTERNAL[function.__code__.co_filename]
    return own and EVERYBODY.covers(str(function.__module__))


class UncheckedAssertWarning(UserWarning):
    """An ``assert`` on a captured value is left out of the graph."""


class Runtime(Loops):
    """The helpers of turned functions.

    Args:
        unroll: As in :func:`capture.control_flow`.
        recursive: Whether user functions that are called are turned too.
    """

    def __init__(self, unroll: bool | int | None, recursive: bool) -> None:
        super().__init__(unroll)
        self.recursive = recursive

    # --- branches -------------------------------------------------------------------------

    def if_(
        self, test: Any, then: Any, orelse: Any, names: tuple[str, ...], live: tuple[str, ...]
    ) -> None:
        """An ``if`` statement; sets variables."""
        if test is True or test is False or not is_open(test):
            (then if test else orelse)()
            return
        Merge(
            as_condition("if", test), then, orelse, Variables(names, then, orelse)
        ).statement(live)

    def returning_if(self, test: Any, then: Any, orelse: Any, names: tuple[str, ...]) -> Any:
        """An ``if`` statement whose branches return."""
        if test is True or test is False or not is_open(test):
            return (then if test else orelse)()
        return Merge(
            as_condition("if", test), then, orelse, Variables(names, then, orelse)
        ).value()

    # --- statements that stay Python --------------------------------------------------------

    def concrete(self, test: Any) -> Any:
        """A condition whose statement cannot be turned.

        Raises:
            ControlFlowError: It is known only when the graph runs.
        """
        if is_open(test):
            raise ControlFlowError(
                "this statement cannot become part of a graph, and its condition is known only "
                f"when the graph runs: it yields, or is left from inside try or match{here()}\n"
                "  ways out: move the try, match or yield out of it, or what it decides into a "
                "function of its own; np.where for a choice of values"
            )
        return test

    def assertion(self, test: Any) -> Any:
        """The condition of an ``assert``: a captured one is not checked, and says so."""
        if not is_open(test):
            return test
        frame = user_frame()
        warnings.warn_explicit(
            "assert: the condition is known only when the graph runs, which does not check it",
            UncheckedAssertWarning,
            frame.f_code.co_filename,
            frame.f_lineno,
        )
        return True

    def raising(self, error: Any) -> Any:
        """What a ``raise`` statement raises.

        Raises:
            ControlFlowError: Whether it is raised is known only when the graph runs.
        """
        active = innermost()
        if active is None or not active.recorder.regions:
            return error
        name = error.__name__ if isinstance(error, type) else type(error).__name__
        region = active.recorder.regions[-1]
        raise ControlFlowError(
            f"raise {name}: inside {region.label}, whether it happens is known only when the "
            f"graph runs, and a graph cannot raise{here()}\n  ways out: check before the scope; "
            "return a flag as a further output; or give a value that shows it, such as np.nan"
        )

    # --- calls ------------------------------------------------------------------------------

    def callee(self, function: Any) -> Any:
        """What is called in place of a function."""
        kind = type(function)
        if kind is MethodType:
            owner = function.__self__
            if type(owner) is Tensor and function.__func__ is Tensor.item:
                return lambda *args: item(owner, *args)
            turned = self.callee(function.__func__) if self.recursive else function.__func__
            return function if turned is function.__func__ else MethodType(turned, owner)
        if kind is not FunctionType:
            return self._of_no_function(function)
        if function in REPLACED:
            return REPLACED[function]
        if not self.recursive or not may_be_turned(function):
            return function
        if function.__code__ in MANAGED:
            return self._managed(function)
        return self.turned(function) or function

    def _of_no_function(self, function: Any) -> Any:
        kind = type(function)
        if kind is type and issubclass(function, np.generic):
            return scalar_type(function)
        if kind is type or kind is BuiltinFunctionType:
            return REPLACED.get(function, function)
        if kind is functools.partial:
            turned = self.callee(function.func)
            if turned is function.func:
                return function
            return functools.partial(turned, *function.args, **function.keywords)
        called = getattr(kind, "__call__", None)  # noqa: B004 - the class's own
        if self.recursive and type(called) is FunctionType:
            turned = self.callee(called)
            return function if turned is called else MethodType(turned, function)
        return function

    def _managed(self, function: FunctionType) -> Any:
        """A function under a context manager as its decorator, ``@name_scope("encoder")``."""
        names = function.__code__.co_freevars
        cells = dict(zip(names, function.__closure__ or (), strict=True))
        inner = cells["func"].cell_contents
        turned = self.callee(inner)
        return function if turned is inner else cells["self"].cell_contents(turned)

    def turned(self, function: FunctionType) -> FunctionType | None:
        """Return the turned form of a function, or ``None`` where it has none."""
        from capture.syntax.decorator import turned_or_none

        return turned_or_none(function, self)
