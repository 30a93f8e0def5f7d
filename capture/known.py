"""Known values: what depends on no input is computed lazily, once, when Python asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.location import user_location

if TYPE_CHECKING:
    from ir.builder import GraphBuilder
    from ir.graph import Location

    Array = np.ndarray[Any, Any]


class UnknownValue(Exception):
    """Internal: a value depends on something that is only known when the graph runs."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class KnownValues:
    """Evaluates recorded values that depend on constants only.

    Attributes:
        stand_ins: Placeholders of operands inside bodies, each with what it belongs to.
        examples: Arrays that stand for inputs while a program is explained.
        reads: For every constant that Python has read, directly or through a dependant, where.
    """

    __slots__ = ("_arrays", "_builder", "_roots", "examples", "reads", "stand_ins")

    def __init__(self, builder: GraphBuilder) -> None:
        self._builder = builder
        self.stand_ins: dict[int, str] = {}
        self.examples: dict[int, Array] = {}
        self._arrays: dict[int, Array] = {}
        self._roots: dict[int, frozenset[int]] = {}
        self.reads: dict[int, Location | None] = {}

    def read(self, index: int) -> Array:
        """Return the value's array.

        Raises:
            UnknownValue: It depends on an input, a random op or a symbolic size.
        """
        array = self._evaluate(index)
        new = [root for root in self._roots.get(index, (index,)) if root not in self.reads]
        if new:
            location = user_location(2)
            for root in new:
                self.reads[root] = location
        return array

    def rests_on_example(self, index: int) -> bool:
        """Whether a value that was read depends on an example instead of an input."""
        return not self.examples.keys().isdisjoint(self._roots.get(index, ()))

    def held(self) -> list[Array]:
        """Return the arrays kept alive here."""
        return list(self._arrays.values())

    def _evaluate(self, wanted: int) -> Array:
        builder, arrays = self._builder, self._arrays
        stack = [wanted]
        while stack:
            index = stack[-1]
            if index in arrays:
                stack.pop()
                continue
            node = builder.producers[index]
            if node < 0:
                data = builder.data.get(index, self.examples.get(index))
                if data is None:
                    if index in self.stand_ins:
                        raise UnknownValue(
                            f"it differs between runs of {self.stand_ins[index]}"
                        )
                    name = builder.names.get(index, "an empty handle")
                    raise UnknownValue(f"it depends on the input {name!r}")
                arrays[index] = data
                self._roots[index] = frozenset((index,))
                stack.pop()
                continue
            operands = builder.operands[node]
            missing = [operand for operand in operands if operand not in arrays]
            if missing:
                stack.extend(reversed(missing))  # the first one is what a person would name
                continue
            self._run(node)
            stack.pop()
        return arrays[wanted]

    def _run(self, node: int) -> None:
        builder = self._builder
        op, operands = builder.ops[node], builder.operands[node]
        if not op.pure:
            raise UnknownValue("it is drawn at random when the graph runs")
        if op.symbols and not op.defines_symbols:
            names = ", ".join(symbol.name for symbol in op.symbols)
            raise UnknownValue(f"it depends on the symbolic size {names}")
        with np.errstate(all="ignore"):
            results = op.evaluate(*(self._arrays[operand] for operand in operands))
        roots = frozenset().union(*(self._roots[operand] for operand in operands))
        for offset, result in enumerate(results):
            self._arrays[builder.firsts[node] + offset] = result
            self._roots[builder.firsts[node] + offset] = roots
