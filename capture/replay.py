"""Recording a finished graph again, with other tensors, sizes, numbers and ranges."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from capture.coerce import lift
from capture.errors import BindingError
from capture.location import here
from capture.symbolic import dim_of
from capture.tensor import Tensor
from capture.views import Owned
from ir.dims import Dim, substitute
from ir.ops.nested import mapped_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from capture.recorder import Recorder
    from ir.graph import Graph, Node, Value


@dataclass(frozen=True)
class GraphBindings:
    """What a relative graph is replayed with.

    Args:
        tensors: A tensor (or array) per input name.
        dims: A size per symbol name; symbols that inputs define are found by themselves.
        scalars: A Python number per input name, for inputs without axes.
        ranges: A Python slice per range name ``r``: the symbols ``r.start`` and ``r.size`` of the
            graph become its start and its number of elements.
    """

    tensors: Mapping[str, Any] = field(default_factory=dict)
    dims: Mapping[str, Any] = field(default_factory=dict)
    scalars: Mapping[str, bool | int | float] = field(default_factory=dict)
    ranges: Mapping[str, slice] = field(default_factory=dict)


def replay(recorder: Recorder, graph: Graph, bindings: GraphBindings) -> dict[str, Tensor]:
    """Record every node of ``graph`` again and return its outputs by name.

    Intermediates get fresh ids, and sizes that depend on data fresh symbols.

    Args:
        recorder: Where to record.
        graph: A relative graph: shapes may mention symbols that only bindings define.
        bindings: What stands for its inputs and symbols.

    Raises:
        BindingError: An input or symbol is not bound, is bound twice, or does not fit.
    """
    return _Replay(recorder, graph, bindings).run()


class _Replay:
    def __init__(self, recorder: Recorder, graph: Graph, bindings: GraphBindings) -> None:
        self.recorder = recorder
        self.graph = graph
        self.bindings = bindings
        self.dims: dict[str, int | Dim] = {}
        self.values: dict[Value, Tensor] = {}

    def run(self) -> dict[str, Tensor]:
        self._bind_sizes()
        self._bind_inputs()
        for value in self.graph.constants:
            self.values[value] = lift(self.recorder, value.data)
        builder, around = self.recorder.builder, self.recorder.builder.scope
        for node in self.graph.nodes:
            scope = "/".join(filter(None, (around, node.scope)))
            if scope != builder.scope:
                builder.enter_scope(scope)
            self._record(node)
        builder.enter_scope(around)
        return {
            name: self.values[value]
            for name, value in zip(self.graph.output_names, self.graph.outputs, strict=True)
        }

    def _bind_sizes(self) -> None:
        for name, size in self.bindings.dims.items():
            self.dims[name] = dim_of(size)
        for name, wanted in self.bindings.ranges.items():
            if wanted.step not in (None, 1):
                raise BindingError(
                    f"range {name!r}: {wanted} has a step; ranges are contiguous"
                )
            start = 0 if wanted.start is None else dim_of(wanted.start)
            self.dims[f"{name}.start"] = start
            self.dims[f"{name}.size"] = dim_of(wanted.stop) - start
        used = {symbol.name for symbol in (*self.graph.symbols, *self.graph.free_symbols)}
        unknown = [name for name in self.dims if name not in used]
        if unknown:
            raise BindingError(
                f"graph {self.graph.name!r} has no symbol {unknown[0]!r}; it has "
                f"{sorted(used) or 'none'}{here(3)}"
            )

    def _bind_inputs(self) -> None:
        given = {**self.bindings.tensors, **self.bindings.scalars}
        names = [str(value.name) for value in self.graph.inputs]
        for name in given:
            if name not in names:
                raise BindingError(
                    f"graph {self.graph.name!r} has no input {name!r}; inputs are {names}{here(3)}"
                )
        for value in self.graph.inputs:
            name = str(value.name)
            bound = given.get(name, value.data)
            if bound is None:
                raise BindingError(
                    f"graph {self.graph.name!r}: input {name!r} of type {value.type} is not "
                    f"bound{here(3)}"
                )
            dtype = value.type.dtype if name in self.bindings.scalars else None
            tensor = lift(self.recorder, bound, dtype)
            self.recorder.require_own("execute_graph", tensor)
            self.values[value] = tensor
        for symbol, site in self.graph.symbols.items():
            if site.value in self.values and symbol.name not in self.dims:
                self.dims[symbol.name] = self.values[site.value]._type.shape[site.axis]
        missing = [s.name for s in self.graph.free_symbols if s.name not in self.dims]
        if missing:
            raise BindingError(
                f"graph {self.graph.name!r}: symbol {missing[0]!r} is not bound; give it in dims "
                f"or ranges{here(3)}"
            )
        for value in self.graph.inputs:
            wanted = mapped_type(value.type, self.dims)
            found = self.values[value]._type
            if found != wanted:
                raise BindingError(
                    f"graph {self.graph.name!r}: input {value.name!r} must be {wanted}, got "
                    f"{found}{here(3)}"
                )

    def _record(self, node: Node) -> None:
        op = node.op
        if op.defines_symbols:
            for symbol in op.symbols:
                site = self.graph.symbols.get(symbol)
                if site is not None and site.value.producer is node:
                    stem = symbol.name.rstrip("0123456789")
                    self.dims[symbol.name] = Dim(
                        self.recorder.fresh_symbol(stem), min=symbol.min, max=symbol.max
                    )
        if op.symbols:
            op = op.with_dims(lambda dim: substitute(dim, self.dims))
        operands = [self.values[value] for value in node.inputs]
        results = self.recorder.apply(op, *operands)
        for value, result in zip(
            node.outputs, results if isinstance(results, tuple) else (results,), strict=True
        ):
            if not result.ndim:
                result._state = Owned()
            self.values[value] = result


class GraphCache:
    """Relative graphs registered in one scope, by id."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._graphs: dict[int, Graph] = {}

    def register(self, graph_id: int, graph: Graph) -> None:
        """Keep a graph under an id.

        Raises:
            BindingError: The id is taken by another graph.
        """
        graph_id = operator.index(graph_id)
        known = self._graphs.setdefault(graph_id, graph)
        if known is not graph and known != graph:
            raise BindingError(f"graph id {graph_id} is registered for another graph{here(2)}")

    def execute(self, graph_id: int, bindings: GraphBindings) -> dict[str, Tensor]:
        """Replay a registered graph.

        Raises:
            BindingError: The id is unknown, or the bindings do not fit.
        """
        graph = self._graphs.get(graph_id)
        if graph is None:
            raise BindingError(
                f"graph id {graph_id!r} is not registered in this scope; known ids: "
                f"{sorted(self._graphs) or 'none'}{here(2)}"
            )
        return replay(self._recorder, graph, bindings)
