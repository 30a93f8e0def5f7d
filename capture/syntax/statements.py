"""Branches and loops as functions that the runtime calls, once or as bodies of nested graphs."""

from __future__ import annotations

import ast
from typing import Any, TypeVar

from capture.syntax.expressions import Expressions, call, constant, later
from capture.syntax.jumps import Jumps
from capture.syntax.liveness import Liveness
from capture.syntax.names import PREFIX, assigned, declared, read, returns

_Node = TypeVar("_Node", bound=ast.AST)
_ITEM = f"{PREFIX}item"


def turn(node: ast.FunctionDef) -> ast.FunctionDef:
    """Rewrite a function in place so that its branches and loops go through the runtime."""
    return _Function(node).turned()


class _Function:
    """One function and the names that belong to it."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self._node = node
        self._globals = declared(node.body, ast.Global)
        self._nonlocals = declared(node.body, ast.Nonlocal)
        self._expressions = Expressions(turn)
        self._number = 0
        self._hoisted: set[str] = set()

    def turned(self) -> ast.FunctionDef:
        """Return the function."""
        node = self._node
        body = Jumps().function(node.body)
        Liveness(body)
        made = self._block(body)
        node.args.defaults = [self._visit(value) for value in node.args.defaults]
        node.args.kw_defaults = [
            value if value is None else self._visit(value) for value in node.args.kw_defaults
        ]
        node.decorator_list = [self._visit(value) for value in node.decorator_list]
        kept: list[ast.stmt] = []
        for kind, names in ((ast.Global, self._globals), (ast.Nonlocal, self._nonlocals)):
            if names:
                kept.append(ast.copy_location(kind(sorted(names)), node))
        bound = self._hoisted - self._globals - self._nonlocals - _parameters(node.args)
        if bound:  # binds the names here without giving them values
            targets: list[ast.expr] = [
                _at(ast.Name(n, ast.Store()), node) for n in sorted(bound)
            ]
            unset = _at(ast.Assign(targets=targets, value=constant(None, node)), node)
            kept.append(_at(ast.If(constant(0, node), [unset], []), node))
        node.body = kept + made
        return node

    def _visit(self, node: Any) -> Any:
        return self._expressions.visit(node)

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        return [made for statement in block for made in self._statement(statement)]

    def _statement(self, node: Any) -> list[ast.stmt]:
        if isinstance(node, ast.Global | ast.Nonlocal):
            return []
        if isinstance(node, ast.If | ast.While | ast.For):
            if getattr(node, "native", False):
                return [self._native(node)]
            turned: list[ast.stmt] = getattr(self, f"_{type(node).__name__.lower()}")(node)
            return turned
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return [self._visit(node)]
        blocks = [node] if hasattr(node, "body") else []
        if isinstance(node, ast.Try | ast.TryStar):
            blocks += node.handlers
        if isinstance(node, ast.Match):
            blocks += node.cases
        if not blocks:
            return [self._visit(node)]
        for part in blocks:
            self._compound(part)
        return [node]

    def _compound(self, node: Any) -> None:
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, field, self._block(value))
            elif isinstance(value, ast.expr):
                setattr(node, field, self._visit(value))
            elif field == "items":
                node.items = [self._visit(item) for item in value]

    def _native(self, node: Any) -> ast.stmt:
        """Keep a statement; its condition must be known during capture."""
        if not isinstance(node, ast.For):
            node.test = call("concrete", [self._visit(node.test)], node.test)
        else:
            node.iter = self._visit(node.iter)
        node.body = self._block(node.body)
        node.orelse = self._block(node.orelse)
        made: ast.stmt = node
        return made

    def _if(self, node: ast.If) -> list[ast.stmt]:
        names = sorted(assigned([*node.body, *node.orelse]) - self._globals)
        kind = "returning_if" if returns([node]) else "if_"
        then = self._body("then", node.body, names, node)
        orelse = self._body("else", node.orelse, names, node)
        arguments = [self._visit(node.test), _load(then), _load(orelse), _texts(names, node)]
        if kind == "returning_if":
            result: ast.stmt = ast.Return(call(kind, arguments, node.test))
        else:
            live = sorted(node.live_out)  # type: ignore[attr-defined]
            arguments.append(_texts([name for name in names if name in live], node))
            result = ast.Expr(call(kind, arguments, node.test))
        return [then, orelse, _at(result, node.test)]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        names = sorted(assigned([node.test, *node.body]) - self._globals)
        test = self._body("test", [_at(ast.Return(node.test), node.test)], names, node)
        body = self._body("body", node.body, names, node)
        arguments = [_load(test), _load(body), *self._loop_arguments(node, names)]
        result = ast.Expr(call("while_", arguments, node.test))
        return [test, body, _at(result, node.test)]

    def _for(self, node: ast.For) -> list[ast.stmt]:
        names = sorted(assigned([node.target, *node.body]) - self._globals)
        item = _at(ast.Name(_ITEM, ast.Load()), node.target)
        bind = _at(ast.Assign(targets=[node.target], value=item), node.target)
        body = self._body("body", [bind, *node.body], names, node, [_ITEM])
        iterable = self._visit(node.iter)
        arguments = [iterable, _load(body), *self._loop_arguments(node, names)]
        result = ast.Expr(call("for_", arguments, node.iter))
        return [body, _at(result, node.iter)]

    def _loop_arguments(self, node: Any, names: list[str]) -> list[ast.expr]:
        broken = getattr(node, "broken", None)
        if broken is not None and broken not in names:
            names.append(broken)
        live = [name for name in names if name in node.live_head]
        return [
            constant(broken, node),
            _texts(names, node),
            _texts(live, node),
            _texts([name for name in live if name in node.live_out], node),
        ]

    def _body(
        self,
        kind: str,
        block: list[ast.stmt],
        names: list[str],
        at: ast.stmt,
        parameters: list[str] | None = None,
    ) -> ast.FunctionDef:
        """Return statements as a nested function over the variables of this one."""
        self._number += 1
        self._hoisted.update(names)
        used = assigned(block) | read(block)
        made = self._block(block) or [_at(ast.Pass(), at)]
        if names:
            made.insert(0, _at(ast.Nonlocal(list(names)), at))
        globals_ = sorted(used & self._globals)
        if globals_:
            made.insert(0, _at(ast.Global(globals_), at))
        arguments = later(constant(None, at)).args  # type: ignore[attr-defined]
        arguments.args = [_at(ast.arg(name), at) for name in parameters or ()]
        function = ast.FunctionDef(
            name=f"{PREFIX}{kind}_{self._number}",
            args=arguments,
            body=made,
            decorator_list=[],
            returns=None,
        )
        if "type_params" in ast.FunctionDef._fields:  # Python 3.12
            function.type_params = []  # type: ignore[attr-defined]
        return _at(function, at)


def _at(node: _Node, at: ast.AST) -> _Node:
    return ast.copy_location(node, at)


def _load(function: ast.FunctionDef) -> ast.expr:
    return _at(ast.Name(function.name, ast.Load()), function)


def _texts(names: list[str], at: ast.AST) -> ast.expr:
    return constant(tuple(names), at)


def _parameters(arguments: ast.arguments) -> set[str]:
    return {node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)}
