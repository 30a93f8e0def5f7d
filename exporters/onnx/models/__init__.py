"""Existing ONNX models as parts of a graph."""

from exporters.onnx.models.loaded import LoadedModel
from exporters.onnx.models.loading import load_onnx

__all__ = ["LoadedModel", "load_onnx"]
