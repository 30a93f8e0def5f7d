"""Graph out, file in hand: ONNX, JSON, and verification against a runtime."""

from exporters.errors import ExportError
from exporters.json import JsonExporter, JsonFormatError, from_json, load_json, to_json
from exporters.onnx import OnnxExporter, to_onnx
from exporters.verification import VerificationReport, verify

__all__ = [
    "ExportError",
    "JsonExporter",
    "JsonFormatError",
    "OnnxExporter",
    "VerificationReport",
    "from_json",
    "load_json",
    "to_json",
    "to_onnx",
    "verify",
]
