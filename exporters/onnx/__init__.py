"""ONNX: the only package that imports ``onnx``."""

from exporters.onnx.export import to_onnx
from exporters.onnx.exporter import OnnxExporter

__all__ = ["OnnxExporter", "to_onnx"]
