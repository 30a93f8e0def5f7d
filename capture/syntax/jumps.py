"""``return``, ``break`` and ``continue`` inside branches and loops, as structure and flags.

Afterwards a ``return`` stands only where nothing follows it, so that a branch can give its value,
and a loop is left by a flag. Where one side of an ``if`` always jumps, what follows the ``if``
moves into the other side; flags are needed only inside loops and where a jump is one of several
ways through a branch. Statements that must stay Python (``try`` that is jumped out of, ``match``,
``yield``) are marked ``native``, and so is everything their jumps pass through.
"""

from __future__ import annotations

import ast
from typing import Any

from capture.syntax.names import (
    PREFIX,
    always_jumps,
    has_any,
    jumps_out,
    returns,
    walk_scope,
)

RETURNED, RESULT = f"{PREFIX}returned", f"{PREFIX}result"
_NATIVE = (ast.Try, ast.TryStar, ast.Match, ast.AsyncFor, ast.AsyncWith)
_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)


class _Flags:
    """The flags that jumps set inside one loop, or inside a branch that may return."""

    def __init__(self, number: int, loop: bool) -> None:
        self.loop = loop
        self.broken = f"{PREFIX}broken_{number}"
        self.skipped = f"{PREFIX}skipped_{number}" if loop else RETURNED
        self.breaks = self.skips = False


