"""Samples of the fused forms, a module per family of :mod:`exporters.onnx.fusion`."""

from tests.fusion import (
    activations,
    axis_selection,
    clipping,
    convolutions,
    convolved_constants,
    kept_axes,
    movement,
    narrow_channels,
    normalizations,
    pooling,
    products,
    reductions,
    reordering,
    resizing,
    scales,
    selection,
    tap_sums,
)

FAMILIES = (
    kept_axes,
    movement,
    reordering,
    axis_selection,
    resizing,
    scales,
    narrow_channels,
    clipping,
    activations,
    reductions,
    normalizations,
    products,
    selection,
    convolutions,
    tap_sums,
    convolved_constants,
    pooling,
)
SAMPLES = [sample for family in FAMILIES for sample in family.SAMPLES]
