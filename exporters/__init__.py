"""Graph out, file in hand: ONNX, JSON, and verification against a runtime."""

from exporters.errors import ExportError
from exporters.json import JsonExporter, JsonFormatError, from_json, load_json, to_json
from exporters.onnx import OnnxExporter, to_onnx

__all__ = [
    "ExportError",
    "JsonExporter",
    "JsonFormatError",
    "OnnxExporter",
    "from_json",
    "load_json",
    "to_json",
    "to_onnx",
]