class Jumps:
    """Rewrites the jumps of one function."""

    def __init__(self) -> None:
        self._number = 0

    def function(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return a function's statements with its jumps rewritten."""
        made = self._block(body, None, has_any(body, _SUSPENDS))
        # a return that nothing reaches leaves its test behind, so ask what is mentioned
        if any(
            isinstance(n, ast.Name) and n.id == RETURNED for s in made for n in ast.walk(s)
        ):
            made.insert(0, _set(RETURNED, False, body[0]))
        return made

    def _block(
        self, block: list[ast.stmt], flags: _Flags | None, native: bool
    ) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            if isinstance(statement, ast.Return | ast.Break | ast.Continue | ast.Raise):
                return made + self._jump(statement, flags, native)
            if isinstance(statement, ast.For | ast.While):
                return made + self._loop(statement, rest, flags, native)
            if isinstance(statement, _NATIVE):
                made.append(self._natively(statement))
            elif isinstance(statement, ast.If | ast.With):
                if stays_python(statement) or (native and jumps_out([statement])):
                    statement.native = True  # type: ignore[union-attr]
                    made.append(self._natively(statement))
                elif not jumps_out([statement]):
                    made.append(self._inside(statement, flags, native))
                else:
                    return made + self._branch(statement, rest, flags, native)
            else:
                made.append(statement)
        return made

    def _natively(self, statement: ast.stmt) -> ast.stmt:
        """Rewrite what is inside a statement that stays Python, with its jumps as they are."""
        for node in (statement, *ast.iter_child_nodes(statement)):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and (
                    node is statement or not isinstance(node, ast.stmt)
                ):
                    setattr(node, field, self._block(block, None, True))
        return statement

    def _inside(self, node: Any, flags: _Flags | None, native: bool) -> ast.stmt:
        node.body = self._block(node.body, flags, native) or [_pass(node)]
        if isinstance(node, ast.If):
            node.orelse = self._block(node.orelse, flags, native)
        made: ast.stmt = node
        return made

    def _jump(self, node: ast.stmt, flags: _Flags | None, native: bool) -> list[ast.stmt]:
        if flags is None or native or isinstance(node, ast.Raise):
            return [node]
        made: list[ast.stmt] = []
        if isinstance(node, ast.Return) and not _is_result(node.value):
            value = node.value or ast.copy_location(ast.Constant(None), node)
            made += [_assign(RESULT, value, node), _set(RETURNED, True, node)]
        if flags.loop:
            if not isinstance(node, ast.Continue):
                flags.breaks = True
                made.append(_set(flags.broken, True, node))
            made.append(_set(flags.skipped, True, node))
        return made

    def _branch(
        self, node: ast.If | ast.With, rest: list[ast.stmt], flags: _Flags | None, native: bool
    ) -> list[ast.stmt]:
        """Rewrite a statement that may jump, and what follows it."""
        if isinstance(node, ast.If):
            then, other = always_jumps(node.body), always_jumps(node.orelse)
            if then or other:
                if not other:
                    node.orelse = node.orelse + rest
                elif not then:
                    node.body = node.body + rest
                return [self._inside(node, flags, native)]
        elif always_jumps(node.body):
            return [self._inside(node, flags, native)]
        if flags is None and native:
            node.native = True  # type: ignore[union-attr]
            return [self._natively(node), *self._block(rest, flags, native)]
        if flags is None:
            inner = _Flags(0, loop=False)
            after = _if(_name(RETURNED, node), [_return_result(node)], rest, node)
            return [self._inside(node, inner, native), *self._block([after], flags, native)]
        made = [self._inside(node, flags, native)]
        if rest:
            flags.skips = True
            test = _not(_name(flags.skipped, node), node)
            made += self._block([_if(test, rest, [], node)], flags, native)
        return made

    def _loop(
        self,
        node: ast.For | ast.While,
        rest: list[ast.stmt],
        flags: _Flags | None,
        native: bool,
    ) -> list[ast.stmt]:
        if stays_python(node):
            node.native = True  # type: ignore[union-attr]
            return [self._natively(node), *self._block(rest, flags, native)]
        self._number += 1
        inner = _Flags(self._number, loop=True)
        has_return = returns(node.body)
        node.body = self._block(node.body, inner, False)
        if inner.skips:
            node.body.insert(0, _set(inner.skipped, False, node))
        else:
            node.body = _without(node.body, inner.skipped) or [_pass(node)]
        made: list[ast.stmt] = []
        if inner.breaks:
            node.broken = inner.broken  # type: ignore[union-attr]
            made.append(_set(inner.broken, False, node))
        made.append(node)
        after: list[ast.stmt] = []
        if node.orelse:
            test = _not(_name(inner.broken, node), node)
            after += [_if(test, node.orelse, [], node)] if inner.breaks else node.orelse
            node.orelse = []
        if has_return:
            after.append(_if(_name(RETURNED, node), [_return_result(node)], [], node))
        return made + self._block(after + rest, flags, native)


def stays_python(statement: ast.stmt) -> bool:
    """Whether a statement cannot be turned: it suspends, or is jumped through by a ``try``."""
    if has_any([statement], _SUSPENDS):
        return True
    return any(
        isinstance(node, _NATIVE) and jumps_out([node])
        for node in walk_scope(ast.iter_child_nodes(statement))
    )


def _without(block: list[ast.stmt], name: str) -> list[ast.stmt]:
    """Return statements without assignments to a flag that nobody reads."""
    made: list[ast.stmt] = []
    for node in block:
        if isinstance(node, ast.Assign) and _is_name(node.targets[0], name):
            continue
        if isinstance(node, ast.If | ast.With):
            node.body = _without(node.body, name) or [_pass(node)]
        if isinstance(node, ast.If):
            node.orelse = _without(node.orelse, name)
        made.append(node)
    return made


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _name(name: str, at: ast.stmt) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Load()), at)


def _not(value: ast.expr, at: ast.stmt) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), value), at)


def _assign(name: str, value: ast.expr, at: ast.stmt) -> ast.stmt:
    target = ast.copy_location(ast.Name(name, ast.Store()), at)
    return ast.copy_location(ast.Assign(targets=[target], value=value), at)


def _set(name: str, value: bool, at: ast.stmt) -> ast.stmt:
    return _assign(name, ast.copy_location(ast.Constant(value), at), at)


def _pass(at: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Pass(), at)


def _return_result(at: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Return(_name(RESULT, at)), at)


def _if(test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], at: ast.stmt) -> ast.If:
    """Return an ``if`` of ours, at the first line of the statement it belongs to."""
    return ast.copy_location(ast.If(test, body, orelse), at)


def _is_result(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id == RESULT
