"""What the bug-report cases in ``tests/cases`` need of a tool: capture, run, export, save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

import capture as tool
from exporters import OnnxExporter, to_onnx

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import onnx

    from ir import Graph

    Array = np.ndarray[Any, Any]


class Captured:
    """A captured program, run through the exported model in ONNX Runtime."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._session: onnxruntime.InferenceSession | None = None

    def to_onnx(self) -> onnx.ModelProto:
        return to_onnx(self.graph)

    def save(self, path: str | Path, external_data: bool = False) -> None:
        OnnxExporter(path, external_data=external_data).export(self.graph)

    def run(self, *arrays: Array) -> Sequence[Array]:
        if self._session is None:
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            model = self.to_onnx().SerializeToString()
            self._session = onnxruntime.InferenceSession(model, options)
        names = [value.name for value in self._session.get_inputs()]
        feeds = dict(zip(names, arrays, strict=True))
        results: Sequence[Array] = self._session.run(None, feeds)
        return results


def capture(
    fn: Callable[..., Any],
    examples: Sequence[Array],
    dynamic: Mapping[int, Mapping[int, str]] | None = None,
    input_names: Sequence[str] | None = None,
) -> Captured:
    """Capture ``fn`` with inputs like the examples; ``dynamic`` names the axes left open."""
    if input_names is None:
        return Captured(tool.trace(fn, *examples, dynamic=dynamic))
    specs = []
    for position, (name, example) in enumerate(zip(input_names, examples, strict=True)):
        sizes = dict(enumerate(example.shape)) | dict((dynamic or {}).get(position, {}))
        specs.append(tool.TensorSpec(tuple(sizes.values()), example.dtype, name))
    return Captured(tool.trace(fn, *specs))
