"""Ops, an exporter and a captured function beside graph-capture's own."""

from graph_capture_example.listing import ListingExporter
from graph_capture_example.ops import pair_up, soft_clip, softplus
from graph_capture_example.smoothing import smooth

__all__ = ["ListingExporter", "pair_up", "smooth", "soft_clip", "softplus"]
