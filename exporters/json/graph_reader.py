"""The body of a document to a graph. Nothing is executed, and nothing is taken on trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from exporters.json.arrays import from_base64, from_values
from exporters.json.errors import JsonFormatError
from exporters.json.fields import (
    Layout,
    Row,
    as_items,
    as_object,
    as_text,
    described,
    integer,
    items,
    number,
    text,
)
from exporters.json.schema import MAX_SIZE
from exporters.json.vocabulary import Vocabulary, read_symbols
from ir.check import check
from ir.errors import IRError
from ir.graph import Definition, Graph, Location, Node, Value
from ir.progress import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exporters.json.sidecar import Sidecar
    from ir.dims import Symbol
    from ir.ops.base import Array, Op
    from ir.types import TensorType

T = TypeVar("T")

_DATA = "values base64 tensor crc32"
_INPUT = Layout("id name type", "default")
_DEFAULT = Layout("type", _DATA)
_CONSTANT = Layout("id type", f"name {_DATA}")
_NODE = Layout("id op inputs types", "parameters names location scope")
_OUTPUT = Layout("name value")
_LOCATION = Layout("file line function")


class GraphReader:
    """Reads one graph; a value's id is its index in the order of definition.

    Args:
        row: The document, or the object of a nested graph.
        sidecar: Where large constants are, if anywhere.
        graphs: Nested graphs that come before this one.
        nested: Whether this is a nested graph, whose symbols may come from around it.

    Raises:
        JsonFormatError: The symbols are malformed.
    """

    def __init__(
        self,
        row: Row,
        sidecar: Sidecar | None,
        graphs: Sequence[Graph] = (),
        *,
        nested: bool = False,
    ) -> None:
        self._row = row
        self._nested = nested
        self._sidecar = sidecar
        symbols = items(row, "symbols")
        try:
            self._symbols = read_symbols(symbols)
        except JsonFormatError as error:
            raise error.within("symbols") from None
        self._vocabulary = Vocabulary(self._symbols, graphs)
        self._inferred: dict[tuple[Op, tuple[TensorType, ...]], tuple[TensorType, ...]] = {}
        self._files: list[str] = []
        self._locations: list[Location] = []
        self._values: list[Value] = []

    def graph(self) -> Graph:
        """Return the graph.

        Raises:
            JsonFormatError: A part is malformed, or the whole breaks an invariant of the IR.
        """
        self._files = self._rows("files", as_text)
        self._locations = self._rows("locations", self._location)
        inputs = self._rows("inputs", self._input)
        constants = self._rows("constants", self._constant)
        nodes = self._rows("nodes", self._node)
        outputs = self._rows("outputs", self._output)
        graph = Graph(
            tuple(inputs),
            tuple(constants),
            tuple(nodes),
            tuple(value for _, value in outputs),
            tuple(name for name, _ in outputs),
            symbols=dict(filter(None, self._rows("symbols", self._definition))),
            name=text(self._row, "name"),
            metadata=self._metadata(),
        )
        try:
            check(graph, nested=self._nested)
        except IRError as error:
            raise JsonFormatError(f"not a valid graph: {error}") from None
        return graph

    def _rows(self, key: str, read: Callable[[Any], T]) -> list[T]:
        result = []
        rows = counted(f"reading {key}", items(self._row, key))
        for index, plain in enumerate(rows):
            try:
                result.append(read(plain))
            except JsonFormatError as error:
                raise error.within(key, index) from None
        return result

    def _metadata(self) -> dict[str, str]:
        try:
            plain = as_object(self._row.get("metadata", {}))
            return {key: text(plain, key) for key in plain}
        except JsonFormatError as error:
            raise error.within("metadata") from None

    def _location(self, plain: Any) -> Location:
        row = _LOCATION.read(plain)
        file = _chosen(row, "file", self._files)
        return Location(file, number(row, "line", 0, MAX_SIZE), text(row, "function"))

    def _input(self, plain: Any) -> Value:
        row = _INPUT.read(plain)
        type = self._type(row)
        data = None
        if "default" in row:
            try:
                data = self._default(row["default"], type)
            except JsonFormatError as error:
                raise error.within("default") from None
        return self._defined(row, Value(type, text(row, "name"), data=data))

    def _default(self, plain: Any, wanted: TensorType) -> Array:
        row = _DEFAULT.read(plain)
        type = self._type(row)
        if type.dtype != wanted.dtype or type.rank != wanted.rank:
            raise JsonFormatError(f"{type} is no default for {wanted}", ("type",))
        return self._array(row, type)

    def _constant(self, plain: Any) -> Value:
        row = _CONSTANT.read(plain)
        type = self._type(row)
        name = text(row, "name") if "name" in row else None
        return self._defined(row, Value(type, name, data=self._array(row, type)))

    def _array(self, row: Row, type: TensorType) -> Array:
        given = [key for key in ("values", "base64", "tensor") if key in row]
        if len(given) != 1 or ("crc32" in row) != (given == ["tensor"]):
            raise JsonFormatError(
                "data is either 'values' or 'base64' or 'tensor' with 'crc32', "
                f"found {' and '.join(given) or 'none'}"
            )
        (key,) = given
        try:
            if key == "values":
                return from_values(as_items(row[key]), type)
            if key == "base64":
                return from_base64(as_text(row[key]), type)
            if self._sidecar is None:
                raise JsonFormatError("the document names no sidecar")
            return self._sidecar.array(as_text(row[key]), type, integer(row["crc32"]))
        except JsonFormatError as error:
            raise error.within(key) from None

    def _type(self, row: Row) -> TensorType:
        try:
            return self._vocabulary.type(row["type"])
        except JsonFormatError as error:
            raise error.within("type") from None

    def _defined(self, row: Row, value: Value) -> Value:
        self._expect_id(row)
        self._values.append(value)
        return value

    def _expect_id(self, row: Row) -> None:
        found, wanted = row["id"], len(self._values)
        if type(found) is not int or found != wanted:
            raise JsonFormatError(
                f"values are numbered in order: expected {wanted}, found {described(found)}",
                ("id",),
            )

    def _node(self, plain: Any) -> Node:
        row = _NODE.read(plain)
        self._expect_id(row)
        parameters = row.get("parameters", {})
        if type(parameters) is not dict:
            raise JsonFormatError(
                f"expected an object, found {described(parameters)}", ("parameters",)
            )
        op = self._vocabulary.op(text(row, "op"), parameters)
        inputs = self._operands(row)
        types = self._result_types(row, op, tuple([value.type for value in inputs]))
        location = None
        if "location" in row:
            location = _chosen(row, "location", self._locations)
        node = Node(op, inputs, types, location, text(row, "scope", ""))
        if "names" in row:
            _set_names(node, items(row, "names"))
        self._values.extend(node.outputs)
        return node

    def _operands(self, row: Row) -> tuple[Value, ...]:
        values = self._values
        known = len(values)
        operands = []
        for position, plain in enumerate(items(row, "inputs")):
            if type(plain) is not int or not 0 <= plain < known:
                raise _undefined(plain, known).within("inputs", position)
            operands.append(values[plain])
        return tuple(operands)

    def _result_types(
        self, row: Row, op: Op, operands: tuple[TensorType, ...]
    ) -> tuple[TensorType, ...]:
        listed = []
        for position, plain in enumerate(items(row, "types")):
            try:
                listed.append(self._vocabulary.type(plain))
            except JsonFormatError as error:
                raise error.within("types", position) from None
        key = (op, operands)
        inferred = self._inferred.get(key)
        if inferred is None:
            try:
                inferred = self._inferred[key] = op.infer(*operands)
            except (IRError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                # capture never makes such parameters, so an op may stumble over them
                raise JsonFormatError(f"not a valid node: {error}") from None
        if inferred != tuple(listed):
            gives = ", ".join(map(str, inferred))
            raise JsonFormatError(f"{op.name} gives {gives}, not what is listed", ("types",))
        return inferred

    def _output(self, plain: Any) -> tuple[str, Value]:
        row = _OUTPUT.read(plain)
        return text(row, "name"), self._value(row)

    def _value(self, row: Row) -> Value:
        found, known = row["value"], len(self._values)
        if type(found) is not int or not 0 <= found < known:
            raise _undefined(found, known).within("value")
        return self._values[found]

    def _definition(self, plain: Row) -> tuple[Symbol, Definition] | None:
        if "value" not in plain and "axis" not in plain and self._nested:
            return None  # its number comes from the graph around
        for key in ("value", "axis"):
            if key not in plain:
                raise JsonFormatError(f"the key {key!r} is missing")
        value = self._value(plain)
        if type(plain["axis"]) is not int or not 0 <= plain["axis"] < value.type.rank:
            raise JsonFormatError(f"{value.type} has no such axis", ("axis",))
        return self._symbols[plain["name"]], Definition(value, plain["axis"])


def _chosen(row: Row, key: str, table: list[T]) -> T:
    index = row[key]
    if type(index) is int and 0 <= index < len(table):
        return table[index]
    raise JsonFormatError(
        f"expected an index below {len(table)}, found {described(index)}", (key,)
    )


def _undefined(found: Any, known: int) -> JsonFormatError:
    if type(found) is not int:
        return JsonFormatError(f"expected a value's id, found {described(found)}")
    return JsonFormatError(
        f"{described(found)} is no value defined before this; there are {known} so far"
    )


def _set_names(node: Node, names: list[Any]) -> None:
    if len(names) != len(node.outputs):
        raise JsonFormatError(
            f"{len(names)} names for {len(node.outputs)} results", ("names",)
        )
    for position, (value, name) in enumerate(zip(node.outputs, names, strict=True)):
        if type(name) is not str and name is not None:
            raise JsonFormatError(
                f"expected a string or null, found {described(name)}", ("names", position)
            )
        value.name = name
