"""The finished graph: frozen, typed, in SSA form.

``Value`` and ``Node`` are slotted objects compared by identity; only :class:`Graph` has structural
equality. They are built once, by ``GraphBuilder.finish`` and by passes, and never changed after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ir.errors import InvalidGraphError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import networkx as nx
    import numpy as np

    from ir.analysis import CriticalPath
    from ir.constraints import Constraint
    from ir.costs import GraphCost
    from ir.differences import GraphDiff
    from ir.dims import Symbol
    from ir.memory import MemoryPeak
    from ir.ops.base import Op
    from ir.stats import GraphStats
    from ir.types import TensorType


DOC = "doc:"
"""Graph metadata under this and an input's or output's name says what that is."""


class Location(NamedTuple):
    """Where in the user's program a node was recorded."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Value:
    """A graph input, a constant, or one result of a node.

    Attributes:
        type: Dtype and shape.
        producer: The node it comes from; ``None`` for inputs and constants.
        index: Its position among the producer's outputs.
        name: A hint, unique only once printed or exported.
        data: The array of a constant, or an input's default.
    """

    __slots__ = ("data", "index", "name", "producer", "type")

    def __init__(
        self,
        type: TensorType,
        name: str | None = None,
        data: np.ndarray[Any, Any] | None = None,
        producer: Node | None = None,
        index: int = 0,
    ) -> None:
        self.type = type
        self.name = name
        self.data = data
        self.producer = producer
        self.index = index

    def __repr__(self) -> str:
        return f"<Value %{self.name or '?'}: {self.type}>"


