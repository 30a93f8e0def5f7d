"""Values and symbols of a graph, described one by one for people and for scripts."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from capture.cli_errors import UsageError
from capture.location import source_line
from ir.dims import Dim, symbols_of
from ir.printer import value_names

if TYPE_CHECKING:
    from ir.dims import Symbol
    from ir.graph import Graph, Node, Value


class Described:
    """A graph with what its values are called and who reads them.

    Args:
        graph: What to describe.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names = value_names(graph)
        self.readers: dict[Value, list[Node]] = {}
        for node in graph.nodes:
            for operand in dict.fromkeys(node.inputs):
                self.readers.setdefault(operand, []).append(node)
        self.returned: dict[Value, list[str]] = {}
        for name, value in zip(graph.output_names, graph.outputs, strict=True):
            self.returned.setdefault(value, []).append(name)

    def find(self, name: str) -> Value:
        """Return the value that the graph's text calls ``name``, or the output of that name.

        Raises:
            UsageError: There is none; the message names close ones.
        """
        wanted = name.removeprefix("%")
        by_name = {text: value for value, text in self.names.items()}
        for output, value in zip(self.graph.output_names, self.graph.outputs, strict=True):
            by_name.setdefault(output, value)
        if wanted not in by_name:
            near = difflib.get_close_matches(wanted, by_name, n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UsageError(f"{self.graph.name}: no value {name!r}{hint}")
        return by_name[wanted]

    def value(self, value: Value) -> dict[str, Any]:
        """Return one value for scripts."""
        node = value.producer
        location = None if node is None else node.location
        kind = "node" if node else "input" if value in self.graph.inputs else "constant"
        return {
            "name": self.names[value],
            "kind": kind,
            "type": str(value.type),
            "op": None if node is None else node.op.name,
            "parameters": {}
            if node is None
            else {name: _plain(item) for name, item in node.op.parameters.items()},
            "operands": [] if node is None else [self.names[v] for v in node.inputs],
            "location": None
            if location is None
            else {"file": location.file, "line": location.line, "function": location.function},
            "used_by": [self.names[v] for n in self.readers.get(value, ()) for v in n.outputs],
            "returned_as": self.returned.get(value, []),
        }

    def value_text(self, value: Value) -> str:
        """Return one value for people: op, operands with types, line, data, uses."""
        node = value.producer
        lines = [f"%{self.names[value]} : {value.type}"]
        if node is not None:
            lines.append(f"  op        {node.op}")
            lines += [f"  operand   %{self.names[v]} : {v.type}" for v in node.inputs]
            if node.location is not None:
                lines.append(f"  line      {source_line(node.location).removeprefix('  at ')}")
                lines.append(f"  function  {node.location.function}")
        else:
            lines.append(f"  kind      {self.value(value)['kind']}")
        if value.data is not None:
            lines.append(f"  data      {_data_text(value)}")
        for reader in self.readers.get(value, ()):
            results = ", ".join(f"%{self.names[result]}" for result in reader.outputs)
            lines.append(f"  used by   {results} = {reader.op.name}")
        lines += [f"  returned  as {name!r}" for name in self.returned.get(value, ())]
        return "\n".join(lines)

    def symbols(self) -> list[dict[str, Any]]:
        """Return every symbol: its limits, where it is defined, how many values mention it."""
        mentions: dict[Symbol, int] = {}
        for value in self.graph.values():
            for symbol in symbols_of([d for d in value.type.shape if isinstance(d, Dim)]):
                mentions[symbol] = mentions.get(symbol, 0) + 1
        return [
            {
                "name": symbol.name,
                "min": symbol.min,
                "max": symbol.max,
                "defined_by": self.names[site.value],
                "axis": site.axis,
                "mentions": mentions.get(symbol, 0),
            }
            for symbol, site in sorted(self.graph.symbols.items(), key=lambda s: s[0].name)
        ]

    def interface(self) -> dict[str, Any]:
        """Return the graph's name and the types of its inputs and outputs for scripts."""
        graph = self.graph
        outputs = zip(graph.output_names, graph.outputs, strict=True)
        return {
            "name": graph.name,
            "inputs": {str(value.name): str(value.type) for value in graph.inputs},
            "outputs": {name: str(value.type) for name, value in outputs},
        }

    def document(self) -> dict[str, Any]:
        """Return the whole graph for scripts; ``export --json`` writes the lossless form."""
        graph = self.graph
        return {
            **self.interface(),
            "stats": graph.stats()._asdict(),
            "values": [self.value(value) for value in graph.values()],
        }


def symbols_text(rows: list[dict[str, Any]]) -> str:
    """Return symbols for people, one a line."""
    if not rows:
        return "no symbols: every size is fixed"
    lines = []
    for row in rows:
        most = "" if row["max"] is None else f" <= {row['max']}"
        lines.append(
            f"{row['min']} <= {row['name']}{most}, axis {row['axis']} of "
            f"%{row['defined_by']}, in the types of {row['mentions']} values"
        )
    return "\n".join(lines)


def _data_text(value: Value) -> str:
    data = value.data
    assert data is not None
    if not data.size:
        return "empty"
    if data.size <= 8 or data.dtype.kind not in "iuf":
        return " ".join(str(data).split()) if data.size <= 8 else f"{data.nbytes:,} bytes"
    return f"{data.nbytes:,} bytes, from {data.min():.6g} to {data.max():.6g}"


def _plain(value: Any) -> Any:
    """Return a parameter as JSON has it; what JSON lacks as text."""
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)
