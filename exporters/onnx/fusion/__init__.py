"""Peepholes: what a graph computes in several ops and ONNX has one operator for.

The rules match the IR, whose ops say exactly what they mean, and replace what they find by ops
of the exporter's own (:mod:`exporters.onnx.fusion.native`). What to look for is written in the
language of :mod:`exporters.onnx.fusion.patterns`; :mod:`exporters.onnx.fusion.rules` is the table.
"""

from exporters.onnx.fusion import (
    activations,
    attention,
    axis_selection,
    broadcasting,
    clipping,
    convolutions,
    convolved_constants,
    kept_axes,
    movement,
    narrow_channels,
    normalizations,
    ordering,
    pooling,
    products,
    recombinations,
    reductions,
    reordering,
    resizing,
    scales,
    selection,
    tap_sums,
    tiling,
)
from exporters.onnx.fusion.engine import fuse

FAMILIES = (
    kept_axes,
    movement,
    broadcasting,
    reordering,
    axis_selection,
    resizing,
    tiling,
    scales,
    narrow_channels,
    clipping,
    activations,
    reductions,
    normalizations,
    attention,
    products,
    recombinations,
    ordering,
    selection,
    convolutions,
    tap_sums,
    convolved_constants,
    pooling,
)
"""The modules whose rules :func:`exporters.onnx.fusion.rules.fuses` has collected."""

__all__ = ["FAMILIES", "fuse"]
