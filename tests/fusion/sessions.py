"""Sessions of one thread, for thousands of small models beside other tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnxruntime

if TYPE_CHECKING:
    import onnx


def session(model: onnx.ModelProto, optimized: bool) -> onnxruntime.InferenceSession:
    """Return a session of one thread, in which the runtime rewrites the graph or does not."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    levels = onnxruntime.GraphOptimizationLevel
    level = levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
