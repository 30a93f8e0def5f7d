"""The syntax tree of a function, found in its file."""

from __future__ import annotations

import ast
import copy
import linecache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, FunctionType

_trees: dict[str, tuple[list[str], ast.Module]] = {}


class NoSource(Exception):
    """Internal: the source of a function cannot be found; says why."""


def function_node(function: FunctionType) -> ast.FunctionDef:
    """Return a copy of a function's definition, without its decorators.

    A lambda becomes a definition that returns its expression. Names that a class would mangle are
    mangled, and ``super()`` is given its arguments, so that it can be compiled elsewhere.

    Raises:
        NoSource: The source is not available, or it is no plain function.
    """
    code = function.__code__
    node = copy.deepcopy(_find(parsed(code.co_filename, function.__globals__), code))
    if isinstance(node, ast.Lambda):
        statement = ast.copy_location(ast.Return(node.body), node.body)
        return ast.copy_location(_definition("lambda_", node.args, [statement]), node)
    if isinstance(node, ast.AsyncFunctionDef):
        raise NoSource("it is a coroutine")
    node.decorator_list = []
    owner = _class_name(function)
    parameters = [*node.args.posonlyargs, *node.args.args]
    node.returns = None
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    made: ast.FunctionDef = _Relocated(owner, parameters[0].arg if parameters else "").visit(
        node
    )
    return made


def _definition(name: str, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    node = ast.FunctionDef(name=name, args=args, body=body, decorator_list=[], returns=None)
    if "type_params" in ast.FunctionDef._fields:  # Python 3.12
        node.type_params = []  # type: ignore[attr-defined]
    return node


def parsed(filename: str, namespace: dict[str, Any]) -> ast.Module:
    """Return the syntax tree of a file; the same one until the file changes.

    Raises:
        NoSource: The file is not available.
    """
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, namespace)
    if not lines:
        raise NoSource(f"its source is not available ({filename})")
    known = _trees.get(filename)
    if known is None or known[0] != lines:
        try:
            known = _trees[filename] = (list(lines), ast.parse("".join(lines), filename))
        except SyntaxError:
            raise NoSource(f"{filename} cannot be parsed any more") from None
    return known[1]


def _find(
    tree: ast.Module, code: CodeType
) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda:
    """Return the definition that a code object was compiled from."""
    found: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if node.name == code.co_name and first == code.co_firstlineno:
                found.append(node)
        elif isinstance(node, ast.Lambda) and code.co_name == "<lambda>":
            names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            if node.lineno == code.co_firstlineno and names == list(
                code.co_varnames[: code.co_argcount]
            ):
                found.append(node)
    if len(found) != 1:
        raise NoSource(f"its definition is not found at line {code.co_firstlineno}")
    return found[0]


def _class_name(function: FunctionType) -> str:
    parts = function.__qualname__.split(".")
    owner = parts[-2] if len(parts) > 1 else ""
    return "" if owner == "<locals>" else owner.lstrip("_")


class _Relocated(ast.NodeTransformer):
    """Spells out what the compiler does to names inside a class."""

    def __init__(self, owner: str, first: str) -> None:
        self._owner = owner
        self._first = first

    def _mangled(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__") and "." not in name
        return f"_{self._owner}{name}" if private and self._owner else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._mangled(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self._mangled(node.attr)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self._mangled(node.arg)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """A local annotation is never evaluated; as a plain assignment it is one case less."""
        self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func
        if isinstance(called, ast.Name) and called.id == "super" and not node.args:
            names = (("__class__", called), (self._first, called))
            node.args = [
                ast.copy_location(ast.Name(name, ast.Load()), at) for name, at in names
            ]
        return node
