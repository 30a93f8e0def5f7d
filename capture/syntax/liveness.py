"""Which variables are still needed after, and at the start of, each branch and loop.

A name that nobody reads again need not agree between branches, and is no carry of a loop.
"""

from __future__ import annotations

import ast

from capture.syntax.names import SCOPES, assigned, read, walk_scope


class Liveness:
    """Walks a function backwards and notes on each ``If``, ``For`` and ``While`` what is live.

    Adds the attributes ``live_out`` and, for loops, ``live_head``.
    """

    def __init__(self, body: list[ast.stmt]) -> None:
        nested = [node for node in walk_scope(body) if isinstance(node, SCOPES)]
        self._always = read(nested)
        self._everything = read(body)
        self._block(body, set(self._always))

    def _block(self, block: list[ast.stmt], live: set[str]) -> set[str]:
        for statement in reversed(block):
            live = self._statement(statement, live) | self._always
        return live

    def _statement(self, node: ast.stmt, live: set[str]) -> set[str]:
        if isinstance(node, ast.If):
            node.live_out = live  # type: ignore[attr-defined]
            both = self._block(node.body, live) | self._block(node.orelse, live)
            return read([node.test]) | both
        if isinstance(node, ast.While):
            return self._loop(node, read([node.test]), set(), live)
        if isinstance(node, ast.For):
            return read([node.iter]) | self._loop(node, set(), assigned([node.target]), live)
        if isinstance(node, ast.With):
            inside = self._block(node.body, live)
            return read(node.items) | inside - assigned(node.items)
        if isinstance(node, ast.Return):
            return read([node])
        if isinstance(node, ast.Break | ast.Continue):
            return set(self._everything)
        if isinstance(node, ast.Try | ast.TryStar | ast.Match | ast.AsyncFor | ast.AsyncWith):
            self._conservatively(node)
            return live | self._everything
        used = read([node])
        if isinstance(node, ast.AugAssign):
            used |= assigned([node.target])
        return live - _bound(node) | used

    def _loop(
        self, node: ast.For | ast.While, test: set[str], targets: set[str], live: set[str]
    ) -> set[str]:
        node.live_out = live  # type: ignore[union-attr]
        broken = getattr(node, "broken", None)
        head = live | test | ({broken} if broken else set())
        while True:
            before = head | (self._block(node.body, head) - targets)
            if before == head:
                break
            head = before
        self._block(node.orelse, live)
        node.live_head = head  # type: ignore[union-attr]
        return set(head)

    def _conservatively(self, node: ast.stmt) -> None:
        for child in ast.walk(node):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(child, field, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    self._block(block, set(self._everything))


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that surely get a new value; attributes and items change an old one."""
    perhaps = {
        child.target.id
        for child in walk_scope([node])
        if isinstance(child, ast.NamedExpr) and isinstance(child.target, ast.Name)
    }
    return assigned([node]) - perhaps
