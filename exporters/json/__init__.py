"""Graphs as JSON: a documented, versioned and lossless text form (see ``docs/json.md``)."""

from exporters.json.errors import JsonFormatError
from exporters.json.exporter import JsonExporter
from exporters.json.read import from_json, load_json
from exporters.json.write import to_json

__all__ = ["JsonExporter", "JsonFormatError", "from_json", "load_json", "to_json"]
