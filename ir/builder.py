"""Recording into columns, and building the frozen graph from them once.

Recording allocates no object per op: parallel lists keep the cost flat to a million ops where a
``Node`` and a ``Value`` per op would grow it fourfold under the garbage collector.
"""

from __future__ import annotations

import gc
from bisect import bisect_right
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ir.assigned_names import AssignedNames, name_results
from ir.dims import Dim, as_symbol, symbols_of
from ir.errors import UndefinedValueError
from ir.graph import Graph, Location, Node, Value
from ir.loaded_names import name_constants
from ir.locations import portable_path
from ir.ops.base import Op
from ir.symbols import symbol_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import CodeType

    import numpy as np

    from ir.assigned_names import Place
    from ir.dims import Symbol
    from ir.types import TensorType


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector while many objects that all survive are made.

    Nothing built here is garbage, and scanning it again and again costs 0.3 us a node at 10,000
    nodes and 2 us at 100,000.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_LAST = chr(0x10FFFF)  # sorts after every name scope


class GraphBuilder:
    """Append-only columns of values and nodes; a value is its index.

    Attributes:
        types: The type of every value.
        producers: The node index behind every value, -1 for inputs and constants.
        scopes: Name scopes as (first node, scope), in order.
        names: Name hints by value.
        data: Arrays of constants (and defaults of inputs) by value.
        births: How many nodes there were when a constant was added.
    """

    def __init__(self) -> None:
        self.types: list[TensorType] = []
        self.producers: list[int] = []
        self.names: dict[int, str] = {}
        self.data: dict[int, np.ndarray[Any, Any]] = {}
        self.births: dict[int, int] = {}
        self.ops: list[Op] = []
        self.operands: list[tuple[int, ...]] = []
        self.firsts: list[int] = []
        self.codes: list[CodeType | None] = []
        self.lastis: list[int] = []
        self.scopes: list[tuple[int, str]] = [(0, "")]
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
            self.births[index] = len(self.ops)
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
                    self.definers[symbol] = node

    def live_nodes(self, outputs: Iterable[int]) -> bytearray:
        """Mark every node that the outputs need, directly or for a symbol's number."""
        live = bytearray(len(self.ops))
        producers, all_operands, ops = self.producers, self.operands, self.ops
        stack = [producers[index] for index in outputs]
        if not self.definers:  # without symbols to follow, one sweep from the end is enough
            self._sweep(live, stack)
            return live
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

    def _sweep(self, live: bytearray, roots: list[int]) -> None:
        """Mark the roots and, from the last node to the first, what computes their operands."""
        producers, all_operands = self.producers, self.operands
        for node in roots:
            if node >= 0:
                live[node] = 1
        for node in range(len(live) - 1, -1, -1):
            if live[node]:
                for index in all_operands[node]:
                    if producers[index] >= 0:
                        live[producers[index]] = 1

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
        nested: bool = False,
    ) -> Graph:
        """Prune to what the outputs need and build the frozen graph.

        Args:
            inputs: Name and value index of each input; unused ones are kept.
            outputs: Name and value index of each output.
            name: The graph's name.
            metadata: Free text by key.
            nested: Whether symbols may come from the graph around this one.

        Raises:
            UndefinedValueError: A needed value is neither input, constant nor produced.
        """
        locator = Locator(portable_path)
        name_constants(self, locator.names)
        values: list[Value | None] = [None] * len(self.types)
        for index, data in self.data.items():
            values[index] = Value(self.types[index], self.names.get(index), data)
        graph_inputs = tuple(
            Value(self.types[index], input_name, self.data.get(index))
            for input_name, index in inputs
        )
        for value, (_, index) in zip(graph_inputs, inputs, strict=True):
            values[index] = value
        live = self.live_nodes([index for _, index in outputs])
        nodes = self._nodes(values, live, locator, {name, *(title for title, _ in inputs)})
        graph_outputs: tuple[Any, ...] = tuple([values[index] for _, index in outputs])
        used = dict.fromkeys([operand for node in nodes for operand in node.inputs])
        used.update(dict.fromkeys(graph_outputs))
        if None in used:
            raise self._undefined(values, [index for _, index in outputs])
        entered = set(graph_inputs)
        constants = tuple(
            [value for value in used if value.producer is None and value not in entered]
        )
        return Graph(
            graph_inputs,
            constants,
            nodes,
            graph_outputs,
            tuple(output_name for output_name, _ in outputs),
            symbols=symbol_definitions(graph_inputs, nodes, graph_outputs, nested=nested),
            name=name,
            metadata=metadata,
        )

    def _nodes(
        self, values: list[Value | None], live: bytearray, locate: Locator, known: set[str]
    ) -> tuple[Node, ...]:
        """Build the live nodes, entering their results into ``values``.

        This loop is most of what finishing costs; its odd shape is worth 0.8 us a node.
        """
        nodes: list[Node] = []
        named: list[tuple[int, Place, Node]] = []
        places = locate.places
        types, producers = self.types, self.producers
        named_scopes = len(self.scopes) > 1
        end = len(types)
        for number, (op, operands, first, code, lasti, is_live) in enumerate(
            zip(
                self.ops,
                self.operands,
                self.firsts,
                self.codes,
                self.lastis,
                live,
                strict=True,
            )
        ):
            # a declared input overrides what would have computed it
            if not is_live or values[first] is not None:
                continue
            stop = first + 1
            while stop < end and producers[stop] == number:
                stop += 1
            place = places.get((id(code), lasti)) or locate.place(code, lasti)
            node = Node(
                op,
                tuple([values[index] for index in operands]),
                (types[first],) if stop == first + 1 else tuple(types[first:stop]),
                place[0],
                self.scope_of(number) if named_scopes else "",
            )
            if place[1] is not None:
                named.append((len(nodes), place, node))
            nodes.append(node)
            values[first:stop] = node.outputs
        name_results(named, known)
        for index, hint in self.names.items():
            value = values[index]
            if value is not None and value.producer is not None:
                value.name = hint
        return tuple(nodes)

    @property
    def scope(self) -> str:
        """The name scope that nodes are recorded in now."""
        return self.scopes[-1][1]

    def enter_scope(self, scope: str) -> None:
        """Record the nodes from here on in a name scope."""
        self.scopes.append((len(self.ops), scope))

    def scope_of(self, node: int) -> str:
        """Return the name scope that a node was recorded in."""
        return self.scopes[bisect_right(self.scopes, (node, _LAST)) - 1][1]

    def _undefined(
        self, values: list[Value | None], outputs: list[int]
    ) -> UndefinedValueError:
        """Return the error for the first needed value that nothing defines."""
        needed = list(outputs)
        for operands, is_live in zip(self.operands, self.live_nodes(outputs), strict=True):
            needed.extend(operands if is_live else ())
        index = next(index for index in needed if values[index] is None)
        return UndefinedValueError(
            index,
            f"value {self.names.get(index, index)!r} of type {self.types[index]} is neither "
            "input, constant nor computed",
        )


