"""The variable that the result of a recorded instruction is assigned to, read off its bytecode.

Recording keeps a code object and an instruction offset per node anyway. What follows that
instruction tells what became of its result: ``STORE_FAST hidden``. So names cost recording
nothing, and need no source text. They are hints: an instruction that is not known here ends the
search without a name.
"""

from __future__ import annotations

import dis
import sys
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from types import CodeType

    from ir.graph import Location, Node

    Names = str | tuple[str | None, ...] | None
    Place = tuple[Location | None, Names]

_LONGEST = 48
"""Instructions that are followed; a statement is rarely longer."""

_IGNORED = frozenset(["CACHE", "NOP", "PRECALL", "KW_NAMES", "EXTENDED_ARG"])
_DOUBLE_LOADS = ("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")
_PUSHES = {
    "LOAD_CONST": 1,
    "LOAD_SMALL_INT": 1,
    "LOAD_FAST": 1,
    "LOAD_FAST_BORROW": 1,
    "LOAD_FAST_CHECK": 1,
    "LOAD_FAST_LOAD_FAST": 2,
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": 2,
    "LOAD_NAME": 1,
    "LOAD_DEREF": 1,
    "PUSH_NULL": 1,
}
TAKES = {
    "BINARY_OP": 2,
    "BINARY_SUBSCR": 2,
    "COMPARE_OP": 2,
    "UNARY_NEGATIVE": 1,
    "UNARY_INVERT": 1,
    "UNARY_NOT": 1,
}
"""Operands that one result replaces on the stack."""

_CACHE, _EXTENDED, _STORE_FAST = (
    dis.opmap[name] for name in ("CACHE", "EXTENDED_ARG", "STORE_FAST")
)
_BINDING = frozenset(
    dis.opmap[name]
    for name in ("STORE_SUBSCR", "STORE_SLICE", "UNPACK_SEQUENCE")
    if name in dis.opmap
)
"""Instructions that record something and bind it themselves."""

FLAGGED_ATTRIBUTES = sys.version_info >= (3, 12)
"""Whether the lowest bit of ``LOAD_ATTR`` says that a method is loaded for a call."""


def name_results(recorded: Sequence[tuple[int, Place, Node]], known: Collection[str]) -> None:
    """Name the values that user code bound to a name.

    Several nodes in a row from one instruction are what a NumPy function is composed of, of which
    only the last is the result; or they are the rounds of a loop, which repeat the same ops.

    Args:
        recorded: Nodes whose instruction has names: the position in the graph, what is known of
            the instruction (one object each), and the node.
        known: What would say nothing: the graph's own name, and those of its inputs, which
            ``x = f(x)`` binds again.
    """
    start, total = 0, len(recorded)
    while start < total:
        position, place, node = recorded[start]
        stop = start + 1
        while stop < total and recorded[stop][0] == position + stop - start:
            if recorded[stop][1] is not place:
                break
            stop += 1
        names = place[1]
        if stop > start + 1 or not isinstance(names, str):
            _name_run([row[2] for row in recorded[start:stop]], names, known)
        elif len(node.outputs) == 1 and _tells(names, node, known):
            node.outputs[0].name = names
        start = stop


def _name_run(nodes: list[Node], names: Names, known: Collection[str]) -> None:
    ops = [node.op.name for node in nodes]
    period = next(
        p for p in range(1, len(ops) + 1) if len(ops) % p == 0 and ops[p:] == ops[: -p or None]
    )
    given = names if isinstance(names, tuple) else (names,)
    apart = len(given) > 1 and period == 1 and len(ops) % len(given) == 0
    last = nodes if apart else nodes[period - 1 :: period]
    results = [(node, value) for node in last for value in node.outputs]
    if len(results) != len(last) * (1 if apart else len(given)):
        return
    for number, (node, value) in enumerate(results):
        name = given[number % len(given)]
        if name is not None and _tells(name, node, known):
            value.name = name


def _tells(name: str, node: Node, known: Collection[str]) -> bool:
    """Whether a name says anything that its surroundings do not."""
    if name in known or name == "_" or name.startswith("__"):
        return False
    return not node.scope or name not in node.scope.split("/")


class Step(NamedTuple):
    """An instruction: where it is, what it does, its argument."""

    offset: int
    name: str
    argument: int


