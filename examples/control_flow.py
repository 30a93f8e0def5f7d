"""Branches and loops of plain NumPy code in one file, decided when it runs."""

import numpy as np
import onnxruntime

from capture import TensorSpec, control_flow, trace
from exporters import OnnxExporter


@control_flow
def keep_apart(points, distance):
    """Keep points from left to right that are far enough from the last one kept."""
    keep = np.zeros(len(points), dtype=bool)
    if distance <= 0:
        return ~keep
    last = -np.inf
    for i, x in enumerate(points):
        if x - last < distance:
            continue
        keep[i] = True
        last = x
    return keep


graph = trace(
    keep_apart,
    TensorSpec(("n",), np.float64, "points"),
    TensorSpec((), np.float64, "distance"),
)
OnnxExporter("keep_apart.onnx").export(graph)
session = onnxruntime.InferenceSession("keep_apart.onnx")

points = np.array([0.0, 0.4, 1.1, 1.2, 1.9, 2.6])
for distance in (1.0, 0.5, -1.0):
    (found,) = session.run(None, {"points": points, "distance": np.array(distance)})
    same = (found == keep_apart(points, distance)).all()
    print(f"{distance:4}: {points[found]}, same as NumPy: {same}")
