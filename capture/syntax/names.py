"""Which names a piece of a function binds and reads, and where it jumps."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREFIX = "__cf_"
"""How the names begin that the transformation adds."""

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)


def walk_scope(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Iterate over nodes of one function's scope; nested definitions are not entered."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPES):
            stack.extend(ast.iter_child_nodes(node))


def assigned(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that statements bind in the scope they are in."""
    found: set[str] = set()
    stack: list[tuple[ast.AST, bool]] = [(node, False) for node in nodes]
    while stack:
        node, inner = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and not inner:
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update((a.asname or a.name).partition(".")[0] for a in node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
        inner = inner or isinstance(node, _COMPREHENSIONS)
        stack.extend((child, inner) for child in ast.iter_child_nodes(node))
    return found


def read(nodes: Iterable[ast.AST]) -> set[str]:
    """Return every name that is read, also in nested definitions."""
    return {
        child.id
        for node in nodes
        for child in ast.walk(node)
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load)
    }


def declared(nodes: Iterable[ast.AST], kind: type[ast.Global | ast.Nonlocal]) -> set[str]:
    """Return the names that ``global`` or ``nonlocal`` statements list."""
    return {
        name for node in walk_scope(nodes) if isinstance(node, kind) for name in node.names
    }


def has_any(nodes: Iterable[ast.AST], kinds: tuple[type[ast.AST], ...]) -> bool:
    """Whether a node of one of some kinds is in the scope of these."""
    return any(isinstance(node, kinds) for node in walk_scope(nodes))


def jumps_out(nodes: Iterable[ast.AST], in_loop: bool = False) -> bool:
    """Whether statements return, or break or continue a loop around them."""
    for node in nodes:
        if isinstance(node, ast.Return):
            return True
        if isinstance(node, ast.Break | ast.Continue) and not in_loop:
            return True
        if isinstance(node, SCOPES):
            continue
        if isinstance(node, _LOOPS):
            if jumps_out(node.body, True) or jumps_out(node.orelse, in_loop):
                return True
        elif jumps_out(ast.iter_child_nodes(node), in_loop):
            return True
    return False


def returns(nodes: Iterable[ast.AST]) -> bool:
    """Whether there is a ``return`` among statements."""
    return has_any(nodes, (ast.Return,))


def always_jumps(block: list[ast.stmt]) -> bool:
    """Whether a block never runs to its end."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, ast.Return | ast.Break | ast.Continue | ast.Raise):
        return True
    if isinstance(last, ast.If):
        return always_jumps(last.body) and always_jumps(last.orelse)
    return isinstance(last, ast.With) and always_jumps(last.body)
