"""NumPy in, ``model.onnx`` out, the same numbers from ONNX Runtime."""

import numpy as np
import onnxruntime

from capture import TensorSpec, trace
from exporters import OnnxExporter

weights = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)


def scores(x):
    powers = np.exp(x @ weights)
    return powers / powers.sum(axis=1, keepdims=True)


graph = trace(scores, TensorSpec(("batch", 4), np.float32))
OnnxExporter("model.onnx").export(graph)
print(graph)

rows = np.random.default_rng(1).normal(size=(5, 4)).astype(np.float32)
(found,) = onnxruntime.InferenceSession("model.onnx").run(None, {"x": rows})
print("same as NumPy:", np.allclose(found, scores(rows)))
