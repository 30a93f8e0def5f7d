"""The ways out where Python asks for a number: most often how often a loop turns."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from capture.syntax.source import NoSource, parsed

if TYPE_CHECKING:
    from types import FrameType

NUMBER = (
    "\n  ways out: keep it an array (arithmetic and indexing need no float() or int()); pass the "
    "number in as an argument; np.where or capture.cond where it decides something"
)
_TURNS = "; @capture.control_flow or capture.fori_loop where it counts the turns of a loop"
_LENGTH = (
    "\n  ways out: x.shape[0] gives a symbolic size that works in shapes, in arithmetic and in "
    "capture.fori_loop; operate on the whole axis instead of looping over rows; "
    "@capture.control_flow on the function, which turns its own loops"
)


def number_hint(frame: FrameType) -> str:
    """Return the ways out of ``int(x)`` or an index."""
    return _for_hint(frame) or NUMBER + _TURNS


def length_hint(frame: FrameType) -> str:
    """Return the ways out of ``len(x)`` where the size is known only when the graph runs."""
    return _for_hint(frame) or _LENGTH


def _for_hint(frame: FrameType) -> str:
    """Return the ways out of a ``for`` statement whose number of turns is asked for."""
    try:
        tree = parsed(frame.f_code.co_filename, frame.f_globals)
    except NoSource:
        return ""
    line = frame.f_lineno
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.For)
        and node.iter.lineno <= line <= (node.iter.end_lineno or line)
    ]
    if len(found) != 1:
        return ""
    name = frame.f_code.co_name
    turned = "the function around it" if name.startswith("<") else name
    first, last = _bounds(found[0].iter)
    return (
        f"\n  ways out: @capture.control_flow on {turned}, which turns its own branches and loops\n"
        f"            capture.fori_loop({first}, {last}, lambda i, value: …, value)\n"
        "            operate on the whole axis instead of looping over rows"
    )


def _bounds(iterated: ast.expr) -> tuple[str, str]:
    """Return the first and the last number of a ``range`` as fori_loop takes them."""
    match iterated:
        case ast.Call(func=ast.Name(id="range"), args=[last]):
            return "0", _captured(last)
        case ast.Call(func=ast.Name(id="range"), args=[first, last]):
            return _captured(first), _captured(last)
    return "0", "n"


def _captured(number: ast.expr) -> str:
    """Return what gives the same number and is captured: ``len(x)`` is ``x.shape[0]``."""
    match number:
        case ast.Call(func=ast.Name(id="len"), args=[sequence]):
            return f"{ast.unparse(sequence)}.shape[0]"
        case ast.Call(func=ast.Name(id="int"), args=[value]):
            return f"{ast.unparse(value)}.astype(int)"
    return ast.unparse(number)
