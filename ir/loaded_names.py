"""The variables that a recorded instruction's operands were loaded from, for names of constants.

Walking backward from the instruction, each one before it pushes and takes so many items of the
stack; an operand is complete where its items add up to one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.assigned_names import FLAGGED_ATTRIBUTES, TAKES, AssignedNames, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ir.builder import GraphBuilder

_TWO_OPERANDS = frozenset(["BINARY_OP", "COMPARE_OP", "BINARY_SUBSCR"])
_PAIRS = frozenset(["LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW"])
_REACH = 12
"""Nodes after the meeting with a constant among which the one that reads it is looked for."""

_LONGEST = 64
"""Instructions before the meeting that are looked at."""

_TURNED = frozenset(["T", "mT"])


def name_constants(builder: GraphBuilder, names: dict[int, AssignedNames]) -> None:
    """Name the arrays of a builder that have no name after what user code loaded them from.

    Args:
        builder: Its names are filled.
        names: What was found about code objects, by their ids; added to.
    """
    for value, node in builder.births.items():
        if value not in builder.names and builder.types[value].shape:
            name = _Meeting(builder, names).name(value, node)
            if name is not None:
                builder.names[value] = name


class _Meeting:
    """The instruction at which a constant met the graph."""

    def __init__(self, builder: GraphBuilder, names: dict[int, AssignedNames]) -> None:
        self._builder = builder
        self._names = names

    def name(self, value: int, start: int) -> str | None:
        """Return the name of an operand that became a value, by the node that reads it.

        Casts and transpositions of one operand are followed to the node that has several.
        """
        builder = self._builder
        for node in range(start, min(start + _REACH, len(builder.ops))):
            operands = builder.operands[node]
            if value not in operands:
                continue
            code, lasti = builder.codes[node], builder.lastis[node]
            if code is None or lasti < 0:
                return None
            if id(code) not in self._names:
                self._names[id(code)] = AssignedNames(code)
            loaded = _Operands(self._names[id(code)], lasti).names(len(operands))
            if loaded is not None:
                return loaded[operands.index(value)]
            if len(operands) > 1:
                return None
            value = builder.firsts[node]
        return None


class _Operands:
    """Names of what an instruction takes from the stack; steps are counted backward from it."""

    def __init__(self, names: AssignedNames, lasti: int) -> None:
        self._assigned = names
        self._rest = names.backward(lasti)
        self._steps: list[Step] = []

    def names(self, count: int) -> Sequence[str | None] | None:
        """Return the names of ``count`` operands, or ``None`` where it takes another number."""
        last = self._step(0)
        if last is None:
            return None
        if last.name in _TWO_OPERANDS:
            return self._above(2) if count == 2 else None
        if last.name != "CALL":
            return None
        given = self._above(last.argument)
        if given is None or len(given) == count:
            return given
        return self._above(count) if len(given) + 1 == count else None

    def _step(self, index: int) -> Step | None:
        while len(self._steps) <= index < _LONGEST:
            step = next(self._rest, None)
            if step is None:
                break
            self._steps += _single(step)
        return self._steps[index] if index < len(self._steps) else None

    def _above(self, count: int) -> list[str | None] | None:
        """Return the names of the ``count`` items that were on top before the instruction."""
        found: list[str | None] = []
        end = 1
        while len(found) < count:
            start = self._start(end)
            if start is None:
                return None
            found.append(self._expression(start, end))
            end = start + 1
        return found[::-1]

    def _start(self, end: int) -> int | None:
        """Return where the expression begins whose last instruction this is."""
        wanted = 1
        for index in range(end, _LONGEST):
            step = self._step(index)
            effect = None if step is None else _effect(step)
            if effect is None:
                return None
            wanted += effect[0] - effect[1]
            if wanted <= 0:
                return index
        return None

    def _expression(self, start: int, end: int) -> str | None:
        step = self._steps[end]
        if step.name == "BINARY_SUBSCR":
            key = self._assigned.string(self._steps[end + 1])
            if key is not None:
                return key
            begin = self._start(end + 1)
            return None if begin is None else self._expression(start, begin + 1)
        if _is_method(step):  # the object that it is called of
            begin = self._start(end + 1)
            return None if begin is None else self._expression(begin, end + 1)
        name = self._assigned.loaded(step)
        if step.name == "LOAD_ATTR" and name is not None:
            owner = self._expression(start, end + 1) if end < start else None
            if name in _TURNED:
                return owner
            plain = start == end + 1 and owner not in (None, self._assigned.first_parameter)
            return f"{owner}.{name}" if plain else name
        return name


def _is_method(step: Step) -> bool:
    loads = step.name == "LOAD_ATTR" and step.argument & FLAGGED_ATTRIBUTES
    return bool(loads) or step.name == "LOAD_METHOD"


def _single(step: Step) -> list[Step]:
    """Split an instruction that loads twice, the later load first."""
    if step.name not in _PAIRS:
        return [step]
    return [
        Step(step.offset, "LOAD_FAST", step.argument & 15),
        Step(step.offset, "LOAD_FAST", step.argument >> 4),
    ]


def _effect(step: Step) -> tuple[int, int] | None:
    """Return how many items an instruction takes and pushes, where that is known."""
    name, argument = step.name, step.argument
    if name in TAKES:
        return TAKES[name], 1
    if name == "LOAD_ATTR":
        return 1, 1 + (argument & FLAGGED_ATTRIBUTES)
    if name == "LOAD_METHOD":
        return 1, 2
    if name == "LOAD_GLOBAL":
        return 0, 1 + (argument & 1)
    if name == "CALL":
        return argument + 2, 1
    if name in ("BUILD_SLICE", "BUILD_TUPLE", "BUILD_LIST"):
        return argument, 1
    if name == "STORE_FAST_LOAD_FAST":
        return 0, 1
    return (0, 1) if name.startswith("LOAD_") or name == "PUSH_NULL" else None
