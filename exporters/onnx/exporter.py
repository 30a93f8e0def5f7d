"""The exporter that a capture scope is given: a graph into a ``.onnx`` file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from onnx import TensorProto

from exporters.files import AtomicFiles
from exporters.onnx import weights
from exporters.onnx.export import Options, lower
from exporters.onnx.summary import minimal_runtime
from exporters.places import TargetFile
from exporters.summing import data_file, data_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import onnx

    from exporters.onnx.legality import Optimize, Target
    from ir.graph import Graph

_DATA = ".data"


class OnnxExporter:
    """Writes graphs to one path as ONNX, atomically and the same byte for byte every time.

    Args:
        path: The ``.onnx`` file; its folder must exist.
        opset: The ONNX operator-set version.
        target: ``"onnxruntime"`` or ``"standard"``, see :func:`exporters.onnx.to_onnx`.
        optimize: How far to fuse ops into larger operators, 0 to 2, likewise.
        external_data: Whether large weights go to a file beside the model, named
            ``<path>.<checksum>.data``; ``"auto"`` decides by their size.
        verify: Whether to check the model and compare ONNX Runtime with the interpreter before
            the file takes its place.
        metadata: Entries for ``metadata_props``.
        doc_strings: Whether nodes carry the user's source line.
        keep_unused_inputs: Whether the model declares inputs that nothing reads.

    Attributes:
        written: The files of the last export: the model, then its data if it has any.
        minimal_runtime: The oldest ONNX Runtime known to run it; empty where none is.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        opset: int = 20,
        target: Target = "onnxruntime",
        optimize: Optimize = 1,
        external_data: Literal["auto"] | bool = "auto",
        verify: bool = False,
        metadata: Mapping[str, str] | None = None,
        doc_strings: bool = True,
        keep_unused_inputs: bool = True,
    ) -> None:
        self.path = Path(path)
        self._target = TargetFile(self.path)
        self.options = Options(
            opset, target, optimize, dict(metadata or {}), doc_strings, keep_unused_inputs
        )
        self.external_data = external_data
        self.verify = verify
        self.written: tuple[Path, ...] = ()
        self.minimal_runtime = ""

    def __repr__(self) -> str:
        opset, target, optimize, *_ = self.options
        options = f"opset={opset}, target={target!r}"
        if optimize != 1:
            options += f", optimize={optimize}"
        if self.external_data != "auto":
            options += f", external_data={self.external_data}"
        if self.verify:
            options += ", verify=True"
        return f"OnnxExporter({str(self.path)!r}, {options})"

    def export(self, graph: Graph) -> None:
        """Write the graph.

        Raises:
            TargetPathError: No file can be written at the path.
            ExportError: The graph has no exact form, or the file would differ from the
                reference; an older file at the path is then whole.
        """
        place = self._target.place()
        graph = self.options.declared(graph)
        model, constants = lower(graph, self.options)
        self.minimal_runtime = minimal_runtime(model)
        if self._is_external(constants):
            self._write_external(graph, model, constants, place)
        else:
            self._write_inline(graph, model, constants, place)

    def _is_external(self, constants: Mapping[str, np.ndarray[Any, Any]]) -> bool:
        if self.external_data == "auto":
            return weights.total_bytes(constants) > weights.AUTO_LIMIT
        return self.external_data and weights.any_external(constants)

    def _write_inline(
        self,
        graph: Graph,
        model: onnx.ModelProto,
        constants: Mapping[str, np.ndarray[Any, Any]],
        place: Path,
    ) -> None:
        weights.add_inline(model, constants)
        if self.verify:
            from exporters.verification import verify

            verify(
                model,
                reference=graph,
                opset=self.options.opset,
                optimize=self.options.optimize,
            )
        with AtomicFiles() as files:
            file = files.open(place)
            files.replaces(lambda: data_files(place, _DATA))
            file.write(model.SerializeToString(deterministic=True))
        self.written = (self.path,)

    def _write_external(
        self,
        graph: Graph,
        model: onnx.ModelProto,
        constants: Mapping[str, np.ndarray[Any, Any]],
        place: Path,
    ) -> None:
        with AtomicFiles() as files:
            data = files.open(place.with_name(f"{place.name}{_DATA}"))
            file = files.open(place)
            files.replaces(lambda: data_files(place, _DATA))
            checksum = weights.add_external(model, constants, data)
            data_path = data_file(place, checksum, _DATA)
            files.rename(data, data_path)
            weights.set_location(model, data_path.name)
            if self.verify:
                from exporters.verification import verify

                verify(
                    model,
                    reference=graph,
                    opset=self.options.opset,
                    optimize=self.options.optimize,
                    weights=_external(model, constants),
                )
            file.write(model.SerializeToString(deterministic=True))
        self.written = (self.path, self._target.beside(data_path))


def _external(
    model: onnx.ModelProto, constants: Mapping[str, np.ndarray[Any, Any]]
) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays that the model refers to by file."""
    return {
        tensor.name: constants[tensor.name]
        for tensor in model.graph.initializer
        if tensor.data_location == TensorProto.EXTERNAL
    }
