"""``@capture.control_flow``: a function's own branches and loops as part of the graph."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

from capture.active import innermost
from capture.coerce import find_recorder
from capture.errors import ControlFlowError
from capture.location import INTERNAL
from capture.syntax import compiled
from capture.syntax.runtime import Runtime
from capture.syntax.source import NoSource
from capture.syntax.variables import require_defined

if TYPE_CHECKING:
    from collections.abc import Callable


@overload
def control_flow(function: Callable[..., Any], /) -> Callable[..., Any]: ...


@overload
def control_flow(
    *, unroll: bool | int | None = None, recursive: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...


def control_flow(
    function: Any = None, /, *, unroll: bool | int | None = None, recursive: bool = False
) -> Any:
    """Turn a function's own ``if``, ``while`` and ``for`` into branches and loops of the graph.

    What Python can decide during capture it still decides; everything else is recorded, with
    :func:`capture.cond` and :func:`capture.while_loop`'s rules: branches and loops must agree in
    dtype and number of axes, and must not change objects around them. Outside a scope the
    function runs as it is.

    Args:
        function: The function; put the decorator closest to it.
        unroll: Loops over a range or tensor of known length: ``None`` repeats the body, and makes
            a loop only of what follows a ``break`` that the graph decides; ``True`` always repeats
            it; ``False`` always makes a loop; a number repeats it up to so many steps.
        recursive: Whether functions of user code that it calls are turned too.

    Raises:
        ControlFlowError: Its source is not available.
    """
    if function is None:
        return functools.partial(control_flow, unroll=unroll, recursive=recursive)
    if isinstance(function, staticmethod | classmethod):
        turned: Any = control_flow(unroll=unroll, recursive=recursive)
        return type(function)(turned(function.__func__))
    if not isinstance(function, FunctionType):
        raise TypeError(f"control_flow: takes a function, got {type(function).__name__}")
    if INTERNAL[function.__code__.co_filename]:
        raise ControlFlowError(
            f"control_flow: {function.__name__} is wrapped by a decorator of this package already"
            "\n  ways out: put @capture.control_flow closest to the function"
        )
    try:
        compiled.turned_code(function)
    except NoSource as reason:
        raise ControlFlowError(
            f"control_flow: {function.__qualname__} cannot be turned: {reason}\n  ways out: "
            "define it in a file or notebook cell; use capture.cond and capture.while_loop"
        ) from None
    runtime = Runtime(unroll, recursive)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if innermost() is None and find_recorder(args, kwargs) is None:
            return function(*args, **kwargs)
        return require_defined(compiled.with_runtime(function, runtime)(*args, **kwargs))

    return wrapper


def turned_or_none(function: FunctionType, runtime: Runtime) -> FunctionType | None:
    """Return the turned form of a called function, or ``None`` where it has none."""
    if id(function.__code__) in compiled.made:
        return None
    try:
        return compiled.with_runtime(function, runtime)
    except NoSource:
        return None
