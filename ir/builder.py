"""Recording into columns, and building the frozen graph from them once.

Recording allocates no object per op: parallel lists keep the cost flat to a million ops where a
``Node`` and a ``Value`` per op would grow it fourfold under the garbage collector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ir.dims import Dim, as_symbol, symbols_of
from ir.errors import InvalidGraphError
from ir.graph import Definition, Graph, Location, Node, Value
from ir.ops.base import Op
from ir.symbols import symbol_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import CodeType

    import numpy as np

    from ir.dims import Symbol
    from ir.types import TensorType


class GraphBuilder:
    """Append-only columns of values and nodes; a value is its index.

    Attributes:
        types: The type of every value.
        producers: The node index behind every value, -1 for inputs and constants.
        names: Name hints by value.
        data: Arrays of constants (and defaults of inputs) by value.
    """

    def __init__(self) -> None:
        self.types: list[TensorType] = []
        self.producers: list[int] = []
        self.names: dict[int, str] = {}
        self.data: dict[int, np.ndarray[Any, Any]] = {}
        self.ops: list[Op] = []
        self.operands: list[tuple[int, ...]] = []
        self.firsts: list[int] = []
        self.codes: list[CodeType | None] = []
        self.lastis: list[int] = []
        self.scopes: list[tuple[int, str]] = []
        self.definers: dict[Symbol, int] = {}
        self._memo: dict[tuple[Any, ...], tuple[TensorType, ...]] = {}

    def add_value(
        self,
        type: TensorType,
        name: str | None = None,
        data: np.ndarray[Any, Any] | None = None,
    ) -> int:
        """Add an input (no data) or a constant; return its index."""
        index = len(self.types)
        self.types.append(type)
        self.producers.append(-1)
        if name is not None:
            self.names[index] = name
        if data is not None:
            self.data[index] = data
        return index

    def infer(self, op: Op, types: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
        """Return ``op.infer(*types)``, computed once per op and operand types."""
        key = (op, types)
        results = self._memo.get(key)
        if results is None:
            results = self._memo[key] = op.infer(*types)
        return results

    def append(
        self, op: Op, operands: tuple[int, ...], code: CodeType | None = None, lasti: int = -1
    ) -> int:
        """Record one node and return the index of its first result.

        Args:
            op: What to apply.
            operands: Value indices.
            code: The user's code object, for the location.
            lasti: The instruction offset in ``code``.

        Raises:
            IRError: ``op`` does not take these operand types; nothing is recorded then.
        """
        types = self.types
        key = (op, tuple([types[index] for index in operands]))
        results = self._memo.get(key)
        if results is None:
            results = self._memo[key] = op.infer(*key[1])
        first = len(types)
        node = len(self.ops)
        self.ops.append(op)
        self.operands.append(operands)
        self.firsts.append(first)
        self.codes.append(code)
        self.lastis.append(lasti)
        for result in results:
            types.append(result)
            self.producers.append(node)
        if op.defines_symbols:
            self._note_definitions(node, results)
        return first

    def _note_definitions(self, node: int, results: Iterable[TensorType]) -> None:
        for result in results:
            for dim in result.shape:
                symbol = as_symbol(dim) if isinstance(dim, Dim) else None
                if symbol is not None:
                    self.definers.setdefault(symbol, node)

    def live_nodes(self, outputs: Iterable[int]) -> bytearray:
        """Mark every node that the outputs need, directly or for a symbol's number."""
        live = bytearray(len(self.ops))
        producers, all_operands, ops = self.producers, self.operands, self.ops
        stack = [producers[index] for index in outputs]
        for index in outputs:
            stack.extend(self._definer_nodes(self.types[index].shape))
        while stack:
            node = stack.pop()
            if node < 0 or live[node]:
                continue
            live[node] = 1
            for index in all_operands[node]:
                producer = producers[index]
                if producer >= 0 and not live[producer]:
                    stack.append(producer)
            symbols = ops[node].symbols
            if symbols:
                stack.extend(self.definers[s] for s in symbols if s in self.definers)
        return live

    def _definer_nodes(self, shape: tuple[Any, ...]) -> list[int]:
        symbols = (s for dim in shape if isinstance(dim, Dim) for s in symbols_of(dim))
        return [self.definers[s] for s in symbols if s in self.definers]

    def finish(
        self,
        inputs: Sequence[tuple[str, int]],
        outputs: Sequence[tuple[str, int]],
        *,
        name: str = "graph",
        metadata: Mapping[str, str] | None = None,
    ) -> Graph:
        """Prune to what the outputs need and build the frozen graph.

        Args:
            inputs: Name and value index of each input; unused ones are kept.
            outputs: Name and value index of each output.
            name: The graph's name.
            metadata: Free text by key.

        Raises:
            InvalidGraphError: A needed value is neither input, constant nor produced.
        """
        values: dict[int, Value] = {}
        for input_name, index in inputs:
            values[index] = Value(self.types[index], input_name, data=self.data.get(index))
        graph_inputs = tuple(values.values())
        constants: list[Value] = []
        nodes: list[Node] = []
        live = self.live_nodes([index for _, index in outputs])
        locate = Locator()
        scope, changes = "", iter([*self.scopes, (len(live), "")])
        change_at, next_scope = next(changes)
        for node_index, is_live in enumerate(live):
            while change_at <= node_index:
                scope = next_scope
                change_at, next_scope = next(changes)
            if not is_live:
                continue
            first = self.firsts[node_index]
            operands = self.operands[node_index]
            if first in values:  # a declared input overrides what would have computed it
                continue
            for index in operands:
                if index not in values:
                    values[index] = self._constant(index)
                    constants.append(values[index])
            types = self._result_types(node_index)
            node = Node(
                self.ops[node_index],
                tuple([values[index] for index in operands]),
                types,
                locate(self.codes[node_index], self.lastis[node_index]),
                scope,
            )
            nodes.append(node)
            for offset, value in enumerate(node.outputs):
                value.name = self.names.get(first + offset)
                values[first + offset] = value
        for _, index in outputs:
            if index not in values:
                values[index] = self._constant(index)
                constants.append(values[index])
        graph_outputs = tuple(values[index] for _, index in outputs)
        return Graph(
            graph_inputs,
            tuple(constants),
            tuple(nodes),
            graph_outputs,
            tuple(output_name for output_name, _ in outputs),
            symbols=symbol_definitions(graph_inputs, nodes, graph_outputs),
            name=name,
            metadata=metadata,
        )

    def _constant(self, index: int) -> Value:
        data = self.data.get(index)
        if data is None:
            raise InvalidGraphError(
                f"value {self.names.get(index, index)!r} of type {self.types[index]} is neither "
                "input, constant nor computed"
            )
        return Value(self.types[index], self.names.get(index), data=data)

    def _result_types(self, node: int) -> tuple[TensorType, ...]:
        first = self.firsts[node]
        stop = self.firsts[node + 1] if node + 1 < len(self.firsts) else len(self.types)
        if stop == first + 1:
            return (self.types[first],)
        # inputs and constants may follow the results: they have no producer
        return tuple(
            [self.types[i] for i in range(first, stop) if self.producers[i] == node]
        )


class Locator:
    """Turns (code object, instruction offset) into shared :class:`Location` objects."""

    def __init__(self) -> None:
        self._lines: dict[int, list[int | None]] = {}
        self._seen: dict[tuple[int, int], Location | None] = {}

    def __call__(self, code: CodeType | None, lasti: int) -> Location | None:
        """Return the location, or ``None`` where it is unknown."""
        if code is None:
            return None
        key = (id(code), lasti)
        found = self._seen.get(key)
        if found is None:
            lines = self._lines.get(id(code))
            if lines is None:
                lines = self._lines[id(code)] = [p[0] for p in code.co_positions()]
            line = lines[lasti // 2] if 0 <= lasti // 2 < len(lines) else None
            found = Location(code.co_filename, line or code.co_firstlineno, code.co_qualname)
            self._seen[key] = found
        return found


__all__ = ["Definition", "GraphBuilder", "Locator"]