class AssignedNames:
    """Names of the results of one code object's instructions.

    Args:
        code: The user's code object.

    Attributes:
        first_parameter: Usually ``self``, which names of its attributes leave out.
    """

    def __init__(self, code: CodeType) -> None:
        self.first_parameter = code.co_varnames[0] if code.co_argcount else None
        self._code = code
        self._raw = code.co_code  # a copy at each access
        self._names = code.co_names
        own = code.co_varnames
        cells = [name for name in code.co_cellvars if name not in own]
        self._variables = (*own, *cells, *code.co_freevars)

    def of(self, lasti: int) -> Names:
        """Return the name that an instruction's result is bound to, or one per item unpacked.

        Args:
            lasti: The offset of the instruction, or of a cache entry behind it.

        Returns:
            A variable, attribute or key; the function where the result is returned directly;
            ``None`` where the result has no name.
        """
        raw = self._raw
        at = self._instruction(lasti)
        if raw[at] not in _BINDING:
            after, end = at + 2, len(raw)
            while after < end and raw[after] == _CACHE:
                after += 2
            if after >= end:  # "return 1" is one instruction since Python 3.12
                return None
            if raw[after] == _STORE_FAST:  # by far the most frequent
                return self._variables[raw[after + 1]]
            return self._followed(islice(self._decoded(after), _LONGEST))
        steps = self._decoded(at)
        first = next(steps)
        if first.name in ("STORE_SUBSCR", "STORE_SLICE"):  # the write itself was recorded
            return self._container(first.offset)
        return self._unpacked(steps, first.argument)

    def _followed(self, steps: Iterator[Step]) -> Names:
        """Follow the item on top of the stack to where it is bound."""
        depth = 0  # how many items are above it
        packed = (0, 0)  # its position in a tuple of this length
        key: str | None = None
        for step in steps:
            name, argument = step.name, step.argument
            if name.startswith("STORE_") and name not in _PLACES:
                stored = self._stored(step)
                if depth < len(stored):
                    return stored[depth]
                depth -= len(stored) - name.endswith("LOAD_FAST")
            elif name in _PLACES:
                return self._placed(step, key) if depth == _PLACES[name] else None
            elif name == "UNPACK_SEQUENCE":
                names = None if depth else self._unpacked(steps, argument)
                return names[packed[0]] if names and packed[1] == argument else names
            elif name == "RETURN_VALUE":
                return None if depth or packed[1] else function_name(self._code)
            elif name == "BUILD_TUPLE" and depth < argument and not packed[1]:
                packed, depth = (argument - 1 - depth, argument), 0
            else:
                moved = _moved(step, depth)
                if moved is None:
                    return None
                depth, key = moved, self.string(step)
        return None

    def string(self, step: Step) -> str | None:
        """Return the text that an instruction loads, if it loads one."""
        value = self._code.co_consts[step.argument] if step.name == "LOAD_CONST" else None
        return value if isinstance(value, str) else None

    def _placed(self, step: Step, key: str | None) -> str | None:
        """Return the attribute, string key or container that the item is put into."""
        if step.name == "STORE_ATTR":
            return self._names[step.argument]
        return key or self._container(step.offset)

    def _unpacked(self, steps: Iterator[Step], count: int) -> tuple[str | None, ...] | None:
        names: list[str | None] = []
        while len(names) < count:
            step = next(steps, None)
            if step is None or not step.name.startswith("STORE_") or step.name in _PLACES:
                return None
            names += self._stored(step)
        return tuple(names[:count])

    def _stored(self, step: Step) -> list[str | None]:
        """Return the variables that an instruction sets, that of the topmost item first."""
        name, argument = step.name, step.argument
        if name == "STORE_FAST_STORE_FAST":
            return [self._variables[argument >> 4], self._variables[argument & 15]]
        if name == "STORE_FAST_LOAD_FAST":
            return [self._variables[argument >> 4]]
        if name in ("STORE_NAME", "STORE_GLOBAL"):
            return [self._names[argument]]
        return [self._variables[argument]]

    def _container(self, offset: int) -> str | None:
        """Return the name of what ``container[key] = value`` writes into.

        The target's source range begins where the container's does, and the container is the
        last thing with that beginning to be loaded before. An instruction that loads two
        variables has the range of the first: that the container is the second of them, the
        depth of the stack tells.
        """
        positions = list(self._code.co_positions())
        line, _, column, _ = positions[offset // 2]
        if column is None:
            return None
        above = _PLACES[dis.opname[self._raw[offset]]] - 1
        for step in self.backward(offset - 2):
            start, _, begin, _ = positions[step.offset // 2]
            if (start, begin) == (line, column):
                name = self.loaded(step)
                if name is not None:
                    return name
            if above == 0 and start == line and step.name in _DOUBLE_LOADS:
                return self._variables[step.argument & 15]
            above -= _effect(step)
        return None

    def loaded(self, step: Step) -> str | None:
        """Return the variable or attribute that an instruction loads, if it loads one."""
        name, argument = step.name, step.argument
        if name in _DOUBLE_LOADS:
            return self._variables[argument >> 4]
        if name.startswith("LOAD_FAST") or name == "LOAD_DEREF":
            return self._variables[argument]
        if name == "LOAD_ATTR":
            return self._names[argument >> FLAGGED_ATTRIBUTES]
        if name == "STORE_FAST_LOAD_FAST":
            return self._variables[argument & 15]
        if name == "LOAD_GLOBAL":
            return self._names[argument >> 1]
        return self._names[argument] if name == "LOAD_NAME" else None

    def backward(self, lasti: int) -> Iterator[Step]:
        """Yield the instruction at an offset and those before it, the nearest first."""
        raw, names = self._raw, dis.opname
        for at in range(self._instruction(lasti), -1, -2):
            name = names[raw[at]]
            if name not in _IGNORED:
                yield Step(at, name, self._extension(at) | raw[at + 1])

    def _instruction(self, lasti: int) -> int:
        """Return the offset of the instruction that a cache entry belongs to."""
        at = lasti - lasti % 2
        while at > 0 and self._raw[at] == _CACHE:
            at -= 2
        return at

    def _extension(self, at: int) -> int:
        """Return the upper bits of the argument of the instruction at an offset."""
        extended, before = 0, at - 2
        while before >= 0 and self._raw[before] == _EXTENDED:
            extended |= self._raw[before + 1] << 4 * (at - before)
            before -= 2
        return extended

    def _decoded(self, at: int) -> Iterator[Step]:
        """Yield the instructions from an offset on, without caches."""
        raw, names = self._raw, dis.opname
        extended = self._extension(at)
        for offset in range(at, len(raw), 2):
            name = names[raw[offset]]
            argument = extended | raw[offset + 1]
            extended = argument << 8 if name == "EXTENDED_ARG" else extended
            if name not in _IGNORED:
                yield Step(offset, name, argument)
                extended = 0


_PLACES = {"STORE_ATTR": 1, "STORE_SUBSCR": 2, "STORE_SLICE": 3}
"""What puts an item into something, by how many operands are above the item."""


def function_name(code: CodeType) -> str | None:
    """Return what to call a function's result: its name, or the class of a ``__call__``."""
    parts = [part for part in code.co_qualname.split(".") if part != "<locals>"]
    name = parts[-1]
    if name.startswith("__") and len(parts) > 1:
        name = parts[-2]
    return name if name.isidentifier() else None


def _effect(step: Step) -> int:
    """Return how many items an instruction adds to the stack."""
    opcode = dis.opmap[step.name]
    return dis.stack_effect(opcode, step.argument if opcode >= dis.HAVE_ARGUMENT else None)


def _moved(step: Step, depth: int) -> int | None:
    """Return an item's new depth, or ``None`` where it is used up or lost sight of."""
    name, argument = step.name, step.argument
    if name in _PUSHES:
        return depth + _PUSHES[name]
    if name == "LOAD_GLOBAL":
        return depth + 1 + (argument & 1)
    if name == "COPY":  # the copy of the item stands for it
        return 0 if depth == argument - 1 else depth + 1
    if name == "SWAP":
        return {0: argument - 1, argument - 1: 0}.get(depth, depth)
    if name == "LOAD_ATTR":
        return depth + (argument & FLAGGED_ATTRIBUTES) if depth else None
    if name == "LOAD_METHOD":
        return depth + 1 if depth else None
    if name == "CALL":
        taken = argument + 2
    elif name == "CALL_KW":
        taken = argument + 3
    elif name in ("BUILD_SLICE", "BUILD_TUPLE"):
        taken = argument
    else:
        taken = TAKES.get(name, sys.maxsize)
    return None if depth < taken else depth - taken + 1