class Locator:
    """Turns (code object, instruction offset) into shared :class:`Location` objects.

    Args:
        file_name: Gives the name to show for a code object's file.

    Attributes:
        names: What was found about code objects, by their ids.
        places: Locations and names found so far, by the code object's id and the offset.
    """

    def __init__(self, file_name: Callable[[str], str] = str) -> None:
        self._file_name = file_name
        self._files: dict[str, str] = {}
        self._lines: dict[int, list[int | None]] = {}
        self.names: dict[int, AssignedNames] = {}
        self.places: dict[tuple[int, int], Place] = {}

    def __call__(self, code: CodeType | None, lasti: int) -> Location | None:
        """Return the location, or ``None`` where it is unknown."""
        if code is None:
            return None
        lines = self._lines.get(id(code))
        if lines is None:
            lines = self._lines[id(code)] = [p[0] for p in code.co_positions()]
        line = lines[lasti // 2] if 0 <= lasti // 2 < len(lines) else None
        name = code.co_filename
        file = self._files.get(name)
        if file is None:
            file = self._files[name] = self._file_name(name)
        return Location(file, line or code.co_firstlineno, code.co_qualname)

    def place(self, code: CodeType | None, lasti: int) -> Place:
        """Return an instruction's location and what its result is assigned to, found once."""
        place: Place = (None, None)
        if code is not None:
            names = self.names.get(id(code))
            if names is None:
                names = self.names[id(code)] = AssignedNames(code)
            place = (self(code, lasti), names.of(lasti) if lasti >= 0 else None)
        self.places[id(code), lasti] = place
        return place
