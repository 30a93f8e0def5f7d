"""The ways out of a Python branch on a captured value, in the user's own words."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from capture.syntax.names import assigned, read
from capture.syntax.source import NoSource, parsed

if TYPE_CHECKING:
    from types import FrameType

_GENERAL = (
    "\n  ways out: np.where(condition, a, b) for a choice of values; capture.cond or "
    "capture.while_loop for control flow; @capture.control_flow on the function, which turns its "
    "own branches and loops; a symbolic dimension for a size"
)
_LONGEST = 60


def branch_hint(frame: FrameType) -> str:
    """Return the ways out of the branch that a frame is about to take."""
    try:
        tree = parsed(frame.f_code.co_filename, frame.f_globals)
    except NoSource:
        return _GENERAL
    node = _decision(tree, frame.f_lineno)
    if node is None:
        return _GENERAL
    first, second = _formulas(node)
    function = frame.f_code.co_name
    if function.startswith("<"):
        third = "a function around it with @capture.control_flow, which turns its branches"
    else:
        third = f"@capture.control_flow on {function}, which turns its own branches and loops"
    return f"\n  ways out: {first}\n            {second}\n            {third}"


def _decision(tree: ast.Module, line: int) -> ast.If | ast.While | ast.IfExp | None:
    """Return the innermost branch whose condition is on a line, if there is just one."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If | ast.While | ast.IfExp)
        and node.test.lineno <= line <= (node.test.end_lineno or line)
    ]
    return found[0] if len(found) == 1 else None


def _formulas(node: ast.If | ast.While | ast.IfExp) -> tuple[str, str]:
    test = _text(node.test)
    if isinstance(node, ast.While):
        tested = read([node.test])
        changed = sorted(assigned(node.body), key=lambda name: (name not in tested, name))
        state = ", ".join(changed) or "state"
        carried = f"({state})" if len(changed) > 1 else state
        return (
            f"{state} = capture.while_loop(lambda s: …, body, {carried}), where body gives the "
            f"next {carried} and the condition is {test}",
            f"np.where({test}, …, {changed[0] if changed else '…'}) in a for loop over a fixed "
            "number of steps",
        )
    target, then, orelse = _sides(node)
    return (
        f"{target}np.where({test}, {then}, {orelse}), which computes both",
        f"{target}capture.cond({test}, lambda: {then}, lambda: {orelse}), which runs one",
    )


def _sides(node: ast.If | ast.IfExp) -> tuple[str, str, str]:
    """Return what a branch does with its value, and the value of each side."""
    if isinstance(node, ast.IfExp):
        return "", _text(node.body), _text(node.orelse)
    then, orelse = node.body[-1], node.orelse[-1] if node.orelse else None
    if isinstance(then, ast.Return) and then.value is not None:
        other = orelse.value if isinstance(orelse, ast.Return) else None
        return "return ", _text(then.value), _text(other)
    names = sorted(assigned(node.body) | assigned(node.orelse))
    if len(names) == 1 and len(node.body) == 1 and isinstance(then, ast.Assign):
        name = names[0]
        if isinstance(orelse, ast.Assign) and len(node.orelse) == 1:
            return f"{name} = ", _text(then.value), _text(orelse.value)
        if orelse is None:
            return f"{name} = ", _text(then.value), name
    if names:
        return f"{', '.join(names)} = ", "…", "…"
    return "", "…", "…"


def _text(node: ast.expr | None) -> str:
    """Return an expression as the user wrote it, or ``…`` where that is long."""
    if node is None:
        return "…"
    text = ast.unparse(node)
    if len(text) <= _LONGEST:
        return text
    names = sorted(read([node]))
    return f"…{names[0]}…" if names else "…"
