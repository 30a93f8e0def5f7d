"""The main job, end to end, on real data: a digit classifier from NumPy to ONNX Runtime."""
