"""The exporter that a capture scope is given: writes the JSON file and its sidecar."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from exporters.files import AtomicFiles
from exporters.json.arrays import array_pieces
from exporters.json.sidecar import write_sidecar
from exporters.json.write import json_pieces
from exporters.places import TargetFile
from exporters.summing import data_file, data_files
from ir.nesting import all_graphs

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from ir.graph import Graph
    from ir.ops.base import Array

INLINE_LIMIT = 4096
_SIDECAR = ".safetensors"


class JsonExporter:
    """Writes a graph to ``path``, its large constants to a sidecar file beside it.

    Both files appear whole or not at all, and are the same bytes for the same graph. The
    sidecar is ``<path>.<checksum>.safetensors``: its name is its content, so at any moment, a
    kill included, the file at ``path`` has the constants it was written with. Read them with
    :func:`exporters.json.load_json`.

    Args:
        path: The JSON file; its folder must exist.
        inline_limit: Constants of more bytes than this go to the sidecar; ``None`` keeps all
            in the JSON file.

    Attributes:
        written: The files of the last export: the JSON file, then its sidecar if it has any.

    Raises:
        ValueError: The limit is negative.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, inline_limit: int | None = INLINE_LIMIT
    ) -> None:
        if inline_limit is not None and inline_limit < 0:
            raise ValueError(f"inline_limit must be 0 or more, got {inline_limit}")
        self.path = Path(path)
        self._target = TargetFile(self.path)
        self.inline_limit = inline_limit
        self.written: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        return f"JsonExporter({str(self.path)!r}, inline_limit={self.inline_limit})"

    def export(self, graph: Graph) -> None:
        """Write the graph.

        Raises:
            ExportError: Something in the graph would not come back equal.
            TargetPathError: No file can be written at the path.
            OSError: Writing failed, as on a full disk.
        """
        place = self._target.place()
        tensors = {} if self.inline_limit is None else _large(graph, self.inline_limit)
        if tensors:
            self._write_with_sidecar(graph, tensors, place)
            return
        with AtomicFiles() as files:
            file = files.open(place)
            files.replaces(lambda: data_files(place, _SIDECAR))
            file.writelines(piece.encode() for piece in json_pieces(graph))
        self.written = (self.path,)

    def _write_with_sidecar(
        self, graph: Graph, tensors: Mapping[str, Array], place: Path
    ) -> None:
        names = {id(array): name for name, array in tensors.items()}
        with AtomicFiles() as files:
            sidecar_file = files.open(place.with_name(f"{place.name}{_SIDECAR}"))
            file = files.open(place)
            files.replaces(lambda: data_files(place, _SIDECAR))
            written = write_sidecar(sidecar_file, tensors)
            sidecar = data_file(place, written.checksum, _SIDECAR)
            files.rename(sidecar_file, sidecar)

            def data(array: Array) -> Iterator[str]:
                name = names.get(id(array))
                if name is None:
                    yield from array_pieces(array)
                else:
                    yield f'"tensor": {json.dumps(name)}, "crc32": {written.tensors[name]}'

            pieces = json_pieces(graph, data, sidecar.name)
            file.writelines(piece.encode() for piece in pieces)
        self.written = (self.path, self._target.beside(sidecar))


def _large(graph: Graph, limit: int) -> dict[str, Array]:
    """Return large arrays by a unique name; one that several values share comes once."""
    tensors: dict[str, Array] = {}
    seen: set[int] = set()
    values = (v for body in all_graphs(graph) for v in (*body.inputs, *body.constants))
    for index, value in enumerate(values):
        data = value.data
        if data is None or data.nbytes <= limit or id(data) in seen:
            continue
        seen.add(id(data))
        name = value.name or "constant"
        # a lone surrogate is not printable, and other programs could not read such a header
        if name in tensors or name == "__metadata__" or not name.isprintable():
            name = f"constant.{index}"
        tensors[name] = data
    return tensors
