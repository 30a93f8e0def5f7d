"""Compiling a rewritten function so that only what it does has changed.

The code keeps its file, its lines, its name, its globals, and the very cells of its closure.
"""

from __future__ import annotations
import __future__

import ast
import types
from typing import TYPE_CHECKING, Any

from capture.syntax.expressions import RUNTIME
from capture.syntax.names import PREFIX
from capture.syntax.source import function_node
from capture.syntax.statements import turn

if TYPE_CHECKING:
    from types import CodeType, FunctionType

_FACTORY = f"{PREFIX}factory"
_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag

_codes: dict[tuple[CodeType, str], CodeType] = {}
made: set[int] = set()
"""The ids of all code objects made here, which need no turning."""


def turned_code(function: FunctionType) -> CodeType:
    """Return the code of a function with its branches and loops turned; made once.

    Raises:
        NoSource: Its source cannot be found.
    """
    original = function.__code__
    key = (original, original.co_filename)
    found = _codes.get(key)
    if found is None:
        found = _codes[key] = _compile(function)
        _remember(found)
    return found


def with_runtime(function: FunctionType, runtime: Any) -> FunctionType:
    """Return the turned function, calling ``runtime``; it shares everything with the original.

    Raises:
        NoSource: Its source cannot be found.
    """
    code = turned_code(function)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = types.CellType(runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    result = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    result.__module__ = function.__module__
    return result


def _compile(function: FunctionType) -> CodeType:
    original = function.__code__
    node = turn(function_node(function))
    node.name = _FACTORY if node.name == "lambda_" else node.name
    free = [RUNTIME, *original.co_freevars]
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in free],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[],
    )
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [d and ast.Constant(None) for d in node.args.kw_defaults]
    factory = ast.FunctionDef(
        name=_FACTORY, args=arguments, body=[node], decorator_list=[], returns=None
    )
    if "type_params" in ast.FunctionDef._fields:  # Python 3.12
        # parameters of types that the body reads are variables of the closure, like others
        factory.type_params = node.type_params = []  # type: ignore[attr-defined]
    module = ast.fix_missing_locations(ast.Module([factory], []))
    flags = original.co_flags & _FUTURES
    compiled = compile(module, original.co_filename, "exec", flags, dont_inherit=True)
    outer = _nested(compiled)
    return _renamed(_nested(outer), original.co_name, original.co_qualname, original)


def _remember(code: CodeType) -> None:
    made.add(id(code))
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            _remember(value)


def _nested(code: CodeType) -> CodeType:
    return next(value for value in code.co_consts if isinstance(value, types.CodeType))


def _renamed(code: CodeType, name: str, qualname: str, original: CodeType) -> CodeType:
    """Return code under the user's names, and with the user's in place of ours inside."""
    constants: list[Any] = []
    for value in code.co_consts:
        if isinstance(value, types.CodeType):
            ours = value.co_name.startswith(PREFIX) or value.co_qualname.endswith("<lambda>")
            inner = f"{qualname}.<locals>.{value.co_name}"
            names = (name, qualname) if ours else (value.co_name, inner)
            value = _renamed(value, *names, original)
        constants.append(value)
    changes: dict[str, Any] = {"co_consts": tuple(constants), "co_name": name}
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = qualname
    return code.replace(**changes)
