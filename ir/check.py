"""The IR's own invariants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.dims import Dim, symbols_of
from ir.errors import EvaluationError, InvalidGraphError, IRError
from ir.nesting import nested_graphs
from ir.symbols import match_shape
from ir.types import DTYPE_NAMES, type_of

if TYPE_CHECKING:
    from ir.dims import Symbol
    from ir.graph import Graph, Node, Value
    from ir.ops.base import Op
    from ir.types import TensorType


def check(graph: Graph, *, nested: bool = False) -> None:
    """Raise unless the graph keeps every invariant of the IR.

    SSA and ownership (every operand is an input, a constant or an earlier result of this graph),
    unique names of inputs and outputs, constants whose data has their type, types that ``infer``
    gives again, symbols whose definition site comes before every mention, and the same of every
    nested graph.

    Args:
        graph: What to check.
        nested: Whether symbols may come from the graph around this one.

    Raises:
        InvalidGraphError: Names the node or value and the invariant.
    """
    _Checker(graph, nested, {}, {}).run()


class _Checker:
    """Goes through a graph in order, with what is defined so far.

    Args:
        graph: What to check.
        nested: Whether symbols may come from outside.
        inferred: Result types known by op and operand types; inference takes most of the time.
        checked: Nested graphs known to be right, by id: calls of calls would take for ever.
    """

    def __init__(
        self,
        graph: Graph,
        nested: bool,
        inferred: dict[tuple[Op, tuple[TensorType, ...]], tuple[TensorType, ...]],
        checked: dict[int, Graph],
    ) -> None:
        self._graph = graph
        self._inferred = inferred
        self._checked = checked
        self._known: set[Value] = set()
        self._defined: set[Symbol] = set(graph.free_symbols) if nested else set()
        self._sites: dict[Value, set[Symbol]] = {}
        for symbol, site in graph.symbols.items():
            self._sites.setdefault(site.value, set()).add(symbol)

    def run(self) -> None:
        graph = self._graph
        _check_names(graph)
        self._define_all(graph.inputs)
        for value in graph.inputs:
            _check_default(value)
        for value in graph.constants:
            self._define(value)
            if value.data is None or type_of(value.data) != value.type:
                raise InvalidGraphError(f"{value!r} does not have the type of its data")
        for node in graph.nodes:
            self._node(node)
        for value in graph.outputs:
            if value not in self._known:
                raise InvalidGraphError(f"output {value!r} is not defined in the graph")

    def _define(self, value: Value) -> None:
        if value in self._known:
            raise InvalidGraphError(f"{value!r} is defined twice")
        self._known.add(value)
        if value.type.dtype not in DTYPE_NAMES:
            raise InvalidGraphError(f"{value!r} has an unsupported dtype")
        for symbol in self._sites.get(value, ()):
            axis = self._graph.symbols[symbol].axis
            if axis >= value.type.rank or str(value.type.shape[axis]) != symbol.name:
                raise InvalidGraphError(f"{symbol.name!r} is not axis {axis} of {value!r}")
            self._defined.add(symbol)

    def _define_all(self, values: tuple[Value, ...]) -> None:
        """Define values that appear together, which may mention one another's symbols."""
        for value in values:
            self._define(value)
        for value in values:
            for dim in value.type.shape:
                if isinstance(dim, Dim):
                    self._check_symbols(value, symbols_of(dim))

    def _node(self, node: Node) -> None:
        for operand in node.inputs:
            if operand not in self._known:
                raise InvalidGraphError(f"{node!r} uses {operand!r} before it is defined")
        types = self._infer(node)
        if types != tuple(value.type for value in node.outputs):
            listed = ", ".join(map(str, types))
            raise InvalidGraphError(f"{node!r}: inference gives {listed}")
        if not node.op.defines_symbols:
            self._check_symbols(node, node.op.symbols)
        for inner in nested_graphs(node.op):
            if id(inner) not in self._checked:
                _Checker(inner, True, self._inferred, self._checked).run()
                self._checked[id(inner)] = inner
        for index, value in enumerate(node.outputs):
            if value.producer is not node or value.index != index:
                raise InvalidGraphError(f"{value!r} does not know its producer {node!r}")
        self._define_all(node.outputs)

    def _infer(self, node: Node) -> tuple[TensorType, ...]:
        operands = tuple([operand.type for operand in node.inputs])
        types = self._inferred.get((node.op, operands))
        if types is None:
            try:
                types = node.op.infer(*operands)
            except (IRError, TypeError) as error:
                raise InvalidGraphError(f"{node!r}: {error}") from error
            self._inferred[node.op, operands] = types
        return types

    def _check_symbols(self, where: object, symbols: tuple[Symbol, ...]) -> None:
        for symbol in symbols:
            if symbol not in self._defined:
                raise InvalidGraphError(
                    f"{where!r} mentions {symbol.name!r} before it is defined"
                )


def _check_default(value: Value) -> None:
    """Check that the data of an input, its default, has the input's type."""
    if value.data is None:
        return
    try:
        if value.data.dtype != value.type.dtype:
            raise EvaluationError(f"{value.name}: dtype {value.data.dtype} does not fit")
        match_shape(str(value.name), value.type.shape, value.data.shape, {})
    except EvaluationError as error:
        raise InvalidGraphError(f"the default of {value!r} is none: {error}") from None


def _check_names(graph: Graph) -> None:
    inputs = [value.name for value in graph.inputs]
    if None in inputs or len(set(inputs)) != len(inputs):
        raise InvalidGraphError(f"input names must be given and unique: {inputs}")
    if len(graph.output_names) != len(graph.outputs):
        raise InvalidGraphError("every output needs a name")
    if len(set(graph.output_names)) != len(graph.output_names):
        raise InvalidGraphError(f"output names must be unique: {list(graph.output_names)}")
