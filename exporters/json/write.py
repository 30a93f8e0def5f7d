"""A graph to JSON text, in pieces, one row of a table per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from exporters.errors import ExportError
from exporters.json.arrays import array_pieces
from exporters.json.errors import JsonFormatError
from exporters.json.schema import FORMAT, MAX_GRAPH_DEPTH, MINOR, VERSION
from exporters.json.spelling import long_table, quoted, spelled, table
from exporters.json.vocabulary import Vocabulary, read_symbols
from ir.errors import IRError
from ir.graph import Graph
from ir.nesting import Depths, nested_in_order
from ir.parameters import encode
from ir.progress import counted
from ir.types import DTYPE_NAMES, type_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ir.dims import Symbol
    from ir.graph import Location, Node, Value
    from ir.ops.base import Array, Op
    from ir.types import TensorType


class DataWriter(Protocol):
    """Says how the data of a constant or default is spelled in its row."""

    def __call__(self, array: Array) -> Iterable[str]:
        """Return ``"values": …``, ``"base64": …`` or a reference, in pieces."""


def to_json(graph: Graph) -> str:
    """Return the graph as JSON text with all its constants inside.

    Reading it back with :func:`exporters.json.from_json` gives an equal graph, and writing
    that gives the same text. The text always encodes as UTF-8.

    Args:
        graph: A finished graph.

    Raises:
        ExportError: Something in the graph would not come back equal, for example an op
            that is not registered.
    """
    return "".join(json_pieces(graph))


def json_pieces(
    graph: Graph, data: DataWriter = array_pieces, sidecar: str | None = None
) -> Iterator[str]:
    """Yield the document of a graph in pieces of moderate size.

    Args:
        graph: A finished graph.
        data: Spells arrays.
        sidecar: The file name that ``data`` refers to, if it does.

    Raises:
        ExportError: Something in the graph would not come back equal.
    """
    nested = nested_in_order(graph)
    depths = Depths()
    if any(depths.add(inner) > MAX_GRAPH_DEPTH for inner in nested):
        raise ExportError(f"json: graphs are nested more than {MAX_GRAPH_DEPTH} deep")
    yield f'{{\n"format": "{FORMAT}",\n"version": {VERSION},\n"minor": {MINOR}'
    if nested:
        yield ',\n"graphs": ['
        for index, inner in enumerate(nested):
            yield "\n{" if index == 0 else ",\n{"
            body = "".join(_GraphWriter(inner, data, nested[:index]).pieces(None))
            yield body.removeprefix(",") + "\n}"
        yield "]"
    yield from _GraphWriter(graph, data, nested).pieces(sidecar)
    yield "\n}\n"


class _GraphWriter:
    """Writes the body of one graph; what repeats is spelled once and kept as text."""

    def __init__(self, graph: Graph, data: DataWriter, nested: Sequence[Graph] = ()) -> None:
        self._graph = graph
        self._nested = {id(inner): index for index, inner in enumerate(nested)}
        self._data = data
        values = list(graph.values())
        self._ids = {value: index for index, value in enumerate(values)}
        if len(self._ids) != len(values):
            raise ExportError("json: a value is defined twice in the graph")
        self._types: dict[TensorType, str] = {}
        self._ops: dict[Op, str] = {}
        self._locations: dict[Location, int] = {}
        self._symbol_rows = [self._symbol_row(symbol) for symbol in graph.symbols]
        self._symbol_rows += [_bounds_row(symbol) for symbol in graph.free_symbols]
        try:
            self._vocabulary = Vocabulary(read_symbols(self._symbol_rows), nested)
        except JsonFormatError as error:
            raise ExportError(f"json: symbols cannot be written: {error.reason}") from error

    def pieces(self, sidecar: str | None) -> Iterator[str]:
        graph = self._graph
        texts = [f"{quoted(key)}: {quoted(text)}" for key, text in graph.metadata.items()]
        yield f',\n"name": {quoted(graph.name)},\n"metadata": {{{", ".join(texts)}}}'
        if sidecar is not None:
            yield f',\n"sidecar": {quoted(sidecar)}'
        yield from table("symbols", map(spelled, self._symbol_rows))
        yield from long_table("inputs", map(self._input_pieces, graph.inputs))
        yield from long_table("constants", map(self._constant_pieces, graph.constants))
        yield from table("nodes", map(self._node_row, counted("writing nodes", graph.nodes)))
        pairs = zip(graph.output_names, graph.outputs, strict=True)
        yield from table("outputs", (self._output_row(*pair) for pair in pairs))
        files: dict[str, int] = {}
        rows = [
            f'{{"file": {files.setdefault(place.file, len(files))}, "line": {place.line}, '
            f'"function": {quoted(place.function)}}}'
            for place in self._locations
        ]
        yield from table("files", map(quoted, files))
        yield from table("locations", rows)

    def _symbol_row(self, symbol: Any) -> dict[str, Any]:
        site = self._graph.symbols[symbol]
        return {**_bounds_row(symbol), "value": self._id(site.value), "axis": site.axis}

    def _input_pieces(self, value: Value) -> Iterator[str]:
        yield self._value_start(value)
        if value.data is not None:
            yield f', "default": {{"type": {self._type(type_of(value.data))}, '
            yield from self._data(value.data)
            yield "}"
        yield "}"

    def _constant_pieces(self, value: Value) -> Iterator[str]:
        if value.data is None:
            raise ExportError(f"json: constant {value!r} has no data")
        yield self._value_start(value)
        yield ", "
        yield from self._data(value.data)
        yield "}"

    def _value_start(self, value: Value) -> str:
        name = "" if value.name is None else f', "name": {quoted(value.name)}'
        return f'{{"id": {self._ids[value]}{name}, "type": {self._type(value.type)}'

    def _node_row(self, node: Node) -> str:
        op = self._ops.get(node.op)
        if op is None:
            op = self._ops[node.op] = self._op(node)
        outputs = node.outputs
        if len(outputs) == 1:
            (value,) = outputs
            types = self._types.get(value.type) or self._type(value.type)
            names = "" if value.name is None else f', "names": [{quoted(value.name)}]'
        else:
            types = ", ".join([self._type(value.type) for value in outputs])
            names = ""
            if any(value.name is not None for value in outputs):
                hints = ["null" if v.name is None else quoted(v.name) for v in outputs]
                names = f', "names": [{", ".join(hints)}]'
        first = self._ids[outputs[0]] if outputs else self._refuse(node, "it has no result")
        ids = self._ids
        try:
            inputs = [ids[value] for value in node.inputs]
        except KeyError:
            self._refuse(node, "an operand is not in the graph")
        at = scope = ""
        if node.location is not None:
            places = self._locations
            at = f', "location": {places.setdefault(node.location, len(places))}'
        if node.scope:
            scope = f', "scope": {quoted(node.scope)}'
        return (
            f'{{"id": {first}, {op}, "inputs": {inputs}, "types": [{types}]'
            f"{names}{at}{scope}}}"
        )

    def _output_row(self, name: str, value: Value) -> str:
        return f'{{"name": {quoted(name)}, "value": {self._id(value)}}}'

    def _id(self, value: Value) -> int:
        if value not in self._ids:
            raise ExportError(f"json: {value!r} is not in the graph")
        return self._ids[value]

    def _type(self, type: TensorType) -> str:
        text = self._types.get(type)
        if text is None:
            if type.dtype not in DTYPE_NAMES:
                raise ExportError(f"json: dtype {type.dtype} cannot be written")
            try:
                same = self._vocabulary.type(str(type)) == type
            except JsonFormatError as error:
                raise ExportError(f"json: {type} cannot be written: {error.reason}") from error
            if not same:
                raise ExportError(
                    f"json: {type} cannot be written: its symbols are not the graph's"
                )
            text = self._types[type] = f'"{type}"'
        return text

    def _op(self, node: Node) -> str:
        op = node.op
        try:
            parameters = {k: self._parameter(value) for k, value in op.parameters.items()}
            same = self._vocabulary.op(op.name, parameters) == op
        except JsonFormatError as error:
            self._refuse(node, error.reason)
        except (IRError, KeyError) as error:
            self._refuse(node, str(error))
        if not same:
            self._refuse(node, "its parameters would not come back equal")
        tail = f', "parameters": {spelled(parameters)}' if parameters else ""
        return f'"op": {quoted(op.name)}{tail}'

    def _parameter(self, value: Any) -> Any:
        """Return a parameter as plain data; a nested graph by its index in the document."""
        return (
            {"graph": self._nested[id(value)]} if isinstance(value, Graph) else encode(value)
        )

    def _refuse(self, node: Node, reason: str) -> NoReturn:
        raise ExportError.at(node, f"cannot be written as JSON: {reason}")


def _bounds_row(symbol: Symbol) -> dict[str, Any]:
    row = {"name": symbol.name, "min": symbol.min}
    return row if symbol.max is None else {**row, "max": symbol.max}