class Node:
    """One application of an op.

    Attributes:
        op: What is applied; its parameters are its fields.
        inputs: Operand values.
        outputs: Result values.
        location: The user's line, where known.
        scope: Slash-separated name scope, empty at the top.
    """

    __slots__ = ("inputs", "location", "op", "outputs", "scope")

    def __init__(
        self,
        op: Op,
        inputs: tuple[Value, ...],
        types: tuple[TensorType, ...],
        location: Location | None = None,
        scope: str = "",
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.location = location
        self.scope = scope
        # the common case apart: a comprehension here makes building a graph 3x slower
        self.outputs: tuple[Value, ...]
        if len(types) == 1:
            self.outputs = (Value(types[0], None, None, self, 0),)
        else:
            self.outputs = tuple(
                Value(type, None, None, self, index) for index, type in enumerate(types)
            )

    def __repr__(self) -> str:
        operands = " ".join(str(value.type) for value in self.inputs)
        results = " ".join(str(value.type) for value in self.outputs)
        at = f" at {self.location}" if self.location else ""
        return f"<Node {self.op}: {operands} -> {results}{at}>"


class Definition(NamedTuple):
    """Where a symbol gets its number: an axis of an input or of a node's result."""

    value: Value
    axis: int


class Graph:
    """Ordered nodes with inputs, constants and outputs; one function in SSA form.

    Calling it runs the reference interpreter: ``graph(x=array)``. Graphs are frozen and unhashable;
    ``==`` is structural (order, types, parameters, constants bitwise, names, locations, metadata).

    Args:
        inputs: Values the caller supplies, with unique names.
        constants: Values with data.
        nodes: In an order where every operand comes before its use.
        outputs: Result values, in declaration order.
        output_names: One name per output.
        symbols: Every symbol the graph mentions, with its definition site.
        name: The graph's name.
        metadata: Free text by key, kept by every format.
    """

    __slots__ = (
        "_constraints",
        "constants",
        "inputs",
        "metadata",
        "name",
        "nodes",
        "output_names",
        "outputs",
        "symbols",
    )
    __hash__ = None  # type: ignore[assignment]

    inputs: tuple[Value, ...]
    constants: tuple[Value, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Value, ...]
    output_names: tuple[str, ...]
    symbols: dict[Symbol, Definition]
    name: str
    metadata: dict[str, str]
    _constraints: tuple[Constraint, ...] | None

    def __init__(
        self,
        inputs: tuple[Value, ...],
        constants: tuple[Value, ...],
        nodes: tuple[Node, ...],
        outputs: tuple[Value, ...],
        output_names: tuple[str, ...],
        *,
        symbols: Mapping[Symbol, Definition] | None = None,
        name: str = "graph",
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        fields = {
            "inputs": inputs,
            "constants": constants,
            "nodes": nodes,
            "outputs": outputs,
            "output_names": output_names,
            "symbols": dict(symbols or {}),
            "name": name,
            "metadata": dict(metadata or {}),
            "_constraints": None,
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise InvalidGraphError(f"graphs are frozen; cannot set {name!r}")

    def __call__(
        self, *arrays: Any, **named: Any
    ) -> np.ndarray[Any, Any] | tuple[np.ndarray[Any, Any], ...] | None:
        """Run the reference interpreter.

        Args:
            *arrays: Inputs by position.
            **named: Inputs by name; an input with a default may be left out.

        Returns:
            The output array, or a tuple of them when there are several.

        Raises:
            EvaluationError: An input is missing, unknown, or has the wrong dtype or shape.
        """
        from ir.interpreter import run

        results = run(self, self.bind_arguments(arrays, named))
        if len(results) == 1:
            return results[0]
        return results or None

    def bind_arguments(
        self, arrays: tuple[Any, ...], named: Mapping[str, Any]
    ) -> dict[str, np.ndarray[Any, Any]]:
        """Return input arrays by name from positional and named arguments."""
        from ir.interpreter import bind_arguments

        return bind_arguments(self, arrays, named)

    def __eq__(self, other: object) -> bool:
        from ir.equality import graphs_equal

        return isinstance(other, Graph) and graphs_equal(self, other)

    def __str__(self) -> str:
        from ir.printer import graph_text

        return graph_text(self)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{value.name}: {value.type}" for value in self.inputs)
        pairs = zip(self.output_names, self.outputs, strict=True)
        outputs = ", ".join(f"{name}: {value.type}" for name, value in pairs)
        return (
            f"<Graph {self.name!r} ({inputs}) -> ({outputs}): {len(self.nodes)} nodes, "
            f"{len(self.constants)} constants>"
        )

    def values(self) -> Iterator[Value]:
        """Iterate over inputs, constants and every node result, in order."""
        yield from self.inputs
        yield from self.constants
        for node in self.nodes:
            yield from node.outputs

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What the sizes of a run must meet: bounds, shared symbols, and what capture relied on."""
        from ir.size_checks import constraints_of

        if self._constraints is None:
            object.__setattr__(self, "_constraints", constraints_of(self))
        assert self._constraints is not None
        return self._constraints

    def describe_symbols(self) -> str:
        """Return which axes stayed open and what is asked of their sizes, a line each."""
        from ir.size_checks import describe_symbols

        return describe_symbols(self)

    @property
    def free_symbols(self) -> tuple[Symbol, ...]:
        """Symbols that a nested graph takes from around it, sorted by name."""
        from ir.symbols import free_symbols

        return free_symbols(self)

    def stats(self) -> GraphStats:
        """Return counts: nodes by op, parameters, bytes of constants, symbols."""
        from ir.stats import graph_stats

        return graph_stats(self)

    def to_networkx(self) -> nx.MultiDiGraph[str]:
        """Return the graph for analysis: one vertex per value, one edge per operand use."""
        from ir.analysis import to_networkx

        return to_networkx(self)

    def to_dot(self) -> str:
        """Return the graph in the DOT language of Graphviz."""
        from ir.drawing import to_dot

        return to_dot(self)

    def to_mermaid(self) -> str:
        """Return the graph as a Mermaid flowchart."""
        from ir.drawing import to_mermaid

        return to_mermaid(self)

    def to_svg(self) -> str:
        """Return the graph drawn as SVG; needs the extra ``drawing``.

        Raises:
            MissingExtraError: The layout engine is not installed.
        """
        from ir.pictures import to_svg

        return to_svg(self)

    def to_html(self) -> str:
        """Return the graph drawn as one HTML page; needs the extra ``drawing``.

        Raises:
            MissingExtraError: The layout engine is not installed.
        """
        from ir.pictures import to_html

        return to_html(self)

    def _repr_html_(self) -> str:
        from ir.pictures.notebook import notebook_html

        return notebook_html(self)

    def cost(self) -> GraphCost:
        """Return operations, bytes moved and parameters; dims where sizes are symbolic."""
        from ir.costs import graph_cost

        return graph_cost(self)

    def memory_peak(self, **sizes: int) -> MemoryPeak:
        """Return the most memory that live values take, for these numbers of symbols."""
        from ir.memory import memory_peak

        return memory_peak(self, sizes)

    def critical_path(
        self, weight: Literal["nodes", "flops", "bytes"] = "nodes", **sizes: int
    ) -> CriticalPath:
        """Return the heaviest chain of nodes, each reading a result of the one before."""
        from ir.analysis import critical_path

        return critical_path(self, weight, sizes)

    def ancestors(self, *values: Value | str) -> tuple[Value, ...]:
        """Return what feeds values (or names of values or outputs), in graph order."""
        from ir.reachability import ancestors

        return ancestors(self, *values)

    def descendants(self, *values: Value | str) -> tuple[Value, ...]:
        """Return what depends on values (or names of values or outputs), in graph order."""
        from ir.reachability import descendants

        return descendants(self, *values)

    def subgraph(
        self,
        inputs: Sequence[Value | str] | None,
        outputs: Sequence[Value | str],
        name: str | None = None,
    ) -> Graph:
        """Return the part that computes ``outputs`` from ``inputs`` (the graph's own if None).

        Raises:
            InvalidGraphError: A value is unknown, or the outputs need more than ``inputs``.
        """
        from ir.reachability import subgraph

        return subgraph(self, inputs, outputs, name)

    def is_isomorphic(self, other: Graph) -> bool:
        """Whether two graphs differ at most in node order, names, locations and metadata."""
        from ir.isomorphism import is_isomorphic

        return is_isomorphic(self, other)

    def diff(self, other: Graph) -> GraphDiff:
        """Return what changed from this graph to another; print it, or test its truth."""
        from ir.differences import GraphDiff

        return GraphDiff(self, other)
