"""JSON text and files to graphs; see ``graph_reader`` for the graph itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from exporters.json.decode import decode
from exporters.json.errors import JsonFormatError
from exporters.json.fields import Layout, Row, described, items, number, text
from exporters.json.graph_reader import GraphReader
from exporters.json.schema import (
    DIM_WORK,
    DIM_WORK_PER_CHARACTER,
    FORMAT,
    MAX_GRAPH_DEPTH,
    MAX_SIZE,
    MINOR,
    VERSION,
)
from exporters.json.sidecar import Sidecar
from ir.dim_work import limited_dim_work
from ir.nesting import Depths

if TYPE_CHECKING:
    import os

    from ir.graph import Graph

_DOCUMENT = Layout(
    "format version name inputs constants nodes outputs",
    "minor metadata sidecar symbols files locations graphs",
)
_NESTED = Layout("name inputs constants nodes outputs", "metadata symbols files locations")


def from_json(document: str | bytes | bytearray) -> Graph:
    """Return the graph that a JSON document describes.

    Args:
        document: What :func:`exporters.json.to_json` returned.

    Raises:
        JsonFormatError: The document is malformed, describes an invalid graph, or has its
            constants in a sidecar file (then use :func:`load_json`).
    """
    return _read(_document(document), None, len(document))


def load_json(path: str | os.PathLike[str], *, memory_map: bool = False) -> Graph:
    """Return the graph in a JSON file, with the constants of its sidecar.

    Args:
        path: What :class:`exporters.json.JsonExporter` wrote. The sidecar, if it has one, is
            looked for in the same folder and nowhere else.
        memory_map: Map the sidecar instead of copying it. Constants are then read when they
            are used, their checksums are not compared, and the file must not be changed in
            place as long as the graph lives (replacing it, as an export does, is harmless).

    Raises:
        JsonFormatError: A file is malformed or truncated, or describes an invalid graph.
        OSError: The file cannot be read.
    """
    path = Path(path)
    document = path.read_bytes()
    row, size = _document(document), len(document)
    del document
    if "sidecar" not in row:
        return _read(row, None, size)
    name = text(row, "sidecar")
    try:
        sidecar = Sidecar(path.parent, name, memory_map=memory_map)
    except JsonFormatError as error:
        raise error.within("sidecar") from None
    with sidecar:
        return _read(row, sidecar, size)


def _document(document: str | bytes | bytearray) -> Row:
    plain = decode(document)
    if type(plain) is not dict or plain.get("format") != FORMAT:
        raise JsonFormatError(f"no {FORMAT} document: 'format' must be {FORMAT!r}")
    version = plain.get("version")
    if type(version) is not int or version != VERSION:
        raise JsonFormatError(
            f"this reads version {VERSION}, the document is version {described(version)}",
            ("version",),
        )
    minor = number(plain, "minor", 0, MAX_SIZE, 0)
    try:
        return _DOCUMENT.read(plain)
    except JsonFormatError as error:
        raise _newer(error, minor) from None


def _read(row: Row, sidecar: Sidecar | None, size: int) -> Graph:
    try:
        if sidecar is None and "sidecar" in row:
            raise JsonFormatError(
                "the constants are in a file; read this with load_json", ("sidecar",)
            )
        with limited_dim_work(DIM_WORK + DIM_WORK_PER_CHARACTER * size):
            return GraphReader(row, sidecar, _nested_graphs(row, sidecar)).graph()
    except JsonFormatError as error:
        raise _newer(error, number(row, "minor", 0, MAX_SIZE, 0)) from None


def _nested_graphs(row: Row, sidecar: Sidecar | None) -> list[Graph]:
    """Return the nested graphs, each of which may hold those before it."""
    graphs: list[Graph] = []
    depths = Depths()
    for index, plain in enumerate(items(row, "graphs")):
        try:
            body = _NESTED.read(plain)
            graphs.append(GraphReader(body, sidecar, graphs, nested=True).graph())
            if depths.add(graphs[-1]) > MAX_GRAPH_DEPTH:
                raise JsonFormatError(f"nested more than {MAX_GRAPH_DEPTH} graphs deep")
        except JsonFormatError as error:
            raise error.within("graphs", index) from None
    return graphs


def _newer(error: JsonFormatError, minor: int) -> JsonFormatError:
    """Say so when the likely cause is that a newer program wrote the document."""
    if minor <= MINOR:
        return error
    return JsonFormatError(
        f"{error.reason} (the document is of format {VERSION}.{minor}, this reads "
        f"{VERSION}.{MINOR})",
        error.tokens,
    )
