"""The chain that recording and exporting are measured on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from capture import CaptureDevice, capture_scope

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

    from ir import Graph

OPS_PER_STEP = 3


def chain(x: Any, length: int) -> Any:
    """Return ``x`` after ``length`` additions, multiplications and hyperbolic tangents."""
    y = x
    for _ in range(length // OPS_PER_STEP):
        y = np.tanh(y * x + x)
    return y


def recording_seconds(length: int) -> float:
    """Return the time to record the chain on a (4, 4) array, without finishing."""
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (4, 4), np.float32)
        start = time.perf_counter()
        y = chain(x, length)
        seconds = time.perf_counter() - start
        scope.output("y", y)
    return seconds


def finishing(length: int) -> tuple[float, Graph]:
    """Return the time to finish the recorded chain, and its graph."""
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (4, 4), np.float32)
        scope.output("y", chain(x, length))
        start = time.perf_counter()
        graph = scope.complete()
        return time.perf_counter() - start, graph


def best(measure: Callable[[], float], runs: int = 7) -> float:
    """Return the least of several measurements: the one least disturbed by the machine."""
    return min(measure() for _ in range(runs))


def seconds(function: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def bare_protobuf(model: onnx.ModelProto) -> Callable[[], bytes]:
    """Return a function that builds and serialises the same model with protobuf calls alone."""
    rows = [
        (n.op_type, n.name, list(n.input), list(n.output), n.doc_string)
        for n in model.graph.node
    ]

    def build() -> bytes:
        made = type(model)()
        made.ir_version = model.ir_version
        made.opset_import.add().version = model.opset_import[0].version
        made.metadata_props.extend(model.metadata_props)
        made.graph.input.extend(model.graph.input)
        made.graph.output.extend(model.graph.output)
        made.graph.initializer.extend(model.graph.initializer)
        for op_type, name, inputs, outputs, doc in rows:
            node = made.graph.node.add()
            node.op_type = op_type
            node.name = name
            node.input.extend(inputs)
            node.output.extend(outputs)
            node.doc_string = doc
        return bytes(made.SerializeToString())

    return build
