"""Expressions that decide: ``and``, ``or``, ``not``, ternaries, comparisons, and calls."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from capture.syntax.names import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable

RUNTIME = f"{PREFIX}runtime"
"""The name of the object whose methods the turned code calls."""

_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_BINDING = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


def call(method: str, arguments: list[ast.expr], at: ast.AST) -> ast.expr:
    """Return a call of the runtime, at the position of the node it stands for."""
    runtime = ast.Name(RUNTIME, ast.Load())
    made = ast.Call(ast.Attribute(runtime, method, ast.Load()), arguments, [])
    for node in (runtime, made.func, made):
        ast.copy_location(node, at)
    return made


def constant(value: object, at: ast.AST) -> ast.expr:
    """Return a literal."""
    return ast.copy_location(ast.Constant(value), at)  # type: ignore[arg-type]


def later(value: ast.expr) -> ast.expr:
    """Return a function that computes an expression when it is called."""
    arguments = ast.arguments(
        posonlyargs=[],
        args=[],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[],
    )
    return ast.copy_location(ast.Lambda(arguments, value), value)


def _binds(nodes: list[ast.expr]) -> bool:
    return any(isinstance(child, _BINDING) for node in nodes for child in ast.walk(node))


class Expressions(ast.NodeTransformer):
    """Rewrites the expressions of one function.

    Args:
        define: Turns a nested definition, which has names of its own.
    """

    def __init__(self, define: Callable[[ast.FunctionDef], ast.FunctionDef]) -> None:
        self._define = define

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._define(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        first, *rest = node.values
        if _binds(rest):
            return node
        method = "and_" if isinstance(node.op, ast.And) else "or_"
        return call(method, [first, *map(later, rest)], node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return call("not_", [node.operand], node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if _binds([node.body, node.orelse]):
            return node
        return call("choose", [node.test, later(node.body), later(node.orelse)], node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        signs = [_SIGNS.get(type(op), "") for op in node.ops]
        if "" in signs or _binds(node.comparators[1:]):
            return node
        first, *rest = node.comparators
        if not rest:
            return call("compare", [constant(signs[0], node), node.left, first], node)
        names = ast.Tuple([constant(sign, node) for sign in signs], ast.Load())
        listed = ast.copy_location(names, node)
        return call("chain", [listed, node.left, first, *map(later, rest)], node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and node.func.id in ("super", "locals")):
            node.func = call("callee", [node.func], node.func)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        node.test = call("assertion", [node.test], node)
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        self.generic_visit(node)
        if node.exc is not None:
            node.exc = call("raising", [node.exc], node)
        return node
