"""Graph out, file in hand: ONNX, JSON, pictures, and verification against a runtime."""

from typing import TYPE_CHECKING, Any

from exporters.errors import ExportError
from exporters.json import JsonExporter, JsonFormatError, from_json, load_json, to_json
from exporters.onnx import OnnxExporter, to_onnx
from exporters.onnx.lowering import lowers
from exporters.onnx.models import LoadedModel, load_onnx
from exporters.pictures import HtmlExporter, SvgExporter

if TYPE_CHECKING:
    from exporters.verification import VerificationReport, verify

__all__ = [
    "ExportError",
    "HtmlExporter",
    "JsonExporter",
    "JsonFormatError",
    "LoadedModel",
    "OnnxExporter",
    "SvgExporter",
    "VerificationReport",
    "from_json",
    "load_json",
    "load_onnx",
    "lowers",
    "to_json",
    "to_onnx",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import verification when it is first used: it needs ONNX Runtime, exporting does not."""
    if name in ("VerificationReport", "verify"):
        from exporters import verification

        return getattr(verification, name)
    raise AttributeError(f"module 'exporters' has no attribute {name!r}")
